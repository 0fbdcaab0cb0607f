-- Lists with rows that entered since their last closing, or with departures that the next walk
-- confirms. Written with each page that brings rows to its list, and when a walk is closed; read
-- with each list that is `complete`. At most one row for a query, found by its key.
CREATE TABLE exchange (
  query_id INTEGER PRIMARY KEY REFERENCES query (query_id) ON DELETE CASCADE,
  -- Rows that entered the list since a walk was last closed whose pages agreed.
  entered INTEGER NOT NULL CHECK (entered >= 0),
  -- Departures that the closed walk found, as far as rows that entered cancel them out.
  unconfirmed INTEGER NOT NULL CHECK (unconfirmed >= 0)
) STRICT;
