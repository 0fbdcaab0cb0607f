-- The records that a page had, as the catalogue's total counts them: the closing of a walk compares their sum with that total.
-- NULL where it is row_count + skipped; another number where one record gives several recordings, or none.
ALTER TABLE page ADD COLUMN records INTEGER CHECK (records >= 0);
