-- The search index: what a search asks of recordings, in segments of up to 65,536 of them by their keys. Everything in these
-- tables is computed from `recording`; a recording in no segment is read by a search itself (decision 0028).
-- Read once per search, one row for each segment.
CREATE TABLE search_segment (
  -- The segment has every recording from the first key to the last.
  first_key INTEGER PRIMARY KEY,
  last_key INTEGER NOT NULL CHECK (last_key >= first_key),
  -- Of the terms and of the details they were computed from; a segment of another version is not used.
  version INTEGER NOT NULL
) STRICT;

-- The recordings with a word or a value, as a set of distances from the first key. One step in the index for a whole term;
-- terms with the same beginning are next to each other. Written once, in key order.
CREATE TABLE search_term (
  first_key INTEGER NOT NULL REFERENCES search_segment (first_key) ON DELETE CASCADE,
  term BLOB NOT NULL,
  recordings BLOB NOT NULL,
  PRIMARY KEY (first_key, term)
) STRICT, WITHOUT ROWID;

-- One number or date of every recording of a segment, for ranges and orders; the bytes are read as one array.
CREATE TABLE search_column (
  first_key INTEGER NOT NULL REFERENCES search_segment (first_key) ON DELETE CASCADE,
  column_id INTEGER NOT NULL,
  numbers BLOB NOT NULL,
  PRIMARY KEY (first_key, column_id)
) STRICT, WITHOUT ROWID;

-- Recordings that changed or were deleted since their segment was written: a search reads them itself. Written with each
-- change; read by key range, once per segment.
CREATE TABLE search_change (
  -- No reference: a deleted recording stays here until its segment is written again.
  recording_id INTEGER PRIMARY KEY,
  -- Another number each time, by which the writer of a segment sees that a recording changed while it was read.
  change INTEGER NOT NULL
) STRICT;
