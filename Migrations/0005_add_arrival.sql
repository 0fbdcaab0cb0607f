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
