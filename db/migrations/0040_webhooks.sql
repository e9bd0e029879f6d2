-- owner: webhooks
-- Whom the network tells of what happens, and asks before it does. The secret signs what is sent, so it is kept as it
-- is; after a rotation the former one signs beside it for a while.
create table webhook_endpoints (
  id text primary key,
  -- `prehook` is the one of the network settings, which has no more than its address and is asked about everything.
  kind text not null default 'webhook' check (kind in ('webhook', 'prehook')),
  url text not null,
  events text[] not null,
  description text not null,
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz(3),
  -- What holds when a pre-hook gives no answer in time.
  default_action text not null check (default_action in ('allow', 'deny')),
  prehook_timeout_ms integer not null,
  is_enabled boolean not null default true,
  -- Why it was disabled by itself; null when a person did it.
  disabled_reason text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

create unique index webhook_endpoints_prehook on webhook_endpoints (kind) where kind = 'prehook';

-- owner: delivery/webhooks
-- What is sent, once for all endpoints. The id is the `webhook-id` header: the same in every repetition.
create table webhook_messages (
  id text primary key,
  name text not null,
  body text not null,
  created_at timestamptz(3) not null
);
create index webhook_messages_created on webhook_messages (created_at);

-- owner: delivery/webhooks
-- A message on its way to an endpoint, and the log of how that went. `seq` is the order in which things happened.
create table webhook_deliveries (
  seq bigint generated always as identity primary key,
  webhook_id text not null,
  message_id text not null,
  -- The object it is about: what is about the same object goes out in order.
  stream_key text not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead')),
  attempts integer not null default 0,
  due_at timestamptz(3) not null,
  -- The sender that is at it; a claim of one that is not alive any more does not count.
  claimed_by text,
  first_failed_at timestamptz(3),
  -- The last attempts, newest last: time, status or error, duration, beginning of the answer.
  attempt_log jsonb not null default '[]',
  finished_at timestamptz(3),
  created_at timestamptz(3) not null,
  constraint webhook_deliveries_message unique (message_id, webhook_id)
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at, seq) where state = 'pending';
create index webhook_deliveries_stream on webhook_deliveries (webhook_id, stream_key, seq) where state = 'pending';
create index webhook_deliveries_log on webhook_deliveries (webhook_id, seq);
create index webhook_deliveries_dead on webhook_deliveries (webhook_id, seq) where state = 'dead';
create index webhook_deliveries_created on webhook_deliveries (created_at);
-- Every row is written three times within a moment; the room left in pages spares the indexes the second time.
alter table webhook_deliveries set (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02);

-- owner: delivery/webhooks
-- The processes that send. One that has not said for some seconds that it is alive has lost its claims.
create table webhook_senders (
  id text primary key,
  alive_until timestamptz(3) not null
);
