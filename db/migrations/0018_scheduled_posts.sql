-- owner: scheduled-posts
-- Posts that are to appear later. Whether one has appeared is said here and nowhere else, in the transaction that makes
-- the post: so it appears once, whatever crashes and however often its job runs.
create table scheduled_posts (
  id text primary key,
  user_id text not null references users,
  -- The id the post will have.
  post_id text not null constraint scheduled_posts_post unique,
  -- As asked, in the form of the operation that creates posts.
  post_data json not null,
  -- As it would look, made by creating it and taking that back.
  post json not null,
  scheduled_at timestamptz(3) not null,
  state text not null default 'waiting' check (state in ('waiting', 'published', 'failed')),
  -- Why it failed, for people to read.
  failure text,
  -- Tries that something unforeseen has ended, and when the next may be.
  attempts integer not null default 0,
  retry_at timestamptz(3),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint scheduled_posts_end check ((ended_at is null) = (state = 'waiting')),
  constraint scheduled_posts_failure check ((failure is null) = (state <> 'failed'))
);
create index scheduled_posts_list on scheduled_posts (scheduled_at, id);
create index scheduled_posts_user on scheduled_posts (user_id, scheduled_at, id);
create index scheduled_posts_due on scheduled_posts (scheduled_at, id) where state = 'waiting';
create index scheduled_posts_ended on scheduled_posts (ended_at) where state <> 'waiting';
