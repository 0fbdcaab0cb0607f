-- The terms of the search index in blocks. To insert a row for each term was a tenth of the work on a segment, and the only
-- part that one core does alone (decision 0030). The old index is not copied: it is computed again from `recording`.
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
