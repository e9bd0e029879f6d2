-- owner: sessions
-- How much a visitor has read on the last day they read at all. Written only where a daily quota is set.
create table visitor_reads (
  user_id text primary key references users,
  day date not null,
  reads integer not null
);
