-- The tables of the search index with their keys in an index of their own. In a table without rowids SQLite compares whole
-- rows, so each step towards the numbers of a column read half a megabyte of another one (decision 0031).
ALTER TABLE search_block RENAME TO old_block;
ALTER TABLE search_column RENAME TO old_column;

-- Terms that follow each other, each with its recordings as a set of distances from the first key. One step in the index for
-- the block that has a term; terms with the same beginning are next to each other. Written once, in key order.
CREATE TABLE search_block (
  first_key INTEGER NOT NULL REFERENCES search_segment (first_key) ON DELETE CASCADE,
  first_term BLOB NOT NULL,
  -- For each term the count of its bytes (one byte), its bytes, the count of its set's bytes (two bytes, the lower first), its set.
  terms BLOB NOT NULL,
  PRIMARY KEY (first_key, first_term)
) STRICT;

-- One number or date of every recording of a segment, for ranges and orders; the bytes are read as one array.
CREATE TABLE search_column (
  first_key INTEGER NOT NULL REFERENCES search_segment (first_key) ON DELETE CASCADE,
  column_id INTEGER NOT NULL,
  numbers BLOB NOT NULL,
  PRIMARY KEY (first_key, column_id)
) STRICT;

INSERT INTO search_block (first_key, first_term, terms) SELECT first_key, first_term, terms FROM old_block;
INSERT INTO search_column (first_key, column_id, numbers) SELECT first_key, column_id, numbers FROM old_column;
DROP TABLE old_block;
DROP TABLE old_column;
