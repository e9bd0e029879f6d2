-- owner: message-feeds
create table message_feeds (
  id text primary key,
  channel_id text not null references channels,
  name text not null check (length(name) <= 100),
  creator_id text not null references users,
  -- Messages in the feed that are not deleted.
  child_count integer not null default 0 check (child_count >= 0),
  last_message_timestamp timestamptz(3) not null,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  edited_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
) with (fillfactor = 80);
-- As with channels, nothing that a message changes is indexed.
create index message_feeds_channel on message_feeds (channel_id);
create index message_feeds_creator on message_feeds (creator_id);

-- Every channel has a default feed under the channel's own id: clients write to it without asking. An invariant of
-- the data, so it is kept where the data is.
create function create_default_message_feed() returns trigger language plpgsql as $$
begin
  insert into message_feeds (id, channel_id, name, creator_id, last_message_timestamp, created_at, updated_at)
  values (new.id, new.id, 'Default', new.creator_id, new.created_at, new.created_at, new.updated_at);
  return null;
end $$;
create trigger channels_default_feed after insert on channels for each row execute function create_default_message_feed();
