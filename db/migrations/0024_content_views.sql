-- owner: analytics
-- Who looked at what, once for each person: how often is counted on the thing itself.
create table content_views (
  content_type text not null check (content_type in ('post', 'story')),
  content_id text not null,
  user_id text not null references users,
  first_viewed_at timestamptz(3) not null,
  primary key (content_type, content_id, user_id)
);
create index content_views_list on content_views (content_type, content_id, first_viewed_at, user_id);
create index content_views_user on content_views (user_id);
