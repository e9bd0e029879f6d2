-- owner: polls
-- A question with two to ten answers. It is made before the post that shows it, and known only to its maker until then.
create table polls (
  id text primary key,
  user_id text not null references users,
  title text check (length(title) <= 500),
  question text not null check (length(question) between 1 and 500),
  answer_type text not null check (answer_type in ('single', 'multiple')),
  -- What was asked for: how long it stays open, in milliseconds; null for ever.
  closed_in bigint check (closed_in > 0),
  -- When it closes or was closed. Nothing marks a poll closed when its time comes: readers compare.
  closed_at timestamptz(3),
  is_deleted boolean not null default false,
  deleted_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- owner: polls
create table poll_answers (
  id text primary key,
  poll_id text not null references polls,
  position integer not null,
  data_type text not null check (data_type in ('text', 'image')),
  data text not null check (length(data) <= 200),
  file_id text references files,
  vote_count integer not null default 0 check (vote_count >= 0),
  constraint poll_answers_position unique (poll_id, position),
  -- Lets a vote prove that its answer is one of its poll's.
  constraint poll_answers_of_poll unique (poll_id, id),
  constraint poll_answers_picture check (data_type = 'text' or file_id is not null)
);

-- owner: polls
-- Who chose what. Counts live on the answers and change with these rows, under the lock of the poll.
create table poll_votes (
  poll_id text not null,
  user_id text not null references users,
  answer_id text not null,
  created_at timestamptz(3) not null,
  primary key (poll_id, user_id, answer_id),
  foreign key (poll_id, answer_id) references poll_answers (poll_id, id)
);
create index poll_votes_answer on poll_votes (answer_id, created_at, user_id);

-- A poll's post is found from the poll.
create index posts_poll on posts ((data ->> 'pollId')) where data_type = 'poll';
