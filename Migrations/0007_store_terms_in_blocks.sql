-- The terms of the search index in blocks. With a row for each term, a third of the work on a segment was inserting rows
-- (decision 0030). The index is computed from `recording`, so what the old tables have is written again, not copied.
DROP TABLE search_term;
DELETE FROM search_column;
DELETE FROM search_segment;
DELETE FROM search_change;

-- Terms that follow each other, each with its recordings as a set of distances from the first key. One step in the index for
-- the block that has a term; terms with the same beginning are next to each other. Written once, in key order.
CREATE TABLE search_block (
  first_key INTEGER NOT NULL REFERENCES search_segment (first_key) ON DELETE CASCADE,
  first_term BLOB NOT NULL,
  -- For each term the count of its bytes (one byte), its bytes, the count of its set's bytes (two bytes, the lower first), its set.
  terms BLOB NOT NULL,
  PRIMARY KEY (first_key, first_term)
) STRICT, WITHOUT ROWID;
