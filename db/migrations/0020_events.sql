-- owner: events
-- Something that happens at a time. Whether it is still to come, going on or over is not stored: readers compare.
create table events (
  id text primary key,
  -- Its host.
  user_id text not null references users,
  title text not null check (length(title) between 1 and 60),
  description text not null default '' check (length(description) <= 1000),
  type text not null check (type in ('virtual', 'in_person')),
  cover_image_file_id text references files,
  location text check (length(location) <= 100),
  external_url text check (length(external_url) <= 200),
  tags text[] not null default '{}',
  metadata json not null default '{}',
  -- Whose event it is: a community's or a person's. Internal id.
  origin_type text not null check (origin_type in ('community', 'user')),
  origin_id text not null,
  -- The community made for talking about it.
  discussion_community_id text not null references communities,
  -- The post that shows its live stream, where there is one.
  post_id text,
  -- How many answered that they are going; changes with event_responses, under the lock of this row.
  rsvp_count integer not null default 0 check (rsvp_count >= 0),
  start_time timestamptz(3) not null,
  end_time timestamptz(3) not null,
  cancelled_at timestamptz(3),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint events_ends_after_start check (end_time > start_time)
);
create index events_start on events (start_time, id) where not is_deleted;
create index events_created on events (created_at, id) where not is_deleted;
create index events_origin on events (origin_id, start_time, id) where not is_deleted;
create index events_user on events (user_id, start_time, id) where not is_deleted;

-- owner: events
-- Who answered what. An answer may change until the event starts.
create table event_responses (
  event_id text not null references events,
  user_id text not null references users,
  status text not null check (status in ('going', 'not_going')),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (event_id, user_id)
);
create index event_responses_event on event_responses (event_id, created_at, user_id);
create index event_responses_user on event_responses (user_id, created_at, event_id);
