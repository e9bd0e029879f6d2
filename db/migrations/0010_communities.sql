-- owner: categories
create table categories (
  id text primary key,
  name text not null check (length(name) <= 1000),
  avatar_file_id text,
  metadata json not null default '{}',
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index categories_name on categories (lower(name), id);
create index categories_created on categories (created_at, id);

-- owner: communities
create table communities (
  id text primary key,
  -- Who made it.
  user_id text not null references users,
  -- The public id of its backing channel.
  channel_id text not null,
  display_name text not null check (length(display_name) between 1 and 1000),
  description text not null default '',
  avatar_file_id text,
  is_official boolean not null default false,
  is_public boolean not null default true,
  -- Whether outsiders see that a private community exists; its content stays with its members.
  is_discoverable boolean not null default false,
  requires_join_approval boolean not null default false,
  only_admin_can_post boolean not null default false,
  need_approval_on_post_creation boolean not null default false,
  allow_comment_in_story boolean not null default true,
  notification_mode text not null default 'default' check (notification_mode in ('default', 'silent', 'subscribe')),
  tags text[] not null default '{}',
  category_ids text[] not null default '{}',
  metadata json not null default '{}',
  -- Its published, reviewing and declined feeds, so that showing a community does not search for them.
  feed_ids text[] not null,
  -- The event a community was made to discuss.
  event_id text,
  posts_count integer not null default 0 check (posts_count >= 0),
  members_count integer not null default 0 check (members_count >= 0),
  moderator_member_count integer not null default 0 check (moderator_member_count >= 0),
  flagged_posts_count integer not null default 0 check (flagged_posts_count >= 0),
  flagged_comments_count integer not null default 0 check (flagged_comments_count >= 0),
  -- Recent activity, weighed so that older activity counts less (docs/decisions/top-trending.md).
  trend double precision not null default 0 check (trend >= 0),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index communities_created on communities (created_at, id);
create index communities_display_name on communities (lower(display_name), id);
create index communities_trend on communities (trend, members_count, id) where not is_deleted;
create index communities_tags on communities using gin (tags);
create index communities_category_ids on communities using gin (category_ids);

-- owner: communities
-- One row for everybody who is or was a member, was banned, or is invited.
create table community_members (
  community_id text not null references communities,
  user_id text not null references users,
  membership text not null check (membership in ('member', 'banned', 'none')),
  -- Why somebody who was a member is none: left, removed, banned, unbanned.
  not_member_reason text,
  roles text[] not null default '{}',
  -- An open invitation shows its holder a community that is hidden otherwise.
  is_invited boolean not null default false,
  -- What the joining added to the community's trend, to be taken back when the member goes.
  trend_share double precision not null default 0,
  last_activity timestamptz(3) not null,
  last_join timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (community_id, user_id)
);
create index community_members_created on community_members (community_id, created_at, user_id);
create index community_members_user on community_members (user_id, membership, community_id);
-- Those with roles are few among many: moderators are found without reading all members.
create index community_members_roles on community_members (community_id) where roles <> '{}';
