-- owner: files
create table files (
  id text primary key,
  user_id text not null references users,
  type text not null check (type in ('image', 'file', 'video', 'clip', 'audio')),
  -- Where the bytes are in the object store.
  object_key text not null,
  name text not null,
  extension text not null,
  mime_type text not null,
  size bigint not null check (size >= 0),
  -- Pixels, exif, position, duration: what was read from the bytes themselves.
  metadata json not null default '{}',
  alt_text text,
  access_type text not null default 'public' check (access_type in ('public', 'network')),
  feed_type text,
  status text not null default 'uploaded' check (status in ('uploaded', 'transcoding', 'transcoded', 'transcodeFailed')),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index files_user on files (user_id, created_at);
