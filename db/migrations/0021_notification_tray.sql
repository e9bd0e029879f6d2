-- owner: notification-tray
-- Until when each person has seen their notification tray; no row until they first opened it.
create table notification_tray_seen (
  user_id text primary key references users,
  last_seen_at timestamptz(3) not null
);
