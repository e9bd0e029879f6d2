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
  -- Ids of the children in the order they were attached, and what kinds of children there are.
  children text[] not null default '{}',
  attached_types text[] not null default '{}',
  -- Products the post shows, and the one it puts first: ids of the app's own catalogue.
  product_tags json not null default '[]',
  pinned_product_id text,
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
  -- Deleted for good: only what its last event and what points at it need is left of it.
  is_erased boolean not null default false,
  -- When it entered the published feed; null while it waits for review.
  published_at timestamptz(3),
  edited_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
-- A feed is merged from the newest posts of each page it draws from, so each way of choosing posts has an index in the
-- order of the feed. What is attached counts as its own post only where posts are chosen by type.
create index posts_page on posts (target_id, created_at, id)
  where parent_post_id is null and not is_deleted and feed_type = 'published' and target_type <> 'content';
create index posts_page_updated on posts (target_id, updated_at, id)
  where parent_post_id is null and not is_deleted and feed_type = 'published' and target_type <> 'content';
create index posts_page_structure on posts (target_id, structure_type, created_at, id)
  where parent_post_id is null and not is_deleted and feed_type = 'published' and target_type <> 'content';
create index posts_page_attached on posts (target_id, data_type, created_at, id)
  where parent_post_id is not null and not is_deleted and feed_type = 'published' and target_type <> 'content';
create index posts_everywhere on posts (created_at, id)
  where parent_post_id is null and not is_deleted and feed_type = 'published' and target_type <> 'content';
create index posts_content on posts (created_at, id)
  where parent_post_id is null and not is_deleted and feed_type = 'published' and target_type = 'content';
create index posts_feed on posts (feed_id, created_at, id);
create index posts_posted_user on posts (posted_user_id, created_at, id);
create index posts_parent on posts (parent_post_id) where parent_post_id is not null;

-- owner: posts
-- The hashtags of living published posts in lower case, so that the newest posts of a hashtag are found without
-- reading the rest.
create table post_hashtags (
  hashtag text not null,
  created_at timestamptz(3) not null,
  post_id text not null references posts,
  primary key (hashtag, created_at, post_id)
);
create index post_hashtags_post on post_hashtags (post_id);

-- owner: posts
-- What a post said before it was edited: the last ten versions.
create table post_versions (
  post_id text not null references posts,
  version integer not null,
  data json not null,
  metadata json not null,
  tags text[] not null,
  hashtags text[] not null,
  mentioned_user_ids text[] not null,
  links json not null,
  children text[] not null,
  -- Who replaced it, and when.
  edited_by text not null references users,
  edited_at timestamptz(3) not null,
  primary key (post_id, version)
);
