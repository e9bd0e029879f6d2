-- owner: comments
create table comments (
  id text primary key,
  -- Chosen by the client, or the internal id.
  comment_id text not null constraint comments_comment_id unique check (length(comment_id) between 1 and 900),
  reference_type text not null check (reference_type in ('post', 'content', 'story')),
  -- Internal id of the post or story; whatever the app names for content.
  reference_id text not null,
  -- Where the referenced object is: a user's page or a community. Copied, because it never changes.
  target_type text not null check (target_type in ('user', 'community', 'content')),
  target_id text not null,
  -- Internal ids: the comment this answers, and the top of its thread.
  parent_id text references comments,
  root_id text not null,
  user_id text not null references users,
  data_types text[] not null,
  data json not null,
  metadata json not null default '{}',
  attachments json not null default '[]',
  links json not null default '[]',
  mentioned_user_ids text[] not null default '{}',
  children_number integer not null default 0 check (children_number >= 0),
  -- Its place among all comments of the reference, from 1.
  segment_number integer not null,
  reactions json not null default '{}',
  reactions_count integer not null default 0 check (reactions_count >= 0),
  flag_count integer not null default 0 check (flag_count >= 0),
  hash_flag json,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  edited_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index comments_reference on comments (reference_type, reference_id, created_at, id);
create index comments_parent on comments (parent_id, created_at, id) where parent_id is not null;
create index comments_user on comments (user_id, created_at);

-- owner: comments
-- The last segment number given under a reference. Updating it also makes comments of one reference queue up.
create table comment_segments (
  reference_type text not null,
  reference_id text not null,
  last integer not null,
  primary key (reference_type, reference_id)
);
