-- The filter over those who flagged a user, as everywhere where flag_count stands.
alter table users add column hash_flag json;
-- Queries by who was flagged, and the names people are searched by.
create index users_flagged on users (created_at, id) where flag_count > 0;
