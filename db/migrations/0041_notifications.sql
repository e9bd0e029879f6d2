-- owner: notification-settings
-- What people want to be notified of: in all, in a channel, in a community. The one line of level `network`, without a
-- user, holds what the admins say for everybody. What is not said here is on.
create table notification_settings (
  user_id text not null,
  level text not null check (level in ('network', 'user', 'channel', 'community')),
  target_id text not null default '',
  is_push_notifiable boolean,
  -- By event name, or `module:` and a module's name: {isPushNotifiable, listenFromRoleIds, ignoreFromRoleIds,
  -- titleTemplate, bodyTemplate}, each optional.
  events json not null default '{}',
  updated_at timestamptz(3) not null,
  primary key (user_id, level, target_id)
);

-- owner: devices
-- Where push notifications go. A device is one person's at a time: whoever registered it last.
create table devices (
  device_id text primary key check (length(device_id) between 1 and 150),
  user_id text not null references users,
  session_id text not null,
  platform text not null check (platform in ('android', 'ios', 'web')),
  vendor text not null check (vendor in ('apns', 'fcm', 'web')),
  token text not null check (length(token) between 1 and 4000),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index devices_user on devices (user_id, updated_at);
create index devices_token on devices (md5(token));

-- owner: push
-- The keys by which push services know this network.
create table push_keys (
  kind text primary key check (kind in ('vapid')),
  public_key text not null,
  private_key text not null,
  created_at timestamptz(3) not null
);

-- owner: push
-- One thing to push, to whomever: one line however many it goes to. Kept for a day, so that no repeat of its event
-- pushes it again.
create table push_notices (
  id text primary key,
  event_name text not null,
  actor_id text,
  audience_type text not null check (audience_type in ('users', 'community', 'channel')),
  audience_id text,
  user_ids text[] not null default '{}',
  -- Who hears of the same by another notice.
  without_user_ids text[] not null default '{}',
  target_type text,
  target_id text,
  setting_names text[] not null,
  actor_roles text[] not null,
  object_id text,
  -- The post it is of: who may no longer read that is told nothing.
  post_id text,
  message_feed_id text,
  segment bigint,
  title text not null,
  body text not null,
  data json not null,
  collapse_key text not null,
  is_spread boolean not null default false,
  created_at timestamptz(3) not null
);
create index push_notices_waiting on push_notices (created_at) where not is_spread;
create index push_notices_object on push_notices (object_id) where object_id is not null;
create index push_notices_created on push_notices (created_at);

-- owner: push
-- One push to one device, until it was taken or given up.
create table push_deliveries (
  id bigint generated always as identity primary key,
  notice_id text not null references push_notices on delete cascade,
  device_id text not null references devices on delete cascade,
  vendor text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  unique (notice_id, device_id)
);
create index push_deliveries_due on push_deliveries (vendor, next_attempt_at);
create index push_deliveries_device on push_deliveries (device_id);
