-- The comments at the top of an object, which most lists show, without passing over all answers.
create index comments_reference_top on comments (reference_type, reference_id, created_at, id) where parent_id is null;
