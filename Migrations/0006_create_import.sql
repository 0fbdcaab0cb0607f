-- Lists whose rows are those of a file that was imported. Written with the first page of an import
-- and at its end; read with each list. At most one row for a query, found by its key.
CREATE TABLE import (
  query_id INTEGER PRIMARY KEY REFERENCES query (query_id) ON DELETE CASCADE,
  -- Without an address: `10.15468/dl.8k2qf5`.
  doi TEXT,
  title TEXT,
  -- The day on which the file was made, as it says: `2026-11-20`.
  made_on TEXT,
  -- The name of the file, without its folder.
  file TEXT NOT NULL,
  -- A hash that a different file does not have, by which an import continues.
  fingerprint TEXT NOT NULL,
  -- Rows of the file, those without a sound, and those that could not be read.
  row_count INTEGER NOT NULL CHECK (row_count >= 0),
  silent_count INTEGER NOT NULL CHECK (silent_count >= 0),
  unreadable_count INTEGER NOT NULL CHECK (unreadable_count >= 0),
  -- A line for each of the first that could not be read: its number, a space and the reason.
  unreadable TEXT NOT NULL,
  -- The texts of the file about citing its datasets, and about their rights.
  citations TEXT,
  rights TEXT
) STRICT;
