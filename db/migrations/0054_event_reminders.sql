-- When people are to be reminded of an event; null when they were, or will not be.
alter table events add column remind_at timestamptz(3);
update events set remind_at = start_time - interval '60 minutes'
  where start_time > now() + interval '60 minutes' and not is_deleted and cancelled_at is null;
create index events_reminding on events (remind_at) where remind_at is not null;
