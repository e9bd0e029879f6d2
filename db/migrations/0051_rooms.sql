-- owner: rooms
-- A live room from its creation to its recording. Its host streams alone (directStreaming) or with others (coHosts);
-- it starts when media arrives, not by a request. Which status follows which is said in the slice's policy.
create table rooms (
  id text primary key,
  -- The host.
  user_id text not null references users,
  -- The room that this one is another camera of.
  parent_id text references rooms,
  type text not null check (type in ('directStreaming', 'coHosts')),
  title text not null check (length(title) <= 1000),
  description text check (length(description) <= 5000),
  thumbnail_file_id text references files,
  metadata json not null default '{}',
  live_chat_enabled boolean not null,
  status text not null default 'idle'
    check (status in ('idle', 'live', 'waitingReconnect', 'ended', 'recorded', 'terminated', 'error')),
  -- What an encoder must present: the host's, or the one that mixes co-hosts. Null once nobody may publish any more.
  stream_key text,
  -- What mixes the co-hosts into one stream, while it does.
  egress_id text,
  -- Whether there is a stream to play: of co-hosts only while they are mixed.
  has_media boolean not null default false,
  live_at timestamptz(3),
  ended_at timestamptz(3),
  recorded_at timestamptz(3),
  -- When a media server last said that it has the room: one that says nothing for too long is ended.
  seen_at timestamptz(3),
  -- Where it was posted: the post, and the child of it that stands for the room.
  post_id text,
  child_post_id text,
  target_type text,
  target_id text,
  -- What was found in its pictures, by whoever looks at them for the operator.
  moderation_id text not null,
  flag_labels json not null default '[]',
  terminate_labels json not null default '[]',
  moderated_at timestamptz(3),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  deleted_by text references users,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index rooms_created on rooms (created_at, id) where parent_id is null;
create index rooms_parent on rooms (parent_id) where parent_id is not null;
create index rooms_live on rooms (created_at, id) where status in ('live', 'waitingReconnect');

-- owner: rooms
-- Who may be on stage: the host, and co-hosts who accepted an invitation, until they leave or are removed.
create table room_participants (
  room_id text not null references rooms,
  user_id text not null references users,
  type text not null check (type in ('host', 'coHost')),
  can_manage_product_tags boolean not null,
  -- Connected to the server that co-hosts meet on.
  is_on_stage boolean not null default false,
  -- Sends picture or sound there.
  is_publishing boolean not null default false,
  created_at timestamptz(3) not null,
  primary key (room_id, user_id)
);

-- owner: rooms
-- The files of a finished recording in the object store. A playlist names its segments by `name`.
create table room_recordings (
  room_id text not null references rooms,
  name text not null,
  kind text not null check (kind in ('flv', 'mp4', 'm3u8', 'segments', 'picture')),
  -- One from 1 for each span of unchanging codecs: only an MP4 is cut by them.
  part integer not null check (part > 0),
  object_key text not null,
  content_type text not null,
  size bigint not null,
  -- Seconds of media.
  duration double precision not null,
  start_time timestamptz(3) not null,
  stop_time timestamptz(3) not null,
  -- Why media that reached the server may be missing, in words.
  missing text[] not null default '{}',
  primary key (room_id, name)
);

-- owner: rooms
-- How long somebody watched, in the words of their client, which repeats and extends what it said before.
create table room_watch_sessions (
  room_id text not null references rooms,
  user_id text not null references users,
  session_id text not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3) not null,
  watch_seconds double precision not null check (watch_seconds >= 0),
  -- When the server last heard of it.
  seen_at timestamptz(3) not null,
  primary key (room_id, user_id, session_id)
);
