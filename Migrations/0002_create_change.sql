-- What recordings were before they changed. Written with the recording whose fields change, apart from volatile ones: no row for
-- a page without a change. At most 100 for a recording (`PageWriter`). Read by key, once per changed recording that is shown.
CREATE TABLE change (
  -- Ascending with time, whatever the clock says.
  change_id INTEGER PRIMARY KEY,
  recording_id INTEGER NOT NULL REFERENCES recording (recording_id) ON DELETE CASCADE,
  changed_at INTEGER NOT NULL,
  -- The fields until then, as `recording` had them.
  fields TEXT NOT NULL CHECK (substr(fields, 1, 1) = '{')
) STRICT;

-- Serves the first change of a recording since a time, removing the oldest ones, and forgetting a recording.
CREATE INDEX change_recording ON change (recording_id);

-- Serves `--changed` and `changes`, which read only the rows of that age.
CREATE INDEX change_time ON change (changed_at, recording_id);
