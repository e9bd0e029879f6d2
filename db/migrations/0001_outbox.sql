-- owner: kernel/outbox
-- Everything the world is told, in commit order. A row is written inside the transaction it tells of; `position` is
-- given afterwards by the one dispatcher, so that reading "position greater than last seen" can never skip a row
-- whose transaction committed late.
create table outbox_events (
  seq bigint generated always as identity,
  position bigint,
  id text not null,
  name text not null,
  audiences text[] not null,
  actor_id text,
  subject json not null,
  created_at timestamptz(3) not null
);
create unique index outbox_events_position on outbox_events (position) where position is not null;
create index outbox_events_unsequenced on outbox_events (seq) where position is null;

-- owner: kernel/outbox
-- One row: the last position given, and the last one that every sink has taken.
create table outbox_head (
  only_row boolean primary key default true check (only_row),
  position bigint not null default 0,
  handled bigint not null default 0
);
insert into outbox_head default values;

-- owner: kernel/outbox
-- Events that a sink could not take, kept for the operator.
create table outbox_dead_letters (
  id text not null,
  sink text not null,
  position bigint not null,
  name text not null,
  error text not null,
  failed_at timestamptz(3) not null,
  primary key (id, sink)
);
