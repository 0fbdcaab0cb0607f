-- Generated from Migrations/; CONTRIBUTING.md says how.

CREATE TABLE catalogue (
  catalogue_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  -- The moment reserved for the latest request; the next may start one interval later.
  last_request_at INTEGER,
  -- The catalogue's own wish (Retry-After).
  paused_until INTEGER
) STRICT;

CREATE TABLE field (
  field_id INTEGER PRIMARY KEY,
  catalogue_id INTEGER NOT NULL REFERENCES catalogue (catalogue_id),
  name TEXT NOT NULL,
  UNIQUE (catalogue_id, name)
) STRICT;

CREATE TABLE recording (
  recording_id INTEGER PRIMARY KEY,
  catalogue_id INTEGER NOT NULL REFERENCES catalogue (catalogue_id),
  id TEXT NOT NULL CHECK (id <> ''),
  -- The JSON object as sent, canonical: no white space, numbers as spelled, order of names kept.
  fields TEXT NOT NULL CHECK (substr(fields, 1, 1) = '{'),
  stored_at INTEGER NOT NULL,
  changed_at INTEGER NOT NULL,
  UNIQUE (catalogue_id, id)
) STRICT;

CREATE TABLE query (
  query_id INTEGER PRIMARY KEY,
  catalogue_id INTEGER NOT NULL REFERENCES catalogue (catalogue_id),
  text TEXT NOT NULL CHECK (text <> ''),
  page_size INTEGER NOT NULL CHECK (page_size > 0),
  typed TEXT NOT NULL,
  sent TEXT NOT NULL,
  -- The latest walk's number; a page belongs to it when page.walk is the same.
  walk INTEGER NOT NULL CHECK (walk > 0),
  -- 1 until the walk reached its end and was closed.
  walk_open INTEGER NOT NULL CHECK (walk_open IN (0, 1)),
  -- 1 once the walk met a page that differs from what was stored, so that it cannot verify the list.
  walk_changed INTEGER NOT NULL CHECK (walk_changed IN (0, 1)),
  -- 1 once the walk met an id twice or an overlap that does not match.
  walk_shifted INTEGER NOT NULL CHECK (walk_shifted IN (0, 1)),
  -- What the last closed walk showed; NULL if there is none or a later walk found a difference.
  completeness TEXT CHECK (completeness IN ('complete', 'verified', 'shifted')),
  -- When the catalogue's totals and additions last confirmed the list without a walk.
  checked_at INTEGER,
  -- When the oldest page of the walk that was closed last was read: every page was read then or later. NULL until a walk has
  -- reached the end of the list.
  walked_at INTEGER,
  UNIQUE (catalogue_id, text, page_size)
) STRICT;

CREATE TABLE page (
  query_id INTEGER NOT NULL REFERENCES query (query_id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number > 0),
  walk INTEGER NOT NULL CHECK (walk > 0),
  fetched_at INTEGER NOT NULL,
  total INTEGER CHECK (total >= 0),
  total_pages INTEGER CHECK (total_pages >= 0),
  total_species INTEGER CHECK (total_species >= 0),
  -- The next page to ask for; NULL on the last.
  next INTEGER CHECK (next = number + 1),
  -- The catalogue's own name for the next page (an opaque cursor, or the last id of this page). Read with the page's other
  -- columns when a walk is resumed, so it costs no extra row. NULL if pages are requested by number, and on the last page.
  next_token TEXT CHECK (next_token IS NULL OR next IS NOT NULL),
  -- The id before the page's first row, empty if there is none; NULL if the catalogue was not asked for it.
  preceding TEXT,
  -- Records that could not be read.
  skipped INTEGER NOT NULL CHECK (skipped >= 0),
  -- The records that the page had, as the catalogue's total counts them: the closing of a walk compares their sum with that
  -- total. NULL if it is row_count + skipped; another number if one record gives several recordings, or none.
  records INTEGER CHECK (records >= 0),
  -- Rows the page brought, and rows after them that are carried over from an earlier walk until a finished walk decides.
  row_count INTEGER NOT NULL CHECK (row_count >= 0),
  carried_count INTEGER NOT NULL CHECK (carried_count >= 0),
  PRIMARY KEY (query_id, number)
) STRICT, WITHOUT ROWID;

CREATE TABLE entry (
  query_id INTEGER NOT NULL,
  page INTEGER NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  recording_id INTEGER NOT NULL REFERENCES recording (recording_id),
  -- 1: a row that an unfinished walk has not found yet and carries over from an earlier one.
  carried INTEGER NOT NULL CHECK (carried IN (0, 1)),
  PRIMARY KEY (query_id, page, position),
  UNIQUE (recording_id, query_id),
  FOREIGN KEY (query_id, page) REFERENCES page (query_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE departure (
  recording_id INTEGER NOT NULL REFERENCES recording (recording_id) ON DELETE CASCADE,
  query_id INTEGER NOT NULL REFERENCES query (query_id) ON DELETE CASCADE,
  gone_at INTEGER NOT NULL,
  PRIMARY KEY (recording_id, query_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX departure_query ON departure (query_id);

CREATE TABLE arrival (
  recording_id INTEGER NOT NULL REFERENCES recording (recording_id) ON DELETE CASCADE,
  query_id INTEGER NOT NULL REFERENCES query (query_id) ON DELETE CASCADE,
  entered_at INTEGER NOT NULL,
  PRIMARY KEY (recording_id, query_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX arrival_query ON arrival (query_id, entered_at);

CREATE TABLE search_segment (
  -- The segment has every recording from the first key to the last.
  first_key INTEGER PRIMARY KEY,
  last_key INTEGER NOT NULL CHECK (last_key >= first_key),
  -- Of the terms and of the details they were computed from; a segment of another version is not used.
  version INTEGER NOT NULL,
  -- Another number each time it is written.
  serial INTEGER NOT NULL,
  -- Of the keys and the serial number.
  checksum INTEGER NOT NULL
) STRICT;

CREATE TABLE search_block (
  first_key INTEGER NOT NULL REFERENCES search_segment (first_key) ON DELETE CASCADE,
  -- A zero and the number of a column, or the first term.
  name BLOB NOT NULL,
  -- The name of the block after it, by which a lost one is found; empty if it is the last.
  next BLOB NOT NULL,
  -- Of the other columns; compared each time the block is read. Before the longest of them, after which it would cost more.
  checksum INTEGER NOT NULL,
  -- The numbers of all recordings, one after the other; or for each term the count of its bytes (one byte), its bytes, the count of
  -- its set's bytes (two bytes, the lower first), its set.
  contents BLOB NOT NULL,
  PRIMARY KEY (first_key, name)
) STRICT;

CREATE TABLE search_change (
  -- No reference: a deleted recording stays here until its segment is written again.
  recording_id INTEGER PRIMARY KEY,
  -- Another number each time, by which the writer of a segment sees that a recording changed while it was read.
  change INTEGER NOT NULL
) STRICT;

CREATE TABLE change (
  -- Ascending with time, whatever the clock says.
  change_id INTEGER PRIMARY KEY,
  recording_id INTEGER NOT NULL REFERENCES recording (recording_id) ON DELETE CASCADE,
  changed_at INTEGER NOT NULL,
  -- The fields until then, as `recording` had them.
  fields TEXT NOT NULL CHECK (substr(fields, 1, 1) = '{')
) STRICT;

CREATE INDEX change_recording ON change (recording_id);

CREATE INDEX change_time ON change (changed_at, recording_id);

CREATE TABLE fall (
  query_id INTEGER PRIMARY KEY REFERENCES query (query_id) ON DELETE CASCADE,
  -- Rows of the list that the latest such walk has found.
  row_count INTEGER NOT NULL CHECK (row_count >= 0),
  -- When such a walk was first closed.
  seen_at INTEGER NOT NULL
) STRICT;

CREATE TABLE exchange (
  query_id INTEGER PRIMARY KEY REFERENCES query (query_id) ON DELETE CASCADE,
  -- Rows that entered the list since a walk was last closed whose pages agreed.
  entered INTEGER NOT NULL CHECK (entered >= 0),
  -- Departures that the closed walk found, as far as rows that entered cancel them out.
  unconfirmed INTEGER NOT NULL CHECK (unconfirmed >= 0)
) STRICT;

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

CREATE INDEX name_folded ON name (folded);

CREATE TABLE import (
  query_id INTEGER PRIMARY KEY REFERENCES query (query_id) ON DELETE CASCADE,
  -- Without an address: `10.15468/dl.8k2qf5`.
  doi TEXT,
  title TEXT,
  -- The day on which the file was made, as it says: `2026-11-20`.
  made_on TEXT,
  -- The name of the file, without its folder.
  file TEXT NOT NULL,
  -- A hash that a different file does not have, by which an import continues.
  fingerprint TEXT NOT NULL,
  -- Rows of the file, those without a sound, and those that could not be read.
  row_count INTEGER NOT NULL CHECK (row_count >= 0),
  silent_count INTEGER NOT NULL CHECK (silent_count >= 0),
  unreadable_count INTEGER NOT NULL CHECK (unreadable_count >= 0),
  -- A line for each of the first that could not be read: its number, a space and the reason.
  unreadable TEXT NOT NULL,
  -- The texts of the file about citing its datasets, and about their rights.
  citations TEXT,
  rights TEXT
) STRICT;

CREATE VIEW lists AS
SELECT catalogue.name AS catalogue, query.typed AS query, query.page_size AS pageSize,
  coalesce(sum(page.row_count + page.carried_count), 0) AS recordings, count(page.number) AS pages,
  CASE
    WHEN query.completeness IN ('complete', 'verified')
      AND EXISTS (SELECT 1 FROM import WHERE import.query_id = query.query_id) THEN 'imported'
    ELSE coalesce(query.completeness, 'partial')
  END AS completeness,
  strftime('%Y-%m-%dT%H:%M:%SZ', min(page.fetched_at) / 1000, 'unixepoch') AS oldestFetchedAt,
  strftime('%Y-%m-%dT%H:%M:%SZ', max(page.fetched_at) / 1000, 'unixepoch') AS newestFetchedAt
FROM query JOIN catalogue USING (catalogue_id) LEFT JOIN page USING (query_id)
GROUP BY query.query_id;

CREATE VIEW changes AS
SELECT catalogue.name AS catalogue, recording.id AS id,
  strftime('%Y-%m-%dT%H:%M:%SZ', change.changed_at / 1000, 'unixepoch') AS changedAt, change.fields AS fieldsBefore
FROM change JOIN recording USING (recording_id) JOIN catalogue USING (catalogue_id)
ORDER BY change.change_id;

CREATE VIEW recordings AS
WITH known AS (
  SELECT catalogue.name AS catalogue, recording.id AS id, stored_at, changed_at, fields,
    fields LIKE '{"importedAs":"details"%' AS isExported,
    catalogue.name IN ('xeno-canto', 'sample', 'gbif', 'inaturalist', 'itunes', 'macaulay', 'archive')
      OR fields LIKE '{"importedAs":"details"%' AS hasDetails
  FROM recording JOIN catalogue USING (catalogue_id)
),
addressed AS (
  SELECT *, iif(hasDetails, fields, NULL) AS details,
    CASE
      WHEN isExported THEN json_extract(fields, '$.license')
      WHEN catalogue IN ('xeno-canto', 'sample') THEN json_extract(fields, '$.lic')
      WHEN catalogue IN ('gbif', 'archive') THEN (
        SELECT iif(count(license) = count(*) AND min(license) = max(license), min(license), NULL)
        FROM (
          SELECT json_extract(value, '$.license') AS license,
            coalesce(json_extract(value, '$.format'), '') || ' ' || coalesce(json_extract(value, '$.type'), '') AS kind
          FROM json_each(fields, '$.media'))
        WHERE kind LIKE '%audio%' OR kind LIKE '%sound%')
      WHEN catalogue = 'inaturalist' THEN (
        SELECT CASE
          WHEN code = 'cc0' THEN '//creativecommons.org/publicdomain/zero/1.0/'
          WHEN code LIKE 'cc-by%' THEN '//creativecommons.org/licenses/' || substr(code, 4) || '/4.0/'
        END
        FROM (
          SELECT lower(json_extract(value, '$.license_code')) AS code, key,
            known.id LIKE '%-' || json_extract(value, '$.id') AS isOwn
          FROM json_each(fields, '$.sounds'))
        ORDER BY isOwn DESC, key LIMIT 1)
    END AS rights,
    CASE
      WHEN isExported THEN json_extract(fields, '$.references')
      WHEN catalogue IN ('xeno-canto', 'sample') THEN json_extract(fields, '$.url')
      WHEN catalogue IN ('gbif', 'archive') THEN coalesce(
        json_extract(fields, '$.references'), 'https://www.gbif.org/occurrence/' || json_extract(fields, '$.key'))
      WHEN catalogue = 'inaturalist' THEN json_extract(fields, '$.uri')
      WHEN catalogue = 'itunes' THEN coalesce(
        json_extract(fields, '$.trackViewUrl'), json_extract(fields, '$.collectionViewUrl'),
        json_extract(fields, '$.artistLinkUrl'), json_extract(fields, '$.artistViewUrl'))
      WHEN catalogue = 'macaulay' THEN 'https://macaulaylibrary.org/asset/' || id
    END AS page
  FROM known
)
SELECT catalogue, id,
  coalesce(
    nullif(trim(coalesce(json_extract(details, '$.gen'), '') || ' ' || coalesce(json_extract(details, '$.sp'), '')
      || ' ' || coalesce(json_extract(details, '$.ssp'), '')), ''),
    json_extract(details, '$.species') || coalesce(' ' || json_extract(details, '$.infraspecificEpithet'), ''),
    json_extract(details, '$.taxon.name'), json_extract(details, '$."Scientific Name"'), json_extract(details, '$.scientificName'))
    AS scientificName,
  coalesce(
    nullif(json_extract(details, '$.en'), ''), nullif(json_extract(details, '$.vernacularName'), ''),
    nullif(json_extract(details, '$.taxon.preferred_common_name'), ''),
    nullif(json_extract(details, '$."Common Name"'), ''), nullif(json_extract(details, '$.trackName'), '')) AS vernacularName,
  coalesce(
    nullif(json_extract(details, '$.rec'), ''), nullif(json_extract(details, '$.recordedBy'), ''),
    nullif(json_extract(details, '$.user.name'), ''), nullif(json_extract(details, '$.user.login'), ''),
    nullif(json_extract(details, '$.Recordist'), ''), nullif(json_extract(details, '$.artistName'), '')) AS recordedBy,
  coalesce(
    nullif(json_extract(details, '$.cnt'), ''), nullif(json_extract(details, '$.country'), ''),
    nullif(json_extract(details, '$.Country'), '')) AS country,
  coalesce(
    nullif(json_extract(details, '$.loc'), ''), nullif(json_extract(details, '$.locality'), ''),
    nullif(json_extract(details, '$.verbatimLocality'), ''), nullif(json_extract(details, '$.place_guess'), ''),
    nullif(json_extract(details, '$.Locality'), ''), nullif(json_extract(details, '$.collectionName'), '')) AS locality,
  CAST(coalesce(
    nullif(json_extract(details, '$.lat'), ''), nullif(json_extract(details, '$.decimalLatitude'), ''),
    nullif(json_extract(details, '$.Latitude'), ''), nullif(json_extract(details, '$.location'), '')) AS REAL)
    AS decimalLatitude,
  CAST(coalesce(
    nullif(json_extract(details, '$.lon'), ''), nullif(json_extract(details, '$.lng'), ''),
    nullif(json_extract(details, '$.decimalLongitude'), ''), nullif(json_extract(details, '$.Longitude'), ''),
    substr(json_extract(details, '$.location'), nullif(instr(json_extract(details, '$.location'), ','), 0) + 1)) AS REAL)
    AS decimalLongitude,
  coalesce(
    nullif(json_extract(details, '$.date'), ''), nullif(json_extract(details, '$.eventDate'), ''),
    nullif(json_extract(details, '$.observed_on'), ''), nullif(json_extract(details, '$.Date'), ''),
    nullif(json_extract(details, '$.releaseDate'), '')) AS eventDate,
  coalesce(
    nullif(json_extract(details, '$.type'), ''), nullif(json_extract(details, '$.behavior'), ''),
    nullif(json_extract(details, '$.Behaviors'), '')) AS behavior,
  nullif(json_extract(details, '$.q'), '') AS quality,
  CASE
    WHEN rights LIKE '%//creativecommons.org/%' THEN
      'https:' || replace(substr(rights, instr(rights, '//')), 'legalcode', '')
    WHEN rights LIKE '//%' THEN 'https:' || rights
    WHEN rights LIKE 'https://%' OR rights LIKE 'http://%' THEN rights
  END AS license,
  CASE
    WHEN page LIKE '//%' THEN 'https:' || page
    WHEN page LIKE 'https://%' OR page LIKE 'http://%' THEN page
  END AS "references",
  strftime('%Y-%m-%dT%H:%M:%SZ', stored_at / 1000, 'unixepoch') AS firstSeenAt,
  strftime('%Y-%m-%dT%H:%M:%SZ', changed_at / 1000, 'unixepoch') AS changedAt,
  fields, hasDetails
FROM addressed;

CREATE VIEW entries AS
SELECT catalogue.name AS catalogue, recording.id AS id, query.typed AS query, query.page_size AS pageSize
FROM entry JOIN recording USING (recording_id) JOIN query USING (query_id)
  JOIN catalogue ON catalogue.catalogue_id = recording.catalogue_id;

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

CREATE INDEX label_file ON label (file);
