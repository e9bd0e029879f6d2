-- owner: posts
-- A post and its children: what is attached (a picture, a video, a poll, a stream) is a post of its own below its
-- parent, so that each can be opened, reacted to and commented on.
create table posts (
  id text primary key,
  parent_post_id text references posts,
  target_type text not null check (target_type in ('user', 'community', 'content')),
  -- Internal id of the user or community; whatever the app names for content.
  target_id text not null,
  feed_id text not null references feeds,
  feed_type text not null check (feed_type in ('published', 'reviewing', 'declined')),
  posted_user_id text not null references users,
  data_type text not null check (length(data_type) <= 900),
  structure_type text not null,
  data json not null,
  metadata json not null default '{}',
  tags text[] not null default '{}',
  hashtags text[] not null default '{}',
  -- Internal ids of mentioned users.
  mentioned_user_ids text[] not null default '{}',
  links json not null default '[]',
  -- Ids of the children in the order they were attached.
  children text[] not null default '{}',
  reactions json not null default '{}',
  reactions_count integer not null default 0 check (reactions_count >= 0),
  comments_count integer not null default 0 check (comments_count >= 0),
  flag_count integer not null default 0 check (flag_count >= 0),
  flagged_comments_count integer not null default 0 check (flagged_comments_count >= 0),
  flagged_children_count integer not null default 0 check (flagged_children_count >= 0),
  hash_flag json,
  shared_count integer not null default 0 check (shared_count >= 0),
  impression integer not null default 0 check (impression >= 0),
  reach integer not null default 0 check (reach >= 0),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  edited_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- A feed page reads one target's posts, newest first.
create index posts_target on posts (target_id, created_at desc, id desc)
  where parent_post_id is null and not is_deleted and feed_type = 'published';
create index posts_feed on posts (feed_id, created_at, id);
create index posts_posted_user on posts (posted_user_id, created_at, id);
create index posts_parent on posts (parent_post_id) where parent_post_id is not null;
