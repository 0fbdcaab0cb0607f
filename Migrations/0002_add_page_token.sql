-- The catalogue's own name for the page after this one (an opaque cursor, or the last id of this page), read with the
-- page's row when a walk goes on after it: no row more than before. NULL where a number names the page, and on the last.
ALTER TABLE page ADD COLUMN next_token TEXT CHECK (next_token IS NULL OR next IS NOT NULL);
