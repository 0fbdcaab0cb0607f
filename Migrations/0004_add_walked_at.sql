-- When the oldest page of the walk that was closed last was read: every page was read then or later. NULL until a walk has
-- reached the end of the list. Read and written with the rest of the row.
ALTER TABLE query ADD COLUMN walked_at INTEGER;
-- Before this version only walks changed the time of a page.
UPDATE query SET walked_at = (SELECT min(fetched_at) FROM page WHERE page.query_id = query.query_id) WHERE claim IS NOT NULL;
