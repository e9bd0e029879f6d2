-- Whether those who are going were told that an event has started: once, when its time came.
alter table events add column is_start_told boolean not null default false;
update events set is_start_told = true where start_time <= now();
create index events_starting on events (start_time) where not is_start_told;

alter table notification_tray_acts drop constraint notification_tray_acts_object_type_check;
alter table notification_tray_acts add constraint notification_tray_acts_object_type_check check (object_type in (
  'post', 'comment', 'reaction', 'follow', 'followRequest', 'followAcceptance', 'joinRequest', 'joinResponse', 'event',
  'invitation'));
