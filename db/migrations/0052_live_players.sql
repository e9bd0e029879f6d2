-- owner: streams
-- How many players each server serves of what is live, by its name in the media engine. What a server has not repeated
-- for a while is no longer so.
create table live_players (
  name text not null,
  node text not null,
  players integer not null check (players > 0),
  seen_at timestamptz(3) not null,
  primary key (name, node)
);

create index room_participants_user on room_participants (user_id);
