-- owner: channels
create table channels (
  id text primary key,
  channel_id text not null constraint channel_id_taken unique check (length(channel_id) between 1 and 100),
  type text not null check (type in ('community', 'live', 'broadcast', 'conversation')),
  display_name text,
  avatar_file_id text,
  metadata json not null default '{}',
  tags text[] not null default '{}',
  is_public boolean not null,
  creator_id text not null references users,
  -- The community whose members this channel follows, if it is the one behind a community.
  community_id text unique,
  -- What a live chat belongs to.
  post_id text,
  video_stream_id text,
  room_id text,
  is_distinct boolean not null default false,
  -- Sorted internal ids of a distinct conversation's members: the same people find the same conversation. Null again
  -- once it is deleted, so that they can have a new one.
  members_key text unique,
  notification_mode text not null default 'default' check (notification_mode in ('default', 'silent', 'subscribe')),
  message_auto_delete_enabled boolean not null default false,
  auto_delete_message_by_flag_limit integer not null default 10 check (auto_delete_message_by_flag_limit between 1 and 1000),
  -- Until when nobody but moderators may write; the year 9999 stands for ever.
  mute_timeout timestamptz(3),
  -- Slow mode: each member may send `rate_limit` messages in `rate_limit_window` ms, until `rate_limit_timeout`.
  rate_limit integer not null default 0 check (rate_limit >= 0),
  rate_limit_window integer not null default 0 check (rate_limit_window >= 0),
  rate_limit_timeout timestamptz(3),
  member_count integer not null default 0 check (member_count >= 0),
  moderator_member_count integer not null default 0 check (moderator_member_count >= 0),
  -- The last segment given. Every message of the channel takes the next one under this row's lock, so segments have
  -- neither gaps nor repeats; it never falls, whatever is deleted.
  message_count bigint not null default 0,
  -- The last message that mentioned the whole channel: one number instead of a mark on every membership.
  last_channel_mention_segment bigint not null default 0,
  -- No more writing; memberships count as ended, but their rows stay so that the members can be told.
  is_closed boolean not null default false,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  last_activity timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
) with (fillfactor = 80);
-- Nothing that a message changes is indexed, so that the row is rewritten in place: an index on last_activity would make
-- each message in a channel cost an entry in every index here.
create index channels_created on channels (created_at, id);
create index channels_name on channels (lower(display_name), id);
create index channels_stream on channels (video_stream_id) where video_stream_id is not null;
create index channels_room on channels (room_id) where room_id is not null;

-- owner: channels
-- Everyone who is, was or may no longer be in a channel. Leaving keeps the row: when they were last there, what they
-- had read.
create table channel_members (
  channel_id text not null references channels,
  user_id text not null references users,
  membership text not null check (membership in ('none', 'member', 'banned')),
  roles text[] not null default '{}',
  mute_timeout timestamptz(3),
  -- The channel's last segment when they joined: what came before was never unread.
  joined_at_segment bigint not null default 0,
  read_to_segment bigint not null default 0,
  last_mentioned_segment bigint not null default 0,
  archived_at timestamptz(3),
  last_activity timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (channel_id, user_id)
) with (fillfactor = 80);
create index channel_members_user on channel_members (user_id, membership, channel_id);
create index channel_members_created on channel_members (channel_id, created_at, user_id);
