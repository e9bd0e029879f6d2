-- owner: feeds
-- Where posts are: what was published in a community or on a user's page, what waits for review there, what was declined.
create table feeds (
  id text primary key,
  target_type text not null check (target_type in ('community', 'user', 'content')),
  -- Internal id of the community or user; whatever the app names for content.
  target_id text not null,
  feed_type text not null check (feed_type in ('published', 'reviewing', 'declined')),
  post_count integer not null default 0 check (post_count >= 0),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint feeds_target unique (target_type, target_id, feed_type)
);
