-- The labels of imported files: what people and programs heard in recordings. They are the user's data: forgetting a list leaves
-- them, and they are there again when its recordings are. Written and removed with their file; read with each recording, once
-- there is a row.
CREATE TABLE label (
  catalogue_id INTEGER NOT NULL REFERENCES catalogue (catalogue_id),
  -- The catalogue's id of the recording.
  id TEXT NOT NULL CHECK (id <> ''),
  -- The name of the file, without its folder.
  file TEXT NOT NULL,
  -- Who made the labels.
  identified_by TEXT NOT NULL,
  imported_at INTEGER NOT NULL,
  -- An array of objects in JSON, as the column `annotations` of exports has them.
  annotations TEXT NOT NULL CHECK (substr(annotations, 1, 1) = '['),
  PRIMARY KEY (catalogue_id, id, file, identified_by)
) STRICT, WITHOUT ROWID;

-- Serves `forget --labels`.
CREATE INDEX label_file ON label (file);
