-- owner: communities
-- Wishes to become a member of a community that lets people in by approval. Those who were let in at once are kept as
-- approved, so that asking again finds the answer.
create table community_join_requests (
  id text primary key,
  community_id text not null references communities,
  user_id text not null references users,
  status text not null check (status in ('pending', 'approved', 'rejected', 'cancelled')),
  responder_id text references users,
  responded_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index community_join_requests_open on community_join_requests (community_id, user_id) where status = 'pending';
create index community_join_requests_community on community_join_requests (community_id, created_at, id);
create index community_join_requests_user on community_join_requests (user_id, created_at, id);

-- The largest first: what recommendations are filled up with.
create index communities_members_count on communities (members_count, id) where not is_deleted;
