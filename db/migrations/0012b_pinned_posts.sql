-- owner: posts
-- Posts that a community shows before all others, in one of two places; and those the whole network features.
create table pinned_posts (
  -- Internal id of the community; `global` for the network.
  target_id text not null,
  target_type text not null check (target_type in ('community', 'network')),
  placement text not null check (placement in ('default', 'announcement', 'global')),
  post_id text not null references posts,
  pinned_by text not null references users,
  pinned_at timestamptz(3) not null,
  primary key (target_id, placement, post_id)
);
create index pinned_posts_post on pinned_posts (post_id);

-- owner: posts
-- When the pins of a target last changed; the row is also what a change of them locks.
create table pin_targets (
  target_id text primary key,
  target_type text not null check (target_type in ('community', 'network')),
  last_pins_updated_at timestamptz(3) not null
);
