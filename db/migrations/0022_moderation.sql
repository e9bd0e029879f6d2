-- owner: moderation
-- What may not be written (the block list) and, where the network keeps one, which links may be (the allow list).
create table moderation_rules (
  id text primary key,
  list text not null check (list in ('block', 'allow')),
  -- A regular expression as browsers and Node know them; most are plain words.
  pattern text not null check (length(pattern) between 1 and 500),
  -- Whether the pattern must stand alone, or may be a part of a longer word.
  is_match_exact_word boolean not null default false,
  is_enabled boolean not null default true,
  -- Deleted rules stay, so that adding one again gives it back its id.
  is_deleted boolean not null default false,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  constraint moderation_rules_pattern unique (list, pattern)
);
create index moderation_rules_list on moderation_rules (list, created_at, id) where not is_deleted;

-- owner: moderation
-- One row at most: how often one may repeat oneself, and for how long who breaks a rule is silent. Times in
-- milliseconds, 0 for never.
create table moderation_settings (
  id boolean primary key default true check (id),
  max_repetition integer not null default 0 check (max_repetition >= 0),
  max_repetition_timeout bigint not null default 0 check (max_repetition_timeout >= 0),
  blacklist_mute_timeout bigint not null default 0 check (blacklist_mute_timeout >= 0),
  whitelist_mute_timeout bigint not null default 0 check (whitelist_mute_timeout >= 0),
  max_repetition_mute_timeout bigint not null default 0 check (max_repetition_mute_timeout >= 0),
  image_moderation json not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);

-- owner: moderation
-- How often somebody has written the same in a row of time. Kept only while repetitions are limited.
create table moderation_repetitions (
  user_id text not null references users,
  -- SHA-256 of the text without differences of case and form.
  text_hash bytea not null,
  times integer not null,
  started_at timestamptz(3) not null,
  primary key (user_id, text_hash)
);
create index moderation_repetitions_started on moderation_repetitions (started_at);

-- owner: moderation
-- Who may write nothing for a while, because of what they tried to write.
create table moderation_mutes (
  user_id text primary key references users,
  muted_until timestamptz(3) not null
);
