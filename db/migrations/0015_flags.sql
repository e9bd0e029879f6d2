-- owner: flags
-- Who reported what, and why. The count and the filter over flaggers live on the object and change with these rows.
create table flags (
  id text primary key,
  reference_type text not null check (reference_type in ('user', 'post', 'comment', 'story', 'message')),
  reference_id text not null,
  user_id text not null references users,
  reason text,
  detail text,
  created_at timestamptz(3) not null,
  constraint flags_once unique (reference_id, reference_type, user_id)
);
create index flags_queue on flags (reference_type, created_at, id);
