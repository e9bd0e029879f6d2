-- The bodies of these functions are bound when they are made, so that indexes are built and restored whatever the
-- search path is.

-- Text as search compares it: letters without case and without marks, so that "Café" is found by "cafe".
create function search_text(input text) returns text language sql immutable strict parallel safe
  return regexp_replace(lower(normalize(left(input, 50000), NFKD)), '[\u0300-\u036f]', '', 'g');

-- The words of a text. They are not stemmed, because posts are in any language.
create function search_words(input text) returns tsvector language sql immutable strict parallel safe
  return to_tsvector('pg_catalog.simple'::regconfig, search_text(input));

-- The words that somebody looks for, each as the start of a word, joined by & or |. Null when there are none. They are
-- taken apart by the same rules as the texts, and quoted, so that nothing in them is an operator.
create function search_query(input text, operator text) returns tsquery language sql immutable strict parallel safe
  return (
    select string_agg('''' || replace(replace(word, '\', '\\'), '''', '''''') || ''':*', ' ' || operator || ' ')::tsquery
    from unnest(tsvector_to_array(search_words(input))) with ordinality as words (word, n)
    where n <= 32
  );

create function post_words(data json) returns tsvector language sql immutable strict parallel safe
  return setweight(search_words(coalesce(data ->> 'title', '')), 'A')
    || setweight(search_words(coalesce(data ->> 'text', '')), 'B');

create function community_words(display_name text, description text) returns tsvector
  language sql immutable strict parallel safe
  return setweight(search_words(display_name), 'A') || setweight(search_words(description), 'B');

-- How well words fit what was looked for, 0 to 1: those that hold all of it come before those that hold some.
create function search_score(words tsvector, all_of tsquery, any_of tsquery) returns double precision
  language sql immutable strict parallel safe
  return case when words @@ all_of then 0.5 else 0 end + ts_rank(words, any_of, 32) / 2;

create index posts_words on posts using gin (post_words(data))
  where parent_post_id is null and not is_deleted and feed_type = 'published';
create index communities_words on communities using gin (community_words(display_name, description))
  where not is_deleted;
