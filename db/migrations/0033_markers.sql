-- owner: markers
-- How far people have read and received single feeds, where that is beyond the mark of their membership: that one
-- (channel_members.read_to_segment) counts in every feed of the channel, and takes these in as soon as nothing unread
-- lies below them. So a message is read when either reaches it, and there is no third place to ask.
create table message_feed_marks (
  message_feed_id text not null references message_feeds,
  user_id text not null references users,
  channel_id text not null references channels,
  read_to_segment bigint not null default 0,
  delivered_to_segment bigint not null default 0 check (delivered_to_segment >= read_to_segment),
  -- Until when, unless their client says otherwise, they have the feed before their eyes.
  reading_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (message_feed_id, user_id)
) with (fillfactor = 80);
create index message_feed_marks_user on message_feed_marks (user_id, channel_id);
create index message_feed_marks_delivered on message_feed_marks (message_feed_id, delivered_to_segment);

-- Who has read a message: the members whose marks have reached its segment.
create index channel_members_read on channel_members (channel_id, read_to_segment);
-- What does not count, and what is looked for among the unread: both few, however long the backlog.
create index messages_deleted on messages (message_feed_id, segment) include (creator_id) where is_deleted;
create index messages_mentioning on messages (channel_id, segment) where mentions_channel or mentioned_user_ids <> '{}';

-- What a reader has before them in each feed of a channel they are or were in; the only place that says what unread
-- is. A message is unread when its segment is above their marks, others wrote it, and neither it nor its feed is
-- deleted. Segments have no gaps, so the default feed, where a backlog may be long, is counted by subtraction: never
-- by reading the backlog.
create function message_feeds_before(reader text, in_channel text)
returns table (
  message_feed_id text,
  read_to_segment bigint,
  delivered_to_segment bigint,
  last_segment bigint,
  unread_count bigint,
  -- The last unread message that mentions the reader, 0 if none does.
  mention_segment bigint,
  is_deleted boolean,
  created_at timestamptz,
  updated_at timestamptz
) language sql stable as $$
  select feed.id, place.read_to, greatest(place.read_to, place.delivered_to),
    coalesce((select max(segment) from messages where messages.message_feed_id = feed.id), 0),
    case when place.counts then
      case when feed.id = channel.id then channel.message_count - place.read_to - (
        select count(*) from message_feeds other join messages on messages.message_feed_id = other.id
        where other.channel_id = channel.id and other.id <> channel.id and messages.segment > place.read_to
      ) else (
        select count(*) from messages where messages.message_feed_id = feed.id and segment > place.read_to
      ) end - (
        select count(*) from messages where messages.message_feed_id = feed.id and segment > place.read_to
          and messages.is_deleted
      ) - (
        -- Looked for by author alone (as rows, and the feed afterwards), so that the backlog of others is not read.
        select count(*) from (
          select messages.message_feed_id, messages.is_deleted from messages
          where (creator_id, channel_id, segment) > (reader, channel.id, place.read_to)
            and (creator_id, channel_id, segment) <= (reader, channel.id, channel.message_count)
          offset 0
        ) own where own.message_feed_id = feed.id and not own.is_deleted
      )
    else 0 end,
    case when place.counts then coalesce((
      select max(segment) from messages where channel_id = channel.id and segment > place.read_to
        and (mentions_channel or mentioned_user_ids <> '{}') and (mentions_channel or reader = any (mentioned_user_ids))
        and messages.message_feed_id = feed.id and creator_id <> reader and not messages.is_deleted
    ), 0) else 0 end,
    feed.is_deleted or channel.is_deleted,
    greatest(feed.created_at, member.created_at),
    greatest(feed.updated_at, feed.last_message_timestamp, member.updated_at, member.last_activity, mark.updated_at)
  from channel_members member
  join channels channel on channel.id = member.channel_id
  join message_feeds feed on feed.channel_id = channel.id
  left join message_feed_marks mark on mark.message_feed_id = feed.id and mark.user_id = member.user_id
  cross join lateral (
    select greatest(member.read_to_segment, mark.read_to_segment) as read_to,
      coalesce(mark.delivered_to_segment, 0) as delivered_to,
      -- Live chats are watched, not caught up with: they have no unread count.
      member.membership = 'member' and channel.type <> 'live' and not channel.is_closed and not channel.is_deleted
        and not feed.is_deleted as counts
  ) place
  where member.channel_id = in_channel and member.user_id = reader
$$;
