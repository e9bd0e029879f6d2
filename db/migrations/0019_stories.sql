-- owner: stories
-- One row for each place that ever had a story. Stories are added under its lock, so that their number can be bounded.
create table story_targets (
  target_type text not null check (target_type in ('community', 'user')),
  target_id text not null,
  -- No story here ends later, so places with nothing to show are passed over by one comparison.
  last_expires_at timestamptz(3) not null,
  primary key (target_type, target_id)
);

-- owner: stories
-- A picture, a video or a text that is shown until it expires. Nothing marks a story expired: readers compare.
create table stories (
  id text primary key,
  creator_id text not null references users,
  -- The creator's own name for it, so that sending it twice makes one story.
  reference_id text not null check (length(reference_id) <= 200),
  target_type text not null,
  target_id text not null,
  data_type text not null check (data_type in ('text', 'image', 'video')),
  data json not null,
  items json not null default '[]',
  metadata json not null default '{}',
  reactions json not null default '{}',
  reactions_count integer not null default 0 check (reactions_count >= 0),
  comments_count integer not null default 0 check (comments_count >= 0),
  flag_count integer not null default 0 check (flag_count >= 0),
  flagged_comments_count integer not null default 0 check (flagged_comments_count >= 0),
  hash_flag json,
  impression integer not null default 0,
  reach integer not null default 0,
  is_deleted boolean not null default false,
  -- Removed for good: an empty row is left for the event that tells of it.
  is_erased boolean not null default false,
  deleted_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint stories_reference unique (creator_id, reference_id),
  foreign key (target_type, target_id) references story_targets
);
create index stories_expires on stories (target_type, target_id, expires_at) where not is_deleted;

-- owner: stories
-- How far a person has come at a place: the end of the last-ending story they looked at. Clients compare ends, too.
create table story_seen (
  user_id text not null references users,
  target_type text not null,
  target_id text not null,
  last_expires_at timestamptz(3) not null,
  primary key (user_id, target_type, target_id)
);
