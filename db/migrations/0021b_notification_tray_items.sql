-- owner: notification-tray
-- What happened, gathered by audience, kind, thing and day. An audience is one person or a community, whose members find
-- the line by their membership: a post in a large community is one line, not one for each member.
create table notification_tray_items (
  id text primary key,
  audience_type text not null check (audience_type in ('user', 'community')),
  audience_id text not null,
  kind text not null,
  -- What the lines of one day are gathered by: the post reacted to, the community posted in.
  subject_id text not null,
  day date not null,
  target_type text not null,
  target_id text not null,
  reference_type text,
  reference_id text,
  -- What to open, by public id; null for the latest of what happened.
  action_reference_id text,
  parent_id text,
  root_id text,
  last_occurred_at timestamptz(3) not null,
  constraint notification_tray_items_gathered unique (audience_type, audience_id, kind, subject_id, day)
);
create index notification_tray_items_list
  on notification_tray_items (audience_type, audience_id, last_occurred_at, id);
create index notification_tray_items_old on notification_tray_items (last_occurred_at);

-- owner: notification-tray
-- Who did what for an item to be: it is shown while one of these still stands and its actor may be seen.
create table notification_tray_acts (
  item_id text not null references notification_tray_items on delete cascade,
  object_type text not null check (object_type in (
    'post', 'comment', 'reaction', 'follow', 'followRequest', 'followAcceptance', 'joinRequest', 'joinResponse')),
  object_id text not null,
  actor_id text not null references users,
  acted_at timestamptz(3) not null,
  primary key (item_id, object_id)
);
create index notification_tray_acts_latest on notification_tray_acts (item_id, acted_at);

-- owner: notification-tray
-- Until when each person has seen each item; no row until they did.
create table notification_tray_item_seen (
  user_id text not null references users,
  item_id text not null references notification_tray_items on delete cascade,
  last_seen_at timestamptz(3) not null,
  primary key (user_id, item_id)
);
create index notification_tray_item_seen_item on notification_tray_item_seen (item_id);
