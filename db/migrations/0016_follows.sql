-- owner: follows
-- Who follows whom. One row for each pair that ever was: an ended relation leaves `none`, so that the event of its end
-- can still be told.
create table follows (
  from_user_id text not null references users,
  to_user_id text not null references users,
  status text not null check (status in ('pending', 'accepted', 'none')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (from_user_id, to_user_id),
  constraint follows_self check (from_user_id <> to_user_id)
);
create index follows_following on follows (from_user_id, created_at, to_user_id) where status <> 'none';
create index follows_followers on follows (to_user_id, created_at, from_user_id) where status <> 'none';
-- Requests are few among many followers.
create index follows_requested on follows (from_user_id, created_at, to_user_id) where status = 'pending';
create index follows_requests on follows (to_user_id, created_at, from_user_id) where status = 'pending';

-- owner: follows
-- How many follow a user, are followed, and ask to follow. The row is also what a change of any relation of its user
-- locks, lower user id first, so that counts and relations cannot part.
create table follow_counts (
  user_id text primary key references users,
  follower_count integer not null default 0 check (follower_count >= 0),
  following_count integer not null default 0 check (following_count >= 0),
  pending_count integer not null default 0 check (pending_count >= 0)
);

-- owner: follows
-- Who blocked whom. A block works both ways, but only the one who blocked may end it.
create table user_blocks (
  from_user_id text not null references users,
  to_user_id text not null references users,
  created_at timestamptz(3) not null,
  primary key (from_user_id, to_user_id),
  constraint user_blocks_self check (from_user_id <> to_user_id)
);
create index user_blocks_list on user_blocks (from_user_id, created_at, to_user_id);
create index user_blocks_to on user_blocks (to_user_id);
