-- The catalogue's own name for the next page (an opaque cursor, or the last id of this page). Read with the page's other
-- columns when a walk is resumed, so it costs no extra row. NULL where pages are requested by number, and on the last page.
ALTER TABLE page ADD COLUMN next_token TEXT CHECK (next_token IS NULL OR next IS NOT NULL);
