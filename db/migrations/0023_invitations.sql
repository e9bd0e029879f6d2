-- owner: invitations
-- Invitations to join something: a community as a member, a live room as a co-host.
create table invitations (
  id text primary key,
  type text not null,
  target_type text not null,
  -- Internal id of the community or room.
  target_id text not null,
  -- Who is invited, and by whom.
  user_id text not null references users,
  created_by text not null references users,
  status text not null check (status in ('pending', 'approved', 'rejected', 'cancelled')),
  responded_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index invitations_open on invitations (type, target_id, user_id) where status = 'pending';
create index invitations_target on invitations (target_type, target_id, created_at, id);
create index invitations_user on invitations (user_id, created_at, id);
create index invitations_created_by on invitations (created_by, created_at, id);
