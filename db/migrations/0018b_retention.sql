-- What recurring jobs look for: sessions that ended long ago, and guests who have not come since.
create index sessions_expired on sessions (expires_at);
create index sessions_every on sessions (user_id);
create index users_guests on users (id) where kind <> 'signed-in';
