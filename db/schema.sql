-- The schema as the migrations leave it. Written by `npm run db:schema`; do not edit.

CREATE OR REPLACE FUNCTION public.community_words(display_name text, description text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (setweight(search_words(display_name), 'A'::"char") || setweight(search_words(description), 'B'::"char"));

CREATE OR REPLACE FUNCTION public.create_default_message_feed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into message_feeds (id, channel_id, name, creator_id, last_message_timestamp, created_at, updated_at)
  values (new.id, new.id, 'Default', new.creator_id, new.created_at, new.created_at, new.updated_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION public.message_feeds_before(reader text, in_channel text)
 RETURNS TABLE(message_feed_id text, read_to_segment bigint, delivered_to_segment bigint, last_segment bigint, unread_count bigint, mention_segment bigint, is_deleted boolean, created_at timestamp with time zone, updated_at timestamp with time zone)
 LANGUAGE sql
 STABLE
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.post_words(data json)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (setweight(search_words(COALESCE((data ->> 'title'::text), ''::text)), 'A'::"char") || setweight(search_words(COALESCE((data ->> 'text'::text), ''::text)), 'B'::"char"));

CREATE OR REPLACE FUNCTION public.role_permissions(role_ids text[])
 RETURNS text[]
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(array_agg(distinct permission order by permission), '{}')
  from roles, unnest(permissions) permission
  where role_id = any (role_ids) and not is_deleted
$function$;

CREATE OR REPLACE FUNCTION public.search_query(input text, operator text)
 RETURNS tsquery
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN (SELECT (string_agg(((''''::text || replace(replace(words.word, '\'::text, '\\'::text), ''''::text, ''''''::text)) || ''':*'::text), ((' '::text || search_query.operator) || ' '::text)))::tsquery AS string_agg FROM unnest(tsvector_to_array(search_words(search_query.input))) WITH ORDINALITY words(word, n) WHERE (words.n <= 32));

CREATE OR REPLACE FUNCTION public.search_score(words tsvector, all_of tsquery, any_of tsquery)
 RETURNS double precision
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN ((CASE WHEN (words @@ all_of) THEN 0.5 ELSE (0)::numeric END)::double precision + (ts_rank(words, any_of, 32) / (2)::double precision));

CREATE OR REPLACE FUNCTION public.search_text(input text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN regexp_replace(lower(NORMALIZE("left"(input, 50000), NFKD)), '[\u0300-\u036f]'::text, ''::text, 'g'::text);

CREATE OR REPLACE FUNCTION public.search_words(input text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE STRICT
RETURN to_tsvector('simple'::regconfig, search_text(input));

-- owner: categories
create table categories (
  id text not null,
  name text not null,
  avatar_file_id text,
  metadata json not null default '{}'::json,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint categories_pkey PRIMARY KEY (id),
  constraint categories_name_check CHECK (length(name) <= 1000)
);
CREATE INDEX categories_created ON categories USING btree (created_at, id);
CREATE INDEX categories_name ON categories USING btree (lower(name), id);

-- owner: channels
create table channel_members (
  channel_id text not null,
  user_id text not null,
  membership text not null,
  roles text[] not null default '{}'::text[],
  mute_timeout timestamptz(3),
  joined_at_segment bigint not null default 0,
  read_to_segment bigint not null default 0,
  last_mentioned_segment bigint not null default 0,
  archived_at timestamptz(3),
  last_activity timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint channel_members_pkey PRIMARY KEY (channel_id, user_id),
  constraint channel_members_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id),
  constraint channel_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint channel_members_membership_check CHECK (membership = ANY (ARRAY['none'::text, 'member'::text, 'banned'::text]))
) with (fillfactor=80);
CREATE INDEX channel_members_created ON channel_members USING btree (channel_id, created_at, user_id);
CREATE INDEX channel_members_read ON channel_members USING btree (channel_id, read_to_segment);
CREATE INDEX channel_members_user ON channel_members USING btree (user_id, membership, channel_id);

-- owner: channels
create table channels (
  id text not null,
  channel_id text not null,
  type text not null,
  display_name text,
  avatar_file_id text,
  metadata json not null default '{}'::json,
  tags text[] not null default '{}'::text[],
  is_public boolean not null,
  creator_id text not null,
  community_id text,
  post_id text,
  video_stream_id text,
  room_id text,
  is_distinct boolean not null default false,
  members_key text,
  notification_mode text not null default 'default'::text,
  message_auto_delete_enabled boolean not null default false,
  auto_delete_message_by_flag_limit integer not null default 10,
  mute_timeout timestamptz(3),
  rate_limit integer not null default 0,
  rate_limit_window integer not null default 0,
  rate_limit_timeout timestamptz(3),
  member_count integer not null default 0,
  moderator_member_count integer not null default 0,
  message_count bigint not null default 0,
  last_channel_mention_segment bigint not null default 0,
  is_closed boolean not null default false,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  last_activity timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint channels_pkey PRIMARY KEY (id),
  constraint channel_id_taken UNIQUE (channel_id),
  constraint channels_community_id_key UNIQUE (community_id),
  constraint channels_members_key_key UNIQUE (members_key),
  constraint channels_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES users(id),
  constraint channels_auto_delete_message_by_flag_limit_check CHECK (auto_delete_message_by_flag_limit >= 1 AND auto_delete_message_by_flag_limit <= 1000),
  constraint channels_channel_id_check CHECK (length(channel_id) >= 1 AND length(channel_id) <= 100),
  constraint channels_member_count_check CHECK (member_count >= 0),
  constraint channels_moderator_member_count_check CHECK (moderator_member_count >= 0),
  constraint channels_notification_mode_check CHECK (notification_mode = ANY (ARRAY['default'::text, 'silent'::text, 'subscribe'::text])),
  constraint channels_rate_limit_check CHECK (rate_limit >= 0),
  constraint channels_rate_limit_window_check CHECK (rate_limit_window >= 0),
  constraint channels_type_check CHECK (type = ANY (ARRAY['community'::text, 'live'::text, 'broadcast'::text, 'conversation'::text]))
) with (fillfactor=80);
CREATE INDEX channels_created ON channels USING btree (created_at, id);
CREATE INDEX channels_name ON channels USING btree (lower(display_name), id);
CREATE INDEX channels_room ON channels USING btree (room_id) WHERE room_id IS NOT NULL;
CREATE INDEX channels_stream ON channels USING btree (video_stream_id) WHERE video_stream_id IS NOT NULL;
CREATE TRIGGER channels_default_feed AFTER INSERT ON channels FOR EACH ROW EXECUTE FUNCTION create_default_message_feed();

-- owner: comments
create table comment_segments (
  reference_type text not null,
  reference_id text not null,
  last integer not null,
  constraint comment_segments_pkey PRIMARY KEY (reference_type, reference_id)
);

-- owner: comments
create table comments (
  id text not null,
  comment_id text not null,
  reference_type text not null,
  reference_id text not null,
  target_type text not null,
  target_id text not null,
  parent_id text,
  root_id text not null,
  user_id text not null,
  data_types text[] not null,
  data json not null,
  metadata json not null default '{}'::json,
  attachments json not null default '[]'::json,
  links json not null default '[]'::json,
  mentioned_user_ids text[] not null default '{}'::text[],
  children_number integer not null default 0,
  segment_number integer not null,
  reactions json not null default '{}'::json,
  reactions_count integer not null default 0,
  flag_count integer not null default 0,
  hash_flag json,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  edited_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint comments_pkey PRIMARY KEY (id),
  constraint comments_comment_id UNIQUE (comment_id),
  constraint comments_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES comments(id),
  constraint comments_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint comments_children_number_check CHECK (children_number >= 0),
  constraint comments_comment_id_check CHECK (length(comment_id) >= 1 AND length(comment_id) <= 900),
  constraint comments_flag_count_check CHECK (flag_count >= 0),
  constraint comments_reactions_count_check CHECK (reactions_count >= 0),
  constraint comments_reference_type_check CHECK (reference_type = ANY (ARRAY['post'::text, 'content'::text, 'story'::text])),
  constraint comments_target_type_check CHECK (target_type = ANY (ARRAY['user'::text, 'community'::text, 'content'::text]))
);
CREATE INDEX comments_parent ON comments USING btree (parent_id, created_at, id) WHERE parent_id IS NOT NULL;
CREATE INDEX comments_reference ON comments USING btree (reference_type, reference_id, created_at, id);
CREATE INDEX comments_reference_top ON comments USING btree (reference_type, reference_id, created_at, id) WHERE parent_id IS NULL;
CREATE INDEX comments_user ON comments USING btree (user_id, created_at);

-- owner: communities
create table communities (
  id text not null,
  user_id text not null,
  channel_id text not null,
  display_name text not null,
  description text not null default ''::text,
  avatar_file_id text,
  is_official boolean not null default false,
  is_public boolean not null default true,
  is_discoverable boolean not null default false,
  requires_join_approval boolean not null default false,
  only_admin_can_post boolean not null default false,
  need_approval_on_post_creation boolean not null default false,
  allow_comment_in_story boolean not null default true,
  notification_mode text not null default 'default'::text,
  tags text[] not null default '{}'::text[],
  category_ids text[] not null default '{}'::text[],
  metadata json not null default '{}'::json,
  feed_ids text[] not null,
  event_id text,
  posts_count integer not null default 0,
  members_count integer not null default 0,
  moderator_member_count integer not null default 0,
  flagged_posts_count integer not null default 0,
  flagged_comments_count integer not null default 0,
  trend double precision not null default 0,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint communities_pkey PRIMARY KEY (id),
  constraint communities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint communities_display_name_check CHECK (length(display_name) >= 1 AND length(display_name) <= 1000),
  constraint communities_flagged_comments_count_check CHECK (flagged_comments_count >= 0),
  constraint communities_flagged_posts_count_check CHECK (flagged_posts_count >= 0),
  constraint communities_members_count_check CHECK (members_count >= 0),
  constraint communities_moderator_member_count_check CHECK (moderator_member_count >= 0),
  constraint communities_notification_mode_check CHECK (notification_mode = ANY (ARRAY['default'::text, 'silent'::text, 'subscribe'::text])),
  constraint communities_posts_count_check CHECK (posts_count >= 0),
  constraint communities_trend_check CHECK (trend >= 0::double precision)
);
CREATE INDEX communities_category_ids ON communities USING gin (category_ids);
CREATE INDEX communities_created ON communities USING btree (created_at, id);
CREATE INDEX communities_display_name ON communities USING btree (lower(display_name), id);
CREATE INDEX communities_members_count ON communities USING btree (members_count, id) WHERE NOT is_deleted;
CREATE INDEX communities_tags ON communities USING gin (tags);
CREATE INDEX communities_trend ON communities USING btree (trend, members_count, id) WHERE NOT is_deleted;
CREATE INDEX communities_words ON communities USING gin (community_words(display_name, description)) WHERE NOT is_deleted;

-- owner: communities
create table community_join_requests (
  id text not null,
  community_id text not null,
  user_id text not null,
  status text not null,
  responder_id text,
  responded_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint community_join_requests_pkey PRIMARY KEY (id),
  constraint community_join_requests_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(id),
  constraint community_join_requests_responder_id_fkey FOREIGN KEY (responder_id) REFERENCES users(id),
  constraint community_join_requests_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint community_join_requests_status_check CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'cancelled'::text]))
);
CREATE INDEX community_join_requests_community ON community_join_requests USING btree (community_id, created_at, id);
CREATE UNIQUE INDEX community_join_requests_open ON community_join_requests USING btree (community_id, user_id) WHERE status = 'pending'::text;
CREATE INDEX community_join_requests_user ON community_join_requests USING btree (user_id, created_at, id);

-- owner: communities
create table community_members (
  community_id text not null,
  user_id text not null,
  membership text not null,
  not_member_reason text,
  roles text[] not null default '{}'::text[],
  is_invited boolean not null default false,
  trend_share double precision not null default 0,
  last_activity timestamptz(3) not null,
  last_join timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint community_members_pkey PRIMARY KEY (community_id, user_id),
  constraint community_members_community_id_fkey FOREIGN KEY (community_id) REFERENCES communities(id),
  constraint community_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint community_members_membership_check CHECK (membership = ANY (ARRAY['member'::text, 'banned'::text, 'none'::text]))
);
CREATE INDEX community_members_created ON community_members USING btree (community_id, created_at, user_id);
CREATE INDEX community_members_roles ON community_members USING btree (community_id) WHERE roles <> '{}'::text[];
CREATE INDEX community_members_user ON community_members USING btree (user_id, membership, community_id);

-- owner: analytics
create table content_views (
  content_type text not null,
  content_id text not null,
  user_id text not null,
  first_viewed_at timestamptz(3) not null,
  constraint content_views_pkey PRIMARY KEY (content_type, content_id, user_id),
  constraint content_views_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint content_views_content_type_check CHECK (content_type = ANY (ARRAY['post'::text, 'story'::text]))
);
CREATE INDEX content_views_list ON content_views USING btree (content_type, content_id, first_viewed_at, user_id);
CREATE INDEX content_views_user ON content_views USING btree (user_id);

-- owner: devices
create table devices (
  device_id text not null,
  user_id text not null,
  session_id text not null,
  platform text not null,
  vendor text not null,
  token text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint devices_pkey PRIMARY KEY (device_id),
  constraint devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint devices_device_id_check CHECK (length(device_id) >= 1 AND length(device_id) <= 150),
  constraint devices_platform_check CHECK (platform = ANY (ARRAY['android'::text, 'ios'::text, 'web'::text])),
  constraint devices_token_check CHECK (length(token) >= 1 AND length(token) <= 4000),
  constraint devices_vendor_check CHECK (vendor = ANY (ARRAY['apns'::text, 'fcm'::text, 'web'::text]))
);
CREATE INDEX devices_token ON devices USING btree (md5(token));
CREATE INDEX devices_user ON devices USING btree (user_id, updated_at);

-- owner: events
create table event_responses (
  event_id text not null,
  user_id text not null,
  status text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint event_responses_pkey PRIMARY KEY (event_id, user_id),
  constraint event_responses_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id),
  constraint event_responses_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint event_responses_status_check CHECK (status = ANY (ARRAY['going'::text, 'not_going'::text]))
);
CREATE INDEX event_responses_event ON event_responses USING btree (event_id, created_at, user_id);
CREATE INDEX event_responses_user ON event_responses USING btree (user_id, created_at, event_id);

-- owner: events
create table events (
  id text not null,
  user_id text not null,
  title text not null,
  description text not null default ''::text,
  type text not null,
  cover_image_file_id text,
  location text,
  external_url text,
  tags text[] not null default '{}'::text[],
  metadata json not null default '{}'::json,
  origin_type text not null,
  origin_id text not null,
  discussion_community_id text not null,
  post_id text,
  rsvp_count integer not null default 0,
  start_time timestamptz(3) not null,
  end_time timestamptz(3) not null,
  cancelled_at timestamptz(3),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  is_start_told boolean not null default false,
  remind_at timestamptz(3),
  constraint events_pkey PRIMARY KEY (id),
  constraint events_cover_image_file_id_fkey FOREIGN KEY (cover_image_file_id) REFERENCES files(id),
  constraint events_discussion_community_id_fkey FOREIGN KEY (discussion_community_id) REFERENCES communities(id),
  constraint events_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint events_description_check CHECK (length(description) <= 1000),
  constraint events_ends_after_start CHECK (end_time > start_time),
  constraint events_external_url_check CHECK (length(external_url) <= 200),
  constraint events_location_check CHECK (length(location) <= 100),
  constraint events_origin_type_check CHECK (origin_type = ANY (ARRAY['community'::text, 'user'::text])),
  constraint events_rsvp_count_check CHECK (rsvp_count >= 0),
  constraint events_title_check CHECK (length(title) >= 1 AND length(title) <= 60),
  constraint events_type_check CHECK (type = ANY (ARRAY['virtual'::text, 'in_person'::text]))
);
CREATE INDEX events_created ON events USING btree (created_at, id) WHERE NOT is_deleted;
CREATE INDEX events_origin ON events USING btree (origin_id, start_time, id) WHERE NOT is_deleted;
CREATE INDEX events_reminding ON events USING btree (remind_at) WHERE remind_at IS NOT NULL;
CREATE INDEX events_start ON events USING btree (start_time, id) WHERE NOT is_deleted;
CREATE INDEX events_starting ON events USING btree (start_time) WHERE NOT is_start_told;
CREATE INDEX events_user ON events USING btree (user_id, start_time, id) WHERE NOT is_deleted;

-- owner: feeds
create table feeds (
  id text not null,
  target_type text not null,
  target_id text not null,
  feed_type text not null,
  post_count integer not null default 0,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint feeds_pkey PRIMARY KEY (id),
  constraint feeds_target UNIQUE (target_type, target_id, feed_type),
  constraint feeds_feed_type_check CHECK (feed_type = ANY (ARRAY['published'::text, 'reviewing'::text, 'declined'::text])),
  constraint feeds_post_count_check CHECK (post_count >= 0),
  constraint feeds_target_type_check CHECK (target_type = ANY (ARRAY['community'::text, 'user'::text, 'content'::text]))
);

-- owner: files
create table files (
  id text not null,
  user_id text not null,
  type text not null,
  object_key text not null,
  name text not null,
  extension text not null,
  mime_type text not null,
  size bigint not null,
  metadata json not null default '{}'::json,
  alt_text text,
  access_type text not null default 'public'::text,
  feed_type text,
  status text not null default 'uploaded'::text,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint files_pkey PRIMARY KEY (id),
  constraint files_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint files_access_type_check CHECK (access_type = ANY (ARRAY['public'::text, 'network'::text])),
  constraint files_size_check CHECK (size >= 0),
  constraint files_status_check CHECK (status = ANY (ARRAY['uploaded'::text, 'transcoding'::text, 'transcoded'::text, 'transcodeFailed'::text])),
  constraint files_type_check CHECK (type = ANY (ARRAY['image'::text, 'file'::text, 'video'::text, 'clip'::text, 'audio'::text]))
);
CREATE INDEX files_user ON files USING btree (user_id, created_at);

-- owner: flags
create table flags (
  id text not null,
  reference_type text not null,
  reference_id text not null,
  user_id text not null,
  reason text,
  detail text,
  created_at timestamptz(3) not null,
  constraint flags_pkey PRIMARY KEY (id),
  constraint flags_once UNIQUE (reference_id, reference_type, user_id),
  constraint flags_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint flags_reference_type_check CHECK (reference_type = ANY (ARRAY['user'::text, 'post'::text, 'comment'::text, 'story'::text, 'message'::text]))
);
CREATE INDEX flags_queue ON flags USING btree (reference_type, created_at, id);

-- owner: follows
create table follow_counts (
  user_id text not null,
  follower_count integer not null default 0,
  following_count integer not null default 0,
  pending_count integer not null default 0,
  constraint follow_counts_pkey PRIMARY KEY (user_id),
  constraint follow_counts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint follow_counts_follower_count_check CHECK (follower_count >= 0),
  constraint follow_counts_following_count_check CHECK (following_count >= 0),
  constraint follow_counts_pending_count_check CHECK (pending_count >= 0)
);

-- owner: follows
create table follows (
  from_user_id text not null,
  to_user_id text not null,
  status text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint follows_pkey PRIMARY KEY (from_user_id, to_user_id),
  constraint follows_from_user_id_fkey FOREIGN KEY (from_user_id) REFERENCES users(id),
  constraint follows_to_user_id_fkey FOREIGN KEY (to_user_id) REFERENCES users(id),
  constraint follows_self CHECK (from_user_id <> to_user_id),
  constraint follows_status_check CHECK (status = ANY (ARRAY['pending'::text, 'accepted'::text, 'none'::text]))
);
CREATE INDEX follows_followers ON follows USING btree (to_user_id, created_at, from_user_id) WHERE status <> 'none'::text;
CREATE INDEX follows_following ON follows USING btree (from_user_id, created_at, to_user_id) WHERE status <> 'none'::text;
CREATE INDEX follows_requested ON follows USING btree (from_user_id, created_at, to_user_id) WHERE status = 'pending'::text;
CREATE INDEX follows_requests ON follows USING btree (to_user_id, created_at, from_user_id) WHERE status = 'pending'::text;

-- owner: invitations
create table invitations (
  id text not null,
  type text not null,
  target_type text not null,
  target_id text not null,
  user_id text not null,
  created_by text not null,
  status text not null,
  responded_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(id),
  constraint invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint invitations_status_check CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'cancelled'::text]))
);
CREATE INDEX invitations_created_by ON invitations USING btree (created_by, created_at, id);
CREATE UNIQUE INDEX invitations_open ON invitations USING btree (type, target_id, user_id) WHERE status = 'pending'::text;
CREATE INDEX invitations_target ON invitations USING btree (target_type, target_id, created_at, id);
CREATE INDEX invitations_user ON invitations USING btree (user_id, created_at, id);

-- owner: streams
create table live_players (
  name text not null,
  node text not null,
  players integer not null,
  seen_at timestamptz(3) not null,
  constraint live_players_pkey PRIMARY KEY (name, node),
  constraint live_players_players_check CHECK (players > 0)
);

-- owner: markers
create table message_feed_marks (
  message_feed_id text not null,
  user_id text not null,
  channel_id text not null,
  read_to_segment bigint not null default 0,
  delivered_to_segment bigint not null default 0,
  reading_until timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint message_feed_marks_pkey PRIMARY KEY (message_feed_id, user_id),
  constraint message_feed_marks_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id),
  constraint message_feed_marks_message_feed_id_fkey FOREIGN KEY (message_feed_id) REFERENCES message_feeds(id),
  constraint message_feed_marks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint message_feed_marks_check CHECK (delivered_to_segment >= read_to_segment)
) with (fillfactor=80);
CREATE INDEX message_feed_marks_delivered ON message_feed_marks USING btree (message_feed_id, delivered_to_segment);
CREATE INDEX message_feed_marks_user ON message_feed_marks USING btree (user_id, channel_id);

-- owner: message-feeds
create table message_feeds (
  id text not null,
  channel_id text not null,
  name text not null,
  creator_id text not null,
  child_count integer not null default 0,
  last_message_timestamp timestamptz(3) not null,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  edited_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint message_feeds_pkey PRIMARY KEY (id),
  constraint message_feeds_channel_id_fkey FOREIGN KEY (channel_id) REFERENCES channels(id),
  constraint message_feeds_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES users(id),
  constraint message_feeds_child_count_check CHECK (child_count >= 0),
  constraint message_feeds_name_check CHECK (length(name) <= 100)
) with (fillfactor=80);
CREATE INDEX message_feeds_channel ON message_feeds USING btree (channel_id);
CREATE INDEX message_feeds_creator ON message_feeds USING btree (creator_id);

-- owner: messages
create table messages (
  id text not null,
  message_id text,
  reference_id text,
  channel_id text not null,
  message_feed_id text not null,
  segment bigint not null,
  creator_id text not null,
  parent_id text,
  data_type text not null,
  data json not null default '{}'::json,
  metadata json not null default '{}'::json,
  file_id text,
  thumbnail_file_id text,
  tags text[] not null default '{}'::text[],
  mentioned_user_ids text[] not null default '{}'::text[],
  mentions_channel boolean not null default false,
  child_count integer not null default 0,
  flag_count integer not null default 0,
  hash_flag json,
  reactions json not null default '{}'::json,
  reaction_count integer not null default 0,
  latest_reaction json,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  edited_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint messages_pkey PRIMARY KEY (id),
  constraint messages_child_count_check CHECK (child_count >= 0),
  constraint messages_data_type_check CHECK (data_type = ANY (ARRAY['text'::text, 'image'::text, 'file'::text, 'custom'::text, 'video'::text, 'audio'::text, 'imagemap'::text])),
  constraint messages_flag_count_check CHECK (flag_count >= 0),
  constraint messages_message_id_check CHECK (length(message_id) >= 1 AND length(message_id) <= 150),
  constraint messages_reaction_count_check CHECK (reaction_count >= 0)
);
CREATE UNIQUE INDEX message_id_taken ON messages USING btree (message_id) WHERE message_id IS NOT NULL;
CREATE INDEX messages_creator ON messages USING btree (creator_id, channel_id, segment);
CREATE INDEX messages_deleted ON messages USING btree (message_feed_id, segment) INCLUDE (creator_id) WHERE is_deleted;
CREATE INDEX messages_feed ON messages USING btree (message_feed_id, segment);
CREATE INDEX messages_flagged ON messages USING btree (channel_id, segment) WHERE flag_count > 0;
CREATE INDEX messages_mentioning ON messages USING btree (channel_id, segment) WHERE mentions_channel OR mentioned_user_ids <> '{}'::text[];
CREATE INDEX messages_parent ON messages USING btree (parent_id, segment) WHERE parent_id IS NOT NULL;
CREATE INDEX messages_reacted ON messages USING btree (reaction_count DESC, id DESC) WHERE reaction_count > 0;
CREATE UNIQUE INDEX messages_reference ON messages USING btree (channel_id, creator_id, reference_id) WHERE reference_id IS NOT NULL;
CREATE UNIQUE INDEX messages_segment ON messages USING btree (channel_id, segment);

-- owner: moderation
create table moderation_mutes (
  user_id text not null,
  muted_until timestamptz(3) not null,
  constraint moderation_mutes_pkey PRIMARY KEY (user_id),
  constraint moderation_mutes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

-- owner: moderation
create table moderation_repetitions (
  user_id text not null,
  text_hash bytea not null,
  times integer not null,
  started_at timestamptz(3) not null,
  constraint moderation_repetitions_pkey PRIMARY KEY (user_id, text_hash),
  constraint moderation_repetitions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX moderation_repetitions_started ON moderation_repetitions USING btree (started_at);

-- owner: moderation
create table moderation_rules (
  id text not null,
  list text not null,
  pattern text not null,
  is_match_exact_word boolean not null default false,
  is_enabled boolean not null default true,
  is_deleted boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint moderation_rules_pkey PRIMARY KEY (id),
  constraint moderation_rules_pattern UNIQUE (list, pattern),
  constraint moderation_rules_list_check CHECK (list = ANY (ARRAY['block'::text, 'allow'::text])),
  constraint moderation_rules_pattern_check CHECK (length(pattern) >= 1 AND length(pattern) <= 500)
);
CREATE INDEX moderation_rules_list ON moderation_rules USING btree (list, created_at, id) WHERE NOT is_deleted;

-- owner: moderation
create table moderation_settings (
  id boolean not null default true,
  max_repetition integer not null default 0,
  max_repetition_timeout bigint not null default 0,
  blacklist_mute_timeout bigint not null default 0,
  whitelist_mute_timeout bigint not null default 0,
  max_repetition_mute_timeout bigint not null default 0,
  image_moderation json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint moderation_settings_pkey PRIMARY KEY (id),
  constraint moderation_settings_blacklist_mute_timeout_check CHECK (blacklist_mute_timeout >= 0),
  constraint moderation_settings_id_check CHECK (id),
  constraint moderation_settings_max_repetition_check CHECK (max_repetition >= 0),
  constraint moderation_settings_max_repetition_mute_timeout_check CHECK (max_repetition_mute_timeout >= 0),
  constraint moderation_settings_max_repetition_timeout_check CHECK (max_repetition_timeout >= 0),
  constraint moderation_settings_whitelist_mute_timeout_check CHECK (whitelist_mute_timeout >= 0)
);

-- owner: network
create table network_keys (
  key text not null,
  kind text not null,
  created_at timestamptz(3) not null,
  constraint network_keys_pkey PRIMARY KEY (key),
  constraint network_keys_kind_check CHECK (kind = ANY (ARRAY['api'::text, 'server'::text]))
);

-- owner: network-settings
create table network_settings (
  section text not null,
  value json not null,
  updated_at timestamptz(3) not null,
  constraint network_settings_pkey PRIMARY KEY (section)
);

-- owner: notification-settings
create table notification_settings (
  user_id text not null,
  level text not null,
  target_id text not null default ''::text,
  is_push_notifiable boolean,
  events json not null default '{}'::json,
  updated_at timestamptz(3) not null,
  constraint notification_settings_pkey PRIMARY KEY (user_id, level, target_id),
  constraint notification_settings_level_check CHECK (level = ANY (ARRAY['network'::text, 'user'::text, 'channel'::text, 'community'::text]))
);

-- owner: notification-tray
create table notification_tray_acts (
  item_id text not null,
  object_type text not null,
  object_id text not null,
  actor_id text not null,
  acted_at timestamptz(3) not null,
  constraint notification_tray_acts_pkey PRIMARY KEY (item_id, object_id),
  constraint notification_tray_acts_actor_id_fkey FOREIGN KEY (actor_id) REFERENCES users(id),
  constraint notification_tray_acts_item_id_fkey FOREIGN KEY (item_id) REFERENCES notification_tray_items(id) ON DELETE CASCADE,
  constraint notification_tray_acts_object_type_check CHECK (object_type = ANY (ARRAY['post'::text, 'comment'::text, 'reaction'::text, 'follow'::text, 'followRequest'::text, 'followAcceptance'::text, 'joinRequest'::text, 'joinResponse'::text, 'event'::text, 'invitation'::text]))
);
CREATE INDEX notification_tray_acts_latest ON notification_tray_acts USING btree (item_id, acted_at);

-- owner: notification-tray
create table notification_tray_item_seen (
  user_id text not null,
  item_id text not null,
  last_seen_at timestamptz(3) not null,
  constraint notification_tray_item_seen_pkey PRIMARY KEY (user_id, item_id),
  constraint notification_tray_item_seen_item_id_fkey FOREIGN KEY (item_id) REFERENCES notification_tray_items(id) ON DELETE CASCADE,
  constraint notification_tray_item_seen_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX notification_tray_item_seen_item ON notification_tray_item_seen USING btree (item_id);

-- owner: notification-tray
create table notification_tray_items (
  id text not null,
  audience_type text not null,
  audience_id text not null,
  kind text not null,
  subject_id text not null,
  day date not null,
  target_type text not null,
  target_id text not null,
  reference_type text,
  reference_id text,
  action_reference_id text,
  parent_id text,
  root_id text,
  last_occurred_at timestamptz(3) not null,
  constraint notification_tray_items_pkey PRIMARY KEY (id),
  constraint notification_tray_items_gathered UNIQUE (audience_type, audience_id, kind, subject_id, day),
  constraint notification_tray_items_audience_type_check CHECK (audience_type = ANY (ARRAY['user'::text, 'community'::text]))
);
CREATE INDEX notification_tray_items_list ON notification_tray_items USING btree (audience_type, audience_id, last_occurred_at, id);
CREATE INDEX notification_tray_items_old ON notification_tray_items USING btree (last_occurred_at);

-- owner: notification-tray
create table notification_tray_seen (
  user_id text not null,
  last_seen_at timestamptz(3) not null,
  constraint notification_tray_seen_pkey PRIMARY KEY (user_id),
  constraint notification_tray_seen_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

-- owner: kernel/outbox
create table outbox_dead_letters (
  id text not null,
  sink text not null,
  position bigint not null,
  name text not null,
  error text not null,
  failed_at timestamptz(3) not null,
  constraint outbox_dead_letters_pkey PRIMARY KEY (id, sink)
);

-- owner: kernel/outbox
create table outbox_events (
  seq bigint not null generated always as identity,
  position bigint,
  id text not null,
  name text not null,
  audiences text[] not null,
  actor_id text,
  subject json not null,
  created_at timestamptz(3) not null
);
CREATE UNIQUE INDEX outbox_events_position ON outbox_events USING btree ("position") WHERE "position" IS NOT NULL;
CREATE INDEX outbox_events_unsequenced ON outbox_events USING btree (seq) WHERE "position" IS NULL;

-- owner: kernel/outbox
create table outbox_head (
  only_row boolean not null default true,
  position bigint not null default 0,
  handled bigint not null default 0,
  constraint outbox_head_pkey PRIMARY KEY (only_row),
  constraint outbox_head_only_row_check CHECK (only_row)
);

-- owner: posts
create table pin_targets (
  target_id text not null,
  target_type text not null,
  last_pins_updated_at timestamptz(3) not null,
  constraint pin_targets_pkey PRIMARY KEY (target_id),
  constraint pin_targets_target_type_check CHECK (target_type = ANY (ARRAY['community'::text, 'network'::text]))
);

-- owner: posts
create table pinned_posts (
  target_id text not null,
  target_type text not null,
  placement text not null,
  post_id text not null,
  pinned_by text not null,
  pinned_at timestamptz(3) not null,
  constraint pinned_posts_pkey PRIMARY KEY (target_id, placement, post_id),
  constraint pinned_posts_pinned_by_fkey FOREIGN KEY (pinned_by) REFERENCES users(id),
  constraint pinned_posts_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(id),
  constraint pinned_posts_placement_check CHECK (placement = ANY (ARRAY['default'::text, 'announcement'::text, 'global'::text])),
  constraint pinned_posts_target_type_check CHECK (target_type = ANY (ARRAY['community'::text, 'network'::text]))
);
CREATE INDEX pinned_posts_post ON pinned_posts USING btree (post_id);

-- owner: polls
create table poll_answers (
  id text not null,
  poll_id text not null,
  position integer not null,
  data_type text not null,
  data text not null,
  file_id text,
  vote_count integer not null default 0,
  constraint poll_answers_pkey PRIMARY KEY (id),
  constraint poll_answers_of_poll UNIQUE (poll_id, id),
  constraint poll_answers_position UNIQUE (poll_id, "position"),
  constraint poll_answers_file_id_fkey FOREIGN KEY (file_id) REFERENCES files(id),
  constraint poll_answers_poll_id_fkey FOREIGN KEY (poll_id) REFERENCES polls(id),
  constraint poll_answers_data_check CHECK (length(data) <= 200),
  constraint poll_answers_data_type_check CHECK (data_type = ANY (ARRAY['text'::text, 'image'::text])),
  constraint poll_answers_picture CHECK (data_type = 'text'::text OR file_id IS NOT NULL),
  constraint poll_answers_vote_count_check CHECK (vote_count >= 0)
);

-- owner: polls
create table poll_votes (
  poll_id text not null,
  user_id text not null,
  answer_id text not null,
  created_at timestamptz(3) not null,
  constraint poll_votes_pkey PRIMARY KEY (poll_id, user_id, answer_id),
  constraint poll_votes_poll_id_answer_id_fkey FOREIGN KEY (poll_id, answer_id) REFERENCES poll_answers(poll_id, id),
  constraint poll_votes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX poll_votes_answer ON poll_votes USING btree (answer_id, created_at, user_id);

-- owner: polls
create table polls (
  id text not null,
  user_id text not null,
  title text,
  question text not null,
  answer_type text not null,
  closed_in bigint,
  closed_at timestamptz(3),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  is_closing_told boolean not null default false,
  constraint polls_pkey PRIMARY KEY (id),
  constraint polls_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint polls_answer_type_check CHECK (answer_type = ANY (ARRAY['single'::text, 'multiple'::text])),
  constraint polls_closed_in_check CHECK (closed_in > 0),
  constraint polls_question_check CHECK (length(question) >= 1 AND length(question) <= 500),
  constraint polls_title_check CHECK (length(title) <= 500)
);
CREATE INDEX polls_closing ON polls USING btree (closed_at) WHERE NOT is_closing_told AND closed_at IS NOT NULL;

-- owner: posts
create table post_hashtags (
  hashtag text not null,
  created_at timestamptz(3) not null,
  post_id text not null,
  constraint post_hashtags_pkey PRIMARY KEY (hashtag, created_at, post_id),
  constraint post_hashtags_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(id)
);
CREATE INDEX post_hashtags_post ON post_hashtags USING btree (post_id);

-- owner: posts
create table post_versions (
  post_id text not null,
  version integer not null,
  data json not null,
  metadata json not null,
  tags text[] not null,
  hashtags text[] not null,
  mentioned_user_ids text[] not null,
  links json not null,
  children text[] not null,
  edited_by text not null,
  edited_at timestamptz(3) not null,
  constraint post_versions_pkey PRIMARY KEY (post_id, version),
  constraint post_versions_edited_by_fkey FOREIGN KEY (edited_by) REFERENCES users(id),
  constraint post_versions_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts(id)
);

-- owner: posts
create table posts (
  id text not null,
  parent_post_id text,
  target_type text not null,
  target_id text not null,
  feed_id text not null,
  feed_type text not null,
  posted_user_id text not null,
  data_type text not null,
  structure_type text not null,
  data json not null,
  metadata json not null default '{}'::json,
  tags text[] not null default '{}'::text[],
  hashtags text[] not null default '{}'::text[],
  mentioned_user_ids text[] not null default '{}'::text[],
  links json not null default '[]'::json,
  children text[] not null default '{}'::text[],
  attached_types text[] not null default '{}'::text[],
  product_tags json not null default '[]'::json,
  pinned_product_id text,
  reactions json not null default '{}'::json,
  reactions_count integer not null default 0,
  comments_count integer not null default 0,
  flag_count integer not null default 0,
  flagged_comments_count integer not null default 0,
  flagged_children_count integer not null default 0,
  hash_flag json,
  shared_count integer not null default 0,
  impression integer not null default 0,
  reach integer not null default 0,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  is_erased boolean not null default false,
  published_at timestamptz(3),
  edited_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint posts_pkey PRIMARY KEY (id),
  constraint posts_feed_id_fkey FOREIGN KEY (feed_id) REFERENCES feeds(id),
  constraint posts_parent_post_id_fkey FOREIGN KEY (parent_post_id) REFERENCES posts(id),
  constraint posts_posted_user_id_fkey FOREIGN KEY (posted_user_id) REFERENCES users(id),
  constraint posts_comments_count_check CHECK (comments_count >= 0),
  constraint posts_data_type_check CHECK (length(data_type) <= 900),
  constraint posts_feed_type_check CHECK (feed_type = ANY (ARRAY['published'::text, 'reviewing'::text, 'declined'::text])),
  constraint posts_flag_count_check CHECK (flag_count >= 0),
  constraint posts_flagged_children_count_check CHECK (flagged_children_count >= 0),
  constraint posts_flagged_comments_count_check CHECK (flagged_comments_count >= 0),
  constraint posts_impression_check CHECK (impression >= 0),
  constraint posts_reach_check CHECK (reach >= 0),
  constraint posts_reactions_count_check CHECK (reactions_count >= 0),
  constraint posts_shared_count_check CHECK (shared_count >= 0),
  constraint posts_target_type_check CHECK (target_type = ANY (ARRAY['user'::text, 'community'::text, 'content'::text]))
);
CREATE INDEX posts_content ON posts USING btree (created_at, id) WHERE parent_post_id IS NULL AND NOT is_deleted AND feed_type = 'published'::text AND target_type = 'content'::text;
CREATE INDEX posts_everywhere ON posts USING btree (created_at, id) WHERE parent_post_id IS NULL AND NOT is_deleted AND feed_type = 'published'::text AND target_type <> 'content'::text;
CREATE INDEX posts_feed ON posts USING btree (feed_id, created_at, id);
CREATE INDEX posts_page ON posts USING btree (target_id, created_at, id) WHERE parent_post_id IS NULL AND NOT is_deleted AND feed_type = 'published'::text AND target_type <> 'content'::text;
CREATE INDEX posts_page_attached ON posts USING btree (target_id, data_type, created_at, id) WHERE parent_post_id IS NOT NULL AND NOT is_deleted AND feed_type = 'published'::text AND target_type <> 'content'::text;
CREATE INDEX posts_page_structure ON posts USING btree (target_id, structure_type, created_at, id) WHERE parent_post_id IS NULL AND NOT is_deleted AND feed_type = 'published'::text AND target_type <> 'content'::text;
CREATE INDEX posts_page_updated ON posts USING btree (target_id, updated_at, id) WHERE parent_post_id IS NULL AND NOT is_deleted AND feed_type = 'published'::text AND target_type <> 'content'::text;
CREATE INDEX posts_parent ON posts USING btree (parent_post_id) WHERE parent_post_id IS NOT NULL;
CREATE INDEX posts_poll ON posts USING btree ((data ->> 'pollId'::text)) WHERE data_type = 'poll'::text;
CREATE INDEX posts_posted_user ON posts USING btree (posted_user_id, created_at, id);
CREATE INDEX posts_words ON posts USING gin (post_words(data)) WHERE parent_post_id IS NULL AND NOT is_deleted AND feed_type = 'published'::text;

-- owner: presence
create table presence_choices (
  user_id text not null,
  is_enabled boolean not null,
  enabled_at timestamptz(3),
  updated_at timestamptz(3) not null,
  constraint presence_choices_pkey PRIMARY KEY (user_id),
  constraint presence_choices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

-- owner: push
create table push_deliveries (
  id bigint not null generated always as identity,
  notice_id text not null,
  device_id text not null,
  vendor text not null,
  attempts integer not null default 0,
  next_attempt_at timestamptz(3) not null,
  constraint push_deliveries_pkey PRIMARY KEY (id),
  constraint push_deliveries_notice_id_device_id_key UNIQUE (notice_id, device_id),
  constraint push_deliveries_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(device_id) ON DELETE CASCADE,
  constraint push_deliveries_notice_id_fkey FOREIGN KEY (notice_id) REFERENCES push_notices(id) ON DELETE CASCADE
);
CREATE INDEX push_deliveries_device ON push_deliveries USING btree (device_id);
CREATE INDEX push_deliveries_due ON push_deliveries USING btree (vendor, next_attempt_at);

-- owner: push
create table push_keys (
  kind text not null,
  public_key text not null,
  private_key text not null,
  created_at timestamptz(3) not null,
  constraint push_keys_pkey PRIMARY KEY (kind),
  constraint push_keys_kind_check CHECK (kind = 'vapid'::text)
);

-- owner: push
create table push_notices (
  id text not null,
  event_name text not null,
  actor_id text,
  audience_type text not null,
  audience_id text,
  user_ids text[] not null default '{}'::text[],
  without_user_ids text[] not null default '{}'::text[],
  target_type text,
  target_id text,
  setting_names text[] not null,
  actor_roles text[] not null,
  object_id text,
  post_id text,
  message_feed_id text,
  segment bigint,
  title text not null,
  body text not null,
  data json not null,
  collapse_key text not null,
  is_spread boolean not null default false,
  created_at timestamptz(3) not null,
  constraint push_notices_pkey PRIMARY KEY (id),
  constraint push_notices_audience_type_check CHECK (audience_type = ANY (ARRAY['users'::text, 'community'::text, 'channel'::text]))
);
CREATE INDEX push_notices_created ON push_notices USING btree (created_at);
CREATE INDEX push_notices_object ON push_notices USING btree (object_id) WHERE object_id IS NOT NULL;
CREATE INDEX push_notices_waiting ON push_notices USING btree (created_at) WHERE NOT is_spread;

-- owner: reactions
create table reactions (
  id text not null,
  reference_type text not null,
  reference_id text not null,
  user_id text not null,
  name text not null,
  created_at timestamptz(3) not null,
  constraint reactions_pkey PRIMARY KEY (id),
  constraint reactions_once UNIQUE (reference_id, reference_type, user_id, name),
  constraint reactions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint reactions_name_check CHECK (length(name) >= 1 AND length(name) <= 100),
  constraint reactions_reference_type_check CHECK (reference_type = ANY (ARRAY['post'::text, 'comment'::text, 'story'::text, 'message'::text]))
);
CREATE INDEX reactions_reference ON reactions USING btree (reference_type, reference_id, created_at, id);
CREATE INDEX reactions_user ON reactions USING btree (user_id, created_at);

-- owner: roles
create table roles (
  id text not null,
  role_id text not null,
  display_name text not null,
  permissions text[] not null,
  is_built_in boolean not null default false,
  is_deleted boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint roles_pkey PRIMARY KEY (id),
  constraint roles_role_id_key UNIQUE (role_id),
  constraint roles_role_id_check CHECK (length(role_id) <= 100)
);

-- owner: rooms
create table room_participants (
  room_id text not null,
  user_id text not null,
  type text not null,
  can_manage_product_tags boolean not null,
  is_on_stage boolean not null default false,
  is_publishing boolean not null default false,
  created_at timestamptz(3) not null,
  constraint room_participants_pkey PRIMARY KEY (room_id, user_id),
  constraint room_participants_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  constraint room_participants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint room_participants_type_check CHECK (type = ANY (ARRAY['host'::text, 'coHost'::text]))
);
CREATE INDEX room_participants_user ON room_participants USING btree (user_id);

-- owner: presence
create unlogged table room_presences (
  room_id text not null,
  user_id text not null,
  joined_at timestamptz(3) not null,
  last_heartbeat timestamptz(3) not null,
  constraint room_presences_pkey PRIMARY KEY (room_id, user_id),
  constraint room_presences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
) with (fillfactor=70);
CREATE INDEX room_presences_heartbeat ON room_presences USING btree (room_id, last_heartbeat);
CREATE INDEX room_presences_stale ON room_presences USING btree (last_heartbeat);

-- owner: rooms
create table room_recordings (
  room_id text not null,
  name text not null,
  kind text not null,
  part integer not null,
  object_key text not null,
  content_type text not null,
  size bigint not null,
  duration double precision not null,
  start_time timestamptz(3) not null,
  stop_time timestamptz(3) not null,
  missing text[] not null default '{}'::text[],
  constraint room_recordings_pkey PRIMARY KEY (room_id, name),
  constraint room_recordings_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  constraint room_recordings_kind_check CHECK (kind = ANY (ARRAY['flv'::text, 'mp4'::text, 'm3u8'::text, 'segments'::text, 'picture'::text])),
  constraint room_recordings_part_check CHECK (part > 0)
);

-- owner: rooms
create table room_watch_sessions (
  room_id text not null,
  user_id text not null,
  session_id text not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3) not null,
  watch_seconds double precision not null,
  seen_at timestamptz(3) not null,
  constraint room_watch_sessions_pkey PRIMARY KEY (room_id, user_id, session_id),
  constraint room_watch_sessions_room_id_fkey FOREIGN KEY (room_id) REFERENCES rooms(id),
  constraint room_watch_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint room_watch_sessions_watch_seconds_check CHECK (watch_seconds >= 0::double precision)
);

-- owner: rooms
create table rooms (
  id text not null,
  user_id text not null,
  parent_id text,
  type text not null,
  title text not null,
  description text,
  thumbnail_file_id text,
  metadata json not null default '{}'::json,
  live_chat_enabled boolean not null,
  status text not null default 'idle'::text,
  stream_key text,
  egress_id text,
  has_media boolean not null default false,
  live_at timestamptz(3),
  ended_at timestamptz(3),
  recorded_at timestamptz(3),
  seen_at timestamptz(3),
  post_id text,
  child_post_id text,
  target_type text,
  target_id text,
  moderation_id text not null,
  flag_labels json not null default '[]'::json,
  terminate_labels json not null default '[]'::json,
  moderated_at timestamptz(3),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  deleted_by text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint rooms_pkey PRIMARY KEY (id),
  constraint rooms_deleted_by_fkey FOREIGN KEY (deleted_by) REFERENCES users(id),
  constraint rooms_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES rooms(id),
  constraint rooms_thumbnail_file_id_fkey FOREIGN KEY (thumbnail_file_id) REFERENCES files(id),
  constraint rooms_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint rooms_description_check CHECK (length(description) <= 5000),
  constraint rooms_status_check CHECK (status = ANY (ARRAY['idle'::text, 'live'::text, 'waitingReconnect'::text, 'ended'::text, 'recorded'::text, 'terminated'::text, 'error'::text])),
  constraint rooms_title_check CHECK (length(title) <= 1000),
  constraint rooms_type_check CHECK (type = ANY (ARRAY['directStreaming'::text, 'coHosts'::text]))
);
CREATE INDEX rooms_created ON rooms USING btree (created_at, id) WHERE parent_id IS NULL;
CREATE INDEX rooms_live ON rooms USING btree (created_at, id) WHERE status = ANY (ARRAY['live'::text, 'waitingReconnect'::text]);
CREATE INDEX rooms_parent ON rooms USING btree (parent_id) WHERE parent_id IS NOT NULL;

-- owner: scheduled-posts
create table scheduled_posts (
  id text not null,
  user_id text not null,
  post_id text not null,
  post_data json not null,
  post json not null,
  scheduled_at timestamptz(3) not null,
  state text not null default 'waiting'::text,
  failure text,
  attempts integer not null default 0,
  retry_at timestamptz(3),
  ended_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint scheduled_posts_pkey PRIMARY KEY (id),
  constraint scheduled_posts_post UNIQUE (post_id),
  constraint scheduled_posts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint scheduled_posts_end CHECK ((ended_at IS NULL) = (state = 'waiting'::text)),
  constraint scheduled_posts_failure CHECK ((failure IS NULL) = (state <> 'failed'::text)),
  constraint scheduled_posts_state_check CHECK (state = ANY (ARRAY['waiting'::text, 'published'::text, 'failed'::text]))
);
CREATE INDEX scheduled_posts_due ON scheduled_posts USING btree (scheduled_at, id) WHERE state = 'waiting'::text;
CREATE INDEX scheduled_posts_ended ON scheduled_posts USING btree (ended_at) WHERE state <> 'waiting'::text;
CREATE INDEX scheduled_posts_list ON scheduled_posts USING btree (scheduled_at, id);
CREATE INDEX scheduled_posts_user ON scheduled_posts USING btree (user_id, scheduled_at, id);

-- owner: sessions
create table sessions (
  id text not null,
  user_id text not null,
  device_id text,
  device_info json not null default '{}'::json,
  refresh_hash text,
  expires_at timestamptz(3) not null,
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_refresh_hash_key UNIQUE (refresh_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_device ON sessions USING btree (device_id) WHERE revoked_at IS NULL;
CREATE INDEX sessions_every ON sessions USING btree (user_id);
CREATE INDEX sessions_expired ON sessions USING btree (expires_at);
CREATE INDEX sessions_user ON sessions USING btree (user_id, device_id) WHERE revoked_at IS NULL;

-- owner: network
create table signing_keys (
  key_id text not null,
  algorithm text not null,
  private_jwk json not null,
  public_jwk json not null,
  created_at timestamptz(3) not null,
  retired_at timestamptz(3),
  constraint signing_keys_pkey PRIMARY KEY (key_id)
);

-- owner: stories
create table stories (
  id text not null,
  creator_id text not null,
  reference_id text not null,
  target_type text not null,
  target_id text not null,
  data_type text not null,
  data json not null,
  items json not null default '[]'::json,
  metadata json not null default '{}'::json,
  reactions json not null default '{}'::json,
  reactions_count integer not null default 0,
  comments_count integer not null default 0,
  flag_count integer not null default 0,
  flagged_comments_count integer not null default 0,
  hash_flag json,
  impression integer not null default 0,
  reach integer not null default 0,
  is_deleted boolean not null default false,
  is_erased boolean not null default false,
  deleted_at timestamptz(3),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint stories_pkey PRIMARY KEY (id),
  constraint stories_reference UNIQUE (creator_id, reference_id),
  constraint stories_creator_id_fkey FOREIGN KEY (creator_id) REFERENCES users(id),
  constraint stories_target_type_target_id_fkey FOREIGN KEY (target_type, target_id) REFERENCES story_targets(target_type, target_id),
  constraint stories_comments_count_check CHECK (comments_count >= 0),
  constraint stories_data_type_check CHECK (data_type = ANY (ARRAY['text'::text, 'image'::text, 'video'::text])),
  constraint stories_flag_count_check CHECK (flag_count >= 0),
  constraint stories_flagged_comments_count_check CHECK (flagged_comments_count >= 0),
  constraint stories_reactions_count_check CHECK (reactions_count >= 0),
  constraint stories_reference_id_check CHECK (length(reference_id) <= 200)
);
CREATE INDEX stories_expires ON stories USING btree (target_type, target_id, expires_at) WHERE NOT is_deleted;

-- owner: stories
create table story_seen (
  user_id text not null,
  target_type text not null,
  target_id text not null,
  last_expires_at timestamptz(3) not null,
  constraint story_seen_pkey PRIMARY KEY (user_id, target_type, target_id),
  constraint story_seen_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

-- owner: stories
create table story_targets (
  target_type text not null,
  target_id text not null,
  last_expires_at timestamptz(3) not null,
  constraint story_targets_pkey PRIMARY KEY (target_type, target_id),
  constraint story_targets_target_type_check CHECK (target_type = ANY (ARRAY['community'::text, 'user'::text]))
);

-- owner: follows
create table user_blocks (
  from_user_id text not null,
  to_user_id text not null,
  created_at timestamptz(3) not null,
  constraint user_blocks_pkey PRIMARY KEY (from_user_id, to_user_id),
  constraint user_blocks_from_user_id_fkey FOREIGN KEY (from_user_id) REFERENCES users(id),
  constraint user_blocks_to_user_id_fkey FOREIGN KEY (to_user_id) REFERENCES users(id),
  constraint user_blocks_self CHECK (from_user_id <> to_user_id)
);
CREATE INDEX user_blocks_list ON user_blocks USING btree (from_user_id, created_at, to_user_id);
CREATE INDEX user_blocks_to ON user_blocks USING btree (to_user_id);

-- owner: presence
create unlogged table user_presences (
  user_id text not null,
  last_heartbeat timestamptz(3) not null,
  constraint user_presences_pkey PRIMARY KEY (user_id),
  constraint user_presences_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
) with (fillfactor=70);
CREATE INDEX user_presences_heartbeat ON user_presences USING btree (last_heartbeat);

-- owner: users
create table users (
  id text not null,
  user_id text not null,
  kind text not null default 'signed-in'::text,
  display_name text,
  profile_handle text,
  description text not null default ''::text,
  avatar_file_id text,
  avatar_custom_url text,
  roles text[] not null default '{}'::text[],
  metadata json not null default '{}'::json,
  tags text[] not null default '{}'::text[],
  flag_count integer not null default 0,
  is_global_ban boolean not null default false,
  is_brand boolean not null default false,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  hash_flag json,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_user_id_key UNIQUE (user_id),
  constraint users_flag_count_check CHECK (flag_count >= 0),
  constraint users_kind_check CHECK (kind = ANY (ARRAY['signed-in'::text, 'visitor'::text, 'bot'::text])),
  constraint users_user_id_check CHECK (length(user_id) >= 1 AND length(user_id) <= 50)
);
CREATE INDEX users_created ON users USING btree (created_at, id) WHERE NOT is_deleted;
CREATE INDEX users_display_name ON users USING btree (lower(display_name), id) WHERE NOT is_deleted;
CREATE INDEX users_flagged ON users USING btree (created_at, id) WHERE flag_count > 0;
CREATE INDEX users_guests ON users USING btree (id) WHERE kind <> 'signed-in'::text;
CREATE UNIQUE INDEX users_profile_handle ON users USING btree (lower(profile_handle)) WHERE profile_handle IS NOT NULL;

-- owner: streams
create table video_stream_bans (
  stream_id text not null,
  user_id text not null,
  banned_by text not null,
  created_at timestamptz(3) not null,
  constraint video_stream_bans_pkey PRIMARY KEY (stream_id, user_id),
  constraint video_stream_bans_banned_by_fkey FOREIGN KEY (banned_by) REFERENCES users(id),
  constraint video_stream_bans_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES video_streams(id),
  constraint video_stream_bans_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

-- owner: streams
create table video_stream_moderations (
  id text not null,
  stream_id text not null,
  flag_labels json not null default '[]'::json,
  terminate_labels json not null default '[]'::json,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint video_stream_moderations_pkey PRIMARY KEY (id),
  constraint video_stream_moderations_stream_id_key UNIQUE (stream_id),
  constraint video_stream_moderations_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES video_streams(id)
);

-- owner: streams
create table video_stream_recordings (
  stream_id text not null,
  name text not null,
  kind text not null,
  part integer not null,
  object_key text not null,
  content_type text not null,
  size bigint not null,
  duration double precision not null,
  start_time timestamptz(3) not null,
  stop_time timestamptz(3) not null,
  missing text[] not null default '{}'::text[],
  constraint video_stream_recordings_pkey PRIMARY KEY (stream_id, name),
  constraint video_stream_recordings_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES video_streams(id),
  constraint video_stream_recordings_kind_check CHECK (kind = ANY (ARRAY['flv'::text, 'mp4'::text, 'm3u8'::text, 'segments'::text])),
  constraint video_stream_recordings_part_check CHECK (part > 0)
);

-- owner: streams
create table video_stream_watch_sessions (
  stream_id text not null,
  user_id text not null,
  session_id text not null,
  started_at timestamptz(3) not null,
  ended_at timestamptz(3) not null,
  watch_seconds double precision not null,
  seen_at timestamptz(3) not null,
  constraint video_stream_watch_sessions_pkey PRIMARY KEY (stream_id, user_id, session_id),
  constraint video_stream_watch_sessions_stream_id_fkey FOREIGN KEY (stream_id) REFERENCES video_streams(id),
  constraint video_stream_watch_sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint video_stream_watch_sessions_watch_seconds_check CHECK (watch_seconds >= 0::double precision)
);
CREATE INDEX video_stream_watch_sessions_seen ON video_stream_watch_sessions USING btree (stream_id, seen_at);

-- owner: streams
create table video_streams (
  id text not null,
  user_id text not null,
  parent_id text,
  title text not null,
  description text,
  thumbnail_file_id text,
  metadata json not null default '{}'::json,
  is_secure boolean not null,
  resolution text not null,
  channel_enabled boolean not null,
  status text not null default 'idle'::text,
  stream_key text,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  seen_at timestamptz(3),
  post_id text,
  child_post_id text,
  target_type text,
  target_id text,
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint video_streams_pkey PRIMARY KEY (id),
  constraint video_streams_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES video_streams(id),
  constraint video_streams_thumbnail_file_id_fkey FOREIGN KEY (thumbnail_file_id) REFERENCES files(id),
  constraint video_streams_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint video_streams_description_check CHECK (length(description) <= 5000),
  constraint video_streams_key CHECK (stream_key IS NOT NULL OR status <> 'idle'::text),
  constraint video_streams_resolution_check CHECK (resolution = ANY (ARRAY['SD'::text, 'HD'::text, 'FHD'::text])),
  constraint video_streams_status_check CHECK (status = ANY (ARRAY['idle'::text, 'live'::text, 'ended'::text, 'recorded'::text])),
  constraint video_streams_title_check CHECK (length(title) <= 1000)
);
CREATE INDEX video_streams_created ON video_streams USING btree (created_at, id) WHERE parent_id IS NULL;
CREATE INDEX video_streams_live ON video_streams USING btree (created_at, id) WHERE status = 'live'::text;
CREATE INDEX video_streams_parent ON video_streams USING btree (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX video_streams_user ON video_streams USING btree (user_id, created_at, id);

-- owner: sessions
create table visitor_reads (
  user_id text not null,
  day date not null,
  reads integer not null,
  constraint visitor_reads_pkey PRIMARY KEY (user_id),
  constraint visitor_reads_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

-- owner: delivery/webhooks
create table webhook_deliveries (
  seq bigint not null generated always as identity,
  webhook_id text not null,
  message_id text not null,
  stream_key text not null,
  state text not null default 'pending'::text,
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  claimed_by text,
  first_failed_at timestamptz(3),
  attempt_log jsonb not null default '[]'::jsonb,
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (seq),
  constraint webhook_deliveries_message UNIQUE (message_id, webhook_id),
  constraint webhook_deliveries_state_check CHECK (state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text]))
) with (fillfactor=60, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_scale_factor=0.02);
CREATE INDEX webhook_deliveries_created ON webhook_deliveries USING btree (created_at);
CREATE INDEX webhook_deliveries_dead ON webhook_deliveries USING btree (webhook_id, seq) WHERE state = 'dead'::text;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (webhook_id, due_at, seq) WHERE state = 'pending'::text;
CREATE INDEX webhook_deliveries_log ON webhook_deliveries USING btree (webhook_id, seq);
CREATE INDEX webhook_deliveries_stream ON webhook_deliveries USING btree (webhook_id, stream_key, seq) WHERE state = 'pending'::text;

-- owner: webhooks
create table webhook_endpoints (
  id text not null,
  kind text not null default 'webhook'::text,
  url text not null,
  events text[] not null,
  description text not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz(3),
  default_action text not null,
  prehook_timeout_ms integer not null,
  is_enabled boolean not null default true,
  disabled_reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_default_action_check CHECK (default_action = ANY (ARRAY['allow'::text, 'deny'::text])),
  constraint webhook_endpoints_kind_check CHECK (kind = ANY (ARRAY['webhook'::text, 'prehook'::text]))
);
CREATE UNIQUE INDEX webhook_endpoints_prehook ON webhook_endpoints USING btree (kind) WHERE kind = 'prehook'::text;

-- owner: delivery/webhooks
create table webhook_messages (
  id text not null,
  name text not null,
  body text not null,
  created_at timestamptz(3) not null,
  constraint webhook_messages_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_messages_created ON webhook_messages USING btree (created_at);

-- owner: delivery/webhooks
create table webhook_senders (
  id text not null,
  alive_until timestamptz(3) not null,
  constraint webhook_senders_pkey PRIMARY KEY (id)
);
