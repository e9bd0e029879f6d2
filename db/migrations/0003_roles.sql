-- owner: roles
create table roles (
  id text primary key,
  role_id text not null unique check (length(role_id) <= 100),
  display_name text not null,
  permissions text[] not null,
  is_built_in boolean not null default false,
  is_deleted boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- The permissions a set of role names grants together. A function, so that a membership's permissions are read in
-- the query that reads the membership.
create function role_permissions(role_ids text[]) returns text[] language sql stable as $$
  select coalesce(array_agg(distinct permission order by permission), '{}')
  from roles, unnest(permissions) permission
  where role_id = any (role_ids) and not is_deleted
$$;

insert into roles (id, role_id, display_name, permissions, is_built_in, created_at, updated_at)
select substr(md5(role_id), 1, 24), role_id, display_name, permissions, true, now(), now()
from (values
  ('member', 'Member', '{}'::text[]),
  ('visitor', 'Visitor', '{}'),
  ('bot', 'Bot', '{}'),
  ('channel-moderator', 'Channel moderator', array[
    'EDIT_CHANNEL', 'EDIT_CHANNEL_RATELIMIT', 'MUTE_CHANNEL', 'CLOSE_CHANNEL', 'ADD_CHANNEL_USER',
    'EDIT_CHANNEL_USER', 'REMOVE_CHANNEL_USER', 'MUTE_CHANNEL_USER', 'MUTE_USER_INSIDE_CHANNEL', 'BAN_CHANNEL_USER',
    'BAN_USER_FROM_CHANNEL', 'ASSIGN_CHANNEL_USER_ROLE', 'EDIT_MESSAGE', 'DELETE_MESSAGE']),
  ('community-moderator', 'Community moderator', array[
    'EDIT_COMMUNITY', 'DELETE_COMMUNITY', 'ADD_COMMUNITY_USER', 'EDIT_COMMUNITY_USER', 'REMOVE_COMMUNITY_USER',
    'MUTE_COMMUNITY_USER', 'BAN_COMMUNITY_USER', 'ASSIGN_COMMUNITY_USER_ROLE', 'EDIT_COMMUNITY_POST',
    'DELETE_COMMUNITY_POST', 'PIN_COMMUNITY_POST', 'REVIEW_COMMUNITY_POST', 'EDIT_COMMUNITY_COMMENT',
    'DELETE_COMMUNITY_COMMENT', 'MANAGE_COMMUNITY_STORY', 'CREATE_PRIVILEGED_POST', 'CREATE_EVENT', 'DELETE_EVENT',
    'CREATE_EVENT_WITH_LIVESTREAM', 'MANAGE_COMMUNITY_EVENTS'])
) as built_in (role_id, display_name, permissions);

-- Network-wide moderators hold all that members' moderators hold; what is theirs alone is listed after it.
insert into roles (id, role_id, display_name, permissions, is_built_in, created_at, updated_at)
select substr(md5(role_id), 1, 24), role_id, display_name,
  role_permissions(array['channel-moderator', 'community-moderator']) || own, true, now(), now()
from (values
  ('moderator', 'Moderator', array[
    'EDIT_USER_FEED_POST', 'DELETE_USER_FEED_POST', 'EDIT_USER_FEED_COMMENT', 'DELETE_USER_FEED_COMMENT']),
  ('super-moderator', 'Super moderator', array[
    'EDIT_USER_FEED_POST', 'DELETE_USER_FEED_POST', 'EDIT_USER_FEED_COMMENT', 'DELETE_USER_FEED_COMMENT',
    'EDIT_USER', 'BAN_USER']),
  ('global-admin', 'Global admin', array[
    'EDIT_USER_FEED_POST', 'DELETE_USER_FEED_POST', 'EDIT_USER_FEED_COMMENT', 'DELETE_USER_FEED_COMMENT',
    'EDIT_USER', 'BAN_USER', 'ASSIGN_USER_ROLE', 'CREATE_ROLE', 'EDIT_ROLE', 'DELETE_ROLE',
    'CREATE_COMMUNITY_CATEGORY', 'EDIT_COMMUNITY_CATEGORY', 'DELETE_COMMUNITY_CATEGORY'])
) as built_in (role_id, display_name, own);
