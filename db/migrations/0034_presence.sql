-- owner: presence
-- When people were last heard of. Every node sees it here. Unlogged, as it changes with every heartbeat and all of it
-- comes again within a minute: a crash empties it, and nobody waits for the disk.
create unlogged table user_presences (
  user_id text primary key references users,
  last_heartbeat timestamptz(3) not null
) with (fillfactor = 70);
create index user_presences_heartbeat on user_presences (last_heartbeat);

-- owner: presence
-- Who watches which room, in the same way. `joined_at` is when they came this time.
create unlogged table room_presences (
  room_id text not null,
  user_id text not null references users,
  joined_at timestamptz(3) not null,
  last_heartbeat timestamptz(3) not null,
  primary key (room_id, user_id)
) with (fillfactor = 70);
create index room_presences_heartbeat on room_presences (room_id, last_heartbeat);
create index room_presences_stale on room_presences (last_heartbeat);

-- owner: presence
-- Who chose whether others see them online; whoever did not is seen.
create table presence_choices (
  user_id text primary key references users,
  is_enabled boolean not null,
  enabled_at timestamptz(3),
  updated_at timestamptz(3) not null
);

-- The section begins here, so that it has a time it was last changed at; its values are the defaults.
insert into network_settings (section, value, updated_at) values ('presence', '{}', now());
