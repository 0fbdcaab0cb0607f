-- Lists of names of animals in other languages, which the user adds from files. Written and removed whole, in one transaction.
CREATE TABLE name_list (
  name_list_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  -- The name of the file, without its folder.
  file TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  species_count INTEGER NOT NULL CHECK (species_count >= 0),
  -- The code of each language with the number of its names: `de 10900,zh-Hant 10850`.
  languages TEXT NOT NULL
) STRICT;

-- The names. Read by species and language for a row that is shown, and by name for a search.
CREATE TABLE name (
  -- Genus and epithet in small letters without accents: `sylvia communis`.
  scientific TEXT NOT NULL,
  -- `de`
  language TEXT NOT NULL,
  name_list_id INTEGER NOT NULL REFERENCES name_list (name_list_id) ON DELETE CASCADE,
  -- The row of the file: of several names of a species the first is shown.
  position INTEGER NOT NULL CHECK (position >= 0),
  -- The letters and digits of the name, without case and accents.
  folded TEXT NOT NULL CHECK (folded <> ''),
  text TEXT NOT NULL,
  PRIMARY KEY (scientific, language, name_list_id, position, folded)
) STRICT, WITHOUT ROWID;

-- Serves a search for a name.
CREATE INDEX name_folded ON name (folded);
