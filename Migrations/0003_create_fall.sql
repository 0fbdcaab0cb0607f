-- Lists of which a finished walk has found less than half, and whose rows stay until a later walk finds the same. Written when
-- such a walk is closed, deleted by the next one that finds more or is believed; read with each list that is `shifted`. At most one
-- row for a query, found by its key.
CREATE TABLE fall (
  query_id INTEGER PRIMARY KEY REFERENCES query (query_id) ON DELETE CASCADE,
  -- Rows of the list that the latest such walk has found.
  row_count INTEGER NOT NULL CHECK (row_count >= 0),
  -- When such a walk was first closed.
  seen_at INTEGER NOT NULL
) STRICT;
