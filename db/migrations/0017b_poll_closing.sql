-- Whether those who listen were told that a poll is closed: once, when its time came or when its maker closed it.
alter table polls add column is_closing_told boolean not null default false;
update polls set is_closing_told = true where closed_at <= now();
create index polls_closing on polls (closed_at) where not is_closing_told and closed_at is not null;
