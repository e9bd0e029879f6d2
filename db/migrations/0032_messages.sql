-- owner: messages
-- No foreign keys: whoever inserts holds the lock on the channel's row and has read feed, sender and parent under it,
-- and the checks would cost more than the insert.
create table messages (
  id text primary key,
  -- The id a client chose; without one, `id` is shown in its place.
  message_id text check (length(message_id) between 1 and 150),
  -- What the sender calls it until the answer is there; a repeated send is known by it.
  reference_id text,
  channel_id text not null,
  message_feed_id text not null,
  segment bigint not null,
  creator_id text not null,
  parent_id text,
  data_type text not null check (data_type in ('text', 'image', 'file', 'custom', 'video', 'audio', 'imagemap')),
  data json not null default '{}',
  metadata json not null default '{}',
  file_id text,
  thumbnail_file_id text,
  tags text[] not null default '{}',
  mentioned_user_ids text[] not null default '{}',
  mentions_channel boolean not null default false,
  child_count integer not null default 0 check (child_count >= 0),
  flag_count integer not null default 0 check (flag_count >= 0),
  hash_flag json,
  reactions json not null default '{}',
  reaction_count integer not null default 0 check (reaction_count >= 0),
  latest_reaction json,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  edited_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index messages_segment on messages (channel_id, segment);
create unique index message_id_taken on messages (message_id) where message_id is not null;
create unique index messages_reference on messages (channel_id, creator_id, reference_id) where reference_id is not null;
create index messages_feed on messages (message_feed_id, segment);
create index messages_parent on messages (parent_id, segment) where parent_id is not null;
create index messages_creator on messages (creator_id, channel_id, segment);
create index messages_flagged on messages (channel_id, segment) where flag_count > 0;
create index messages_reacted on messages (reaction_count desc, id desc) where reaction_count > 0;
