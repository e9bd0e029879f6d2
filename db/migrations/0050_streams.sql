-- owner: streams
-- A live video stream from its creation to its recording: idle -> live -> ended -> recorded. It starts when media
-- arrives, not by a request.
create table video_streams (
  id text primary key,
  user_id text not null references users,
  -- The stream that this one is another camera of.
  parent_id text references video_streams,
  title text not null check (length(title) <= 1000),
  description text check (length(description) <= 5000),
  thumbnail_file_id text references files,
  metadata json not null default '{}',
  -- Watching needs a signed, expiring address.
  is_secure boolean not null,
  resolution text not null check (resolution in ('SD', 'HD', 'FHD')),
  channel_enabled boolean not null,
  status text not null default 'idle' check (status in ('idle', 'live', 'ended', 'recorded')),
  -- What an encoder must present; null once nobody may publish any more.
  stream_key text,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  -- When a media server last said that it has the stream: one that says nothing for too long is ended.
  seen_at timestamptz(3),
  -- Where it was posted: the post, and the child of it that stands for the stream.
  post_id text,
  child_post_id text,
  target_type text,
  target_id text,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint video_streams_key check (stream_key is not null or status <> 'idle')
);
create index video_streams_created on video_streams (created_at, id) where parent_id is null;
create index video_streams_user on video_streams (user_id, created_at, id);
create index video_streams_parent on video_streams (parent_id) where parent_id is not null;
create index video_streams_live on video_streams (created_at, id) where status = 'live';

-- owner: streams
-- The files of a finished recording in the object store. A playlist names its segments by `name`.
create table video_stream_recordings (
  stream_id text not null references video_streams,
  name text not null,
  kind text not null check (kind in ('flv', 'mp4', 'm3u8', 'segments')),
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
  primary key (stream_id, name)
);

-- owner: streams
-- What was found in the pictures of a stream, by whoever looks at them for the operator.
create table video_stream_moderations (
  id text primary key,
  stream_id text not null unique references video_streams,
  flag_labels json not null default '[]',
  terminate_labels json not null default '[]',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- owner: streams
-- How long somebody watched, in the words of their client, which repeats and extends what it said before.
create table video_stream_watch_sessions (
  stream_id text not null references video_streams,
  user_id text not null references users,
  session_id text not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3) not null,
  watch_seconds double precision not null check (watch_seconds >= 0),
  -- When the server last heard of it.
  seen_at timestamptz(3) not null,
  primary key (stream_id, user_id, session_id)
);
create index video_stream_watch_sessions_seen on video_stream_watch_sessions (stream_id, seen_at);

-- owner: streams
-- Who may not watch. Those banned from the stream's live channel may not either; they are not repeated here.
create table video_stream_bans (
  stream_id text not null references video_streams,
  user_id text not null references users,
  banned_by text not null references users,
  created_at timestamptz(3) not null,
  primary key (stream_id, user_id)
);
