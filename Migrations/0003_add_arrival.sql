-- When recordings entered a list after it was first read; those of the first reading have no row. Written with the rows
-- that enter, which are few; read for the rows of a list that are shown.
CREATE TABLE arrival (
  recording_id INTEGER NOT NULL REFERENCES recording (recording_id) ON DELETE CASCADE,
  query_id INTEGER NOT NULL REFERENCES query (query_id) ON DELETE CASCADE,
  entered_at INTEGER NOT NULL,
  PRIMARY KEY (recording_id, query_id)
) STRICT, WITHOUT ROWID;

-- Serves `list --new`, which reads only the rows of that age, and forgetting a query.
CREATE INDEX arrival_query ON arrival (query_id, entered_at);

-- 1 once a walk of the query was closed: whatever enters the list later is new. Read once per page that is stored.
ALTER TABLE query ADD COLUMN was_closed INTEGER NOT NULL DEFAULT 0 CHECK (was_closed IN (0, 1));

-- Which lists were closed before this column existed; reads the few rows of the table once.
UPDATE query SET was_closed = 1 WHERE walk_open = 0;
