-- owner: reactions
-- Who reacted to what, with which name. Counts live on the object reacted to and change with these rows.
create table reactions (
  id text primary key,
  reference_type text not null check (reference_type in ('post', 'comment', 'story', 'message')),
  reference_id text not null,
  user_id text not null references users,
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz(3) not null,
  constraint reactions_once unique (reference_id, reference_type, user_id, name)
);
create index reactions_reference on reactions (reference_type, reference_id, created_at, id);
create index reactions_user on reactions (user_id, created_at);
