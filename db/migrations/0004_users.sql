-- owner: users
create table users (
  id text primary key,
  user_id text not null unique check (length(user_id) between 1 and 50),
  kind text not null default 'signed-in' check (kind in ('signed-in', 'visitor', 'bot')),
  display_name text,
  profile_handle text,
  description text not null default '',
  avatar_file_id text,
  avatar_custom_url text,
  roles text[] not null default '{}',
  metadata json not null default '{}',
  tags text[] not null default '{}',
  flag_count integer not null default 0 check (flag_count >= 0),
  is_global_ban boolean not null default false,
  is_brand boolean not null default false,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index users_created on users (created_at, id) where not is_deleted;
create index users_display_name on users (lower(display_name), id) where not is_deleted;
create unique index users_profile_handle on users (lower(profile_handle)) where profile_handle is not null;

-- owner: sessions
-- One row a device signed in. The access token carries the session id, so revoking the row ends the token.
create table sessions (
  id text primary key,
  user_id text not null references users,
  device_id text,
  device_info json not null default '{}',
  refresh_hash text unique,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null
);
create index sessions_user on sessions (user_id, device_id) where revoked_at is null;
create index sessions_device on sessions (device_id) where revoked_at is null;
