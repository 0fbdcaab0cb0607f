-- What people and programs may read without chirper: docs/reliability.md promises these views, and nothing else of the schema.
-- chirper itself reads none of them. Times are UTC: 2026-11-27T14:00:00Z.

-- A row for each list; a query that was fetched in pages of two sizes has two.
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

-- A row for each recording, also of those that are in no list any more. Details are as catalogues sent them, NULL if they did not.
-- What chirper computes, such as the code of a country, is in exports alone.
CREATE VIEW recordings AS
SELECT catalogue.name AS catalogue, recording.id AS id,
  coalesce(
    nullif(trim(coalesce(json_extract(fields, '$.gen'), '') || ' ' || coalesce(json_extract(fields, '$.sp'), '')
      || ' ' || coalesce(json_extract(fields, '$.ssp'), '')), ''),
    json_extract(fields, '$.species') || coalesce(' ' || json_extract(fields, '$.infraspecificEpithet'), ''),
    json_extract(fields, '$.taxon.name'), json_extract(fields, '$."Scientific Name"'), json_extract(fields, '$.scientificName'))
    AS scientificName,
  coalesce(
    nullif(json_extract(fields, '$.en'), ''), nullif(json_extract(fields, '$.vernacularName'), ''),
    nullif(json_extract(fields, '$.taxon.preferred_common_name'), ''),
    nullif(json_extract(fields, '$."Common Name"'), ''), nullif(json_extract(fields, '$.trackName'), '')) AS vernacularName,
  coalesce(
    nullif(json_extract(fields, '$.rec'), ''), nullif(json_extract(fields, '$.recordedBy'), ''),
    nullif(json_extract(fields, '$.user.name'), ''), nullif(json_extract(fields, '$.user.login'), ''),
    nullif(json_extract(fields, '$.Recordist'), ''), nullif(json_extract(fields, '$.artistName'), '')) AS recordedBy,
  coalesce(
    nullif(json_extract(fields, '$.cnt'), ''), nullif(json_extract(fields, '$.country'), ''),
    nullif(json_extract(fields, '$.Country'), '')) AS country,
  coalesce(
    nullif(json_extract(fields, '$.loc'), ''), nullif(json_extract(fields, '$.locality'), ''),
    nullif(json_extract(fields, '$.verbatimLocality'), ''), nullif(json_extract(fields, '$.place_guess'), ''),
    nullif(json_extract(fields, '$.Locality'), ''), nullif(json_extract(fields, '$.collectionName'), '')) AS locality,
  CAST(coalesce(
    nullif(json_extract(fields, '$.lat'), ''), nullif(json_extract(fields, '$.decimalLatitude'), ''),
    nullif(json_extract(fields, '$.Latitude'), ''), nullif(json_extract(fields, '$.location'), '')) AS REAL)
    AS decimalLatitude,
  CAST(coalesce(
    nullif(json_extract(fields, '$.lon'), ''), nullif(json_extract(fields, '$.lng'), ''),
    nullif(json_extract(fields, '$.decimalLongitude'), ''), nullif(json_extract(fields, '$.Longitude'), ''),
    substr(json_extract(fields, '$.location'), nullif(instr(json_extract(fields, '$.location'), ','), 0) + 1)) AS REAL)
    AS decimalLongitude,
  coalesce(
    nullif(json_extract(fields, '$.date'), ''), nullif(json_extract(fields, '$.eventDate'), ''),
    nullif(json_extract(fields, '$.observed_on'), ''), nullif(json_extract(fields, '$.Date'), ''),
    nullif(json_extract(fields, '$.releaseDate'), '')) AS eventDate,
  coalesce(
    nullif(json_extract(fields, '$.type'), ''), nullif(json_extract(fields, '$.behavior'), ''),
    nullif(json_extract(fields, '$.Behaviors'), '')) AS behavior,
  nullif(json_extract(fields, '$.q'), '') AS quality,
  coalesce(
    nullif(json_extract(fields, '$.lic'), ''), nullif(json_extract(fields, '$.license'), '')) AS license,
  coalesce(
    nullif(json_extract(fields, '$.url'), ''), nullif(json_extract(fields, '$.references'), ''),
    nullif(json_extract(fields, '$.uri'), ''), nullif(json_extract(fields, '$.trackViewUrl'), '')) AS "references",
  strftime('%Y-%m-%dT%H:%M:%SZ', stored_at / 1000, 'unixepoch') AS firstSeenAt,
  strftime('%Y-%m-%dT%H:%M:%SZ', changed_at / 1000, 'unixepoch') AS changedAt,
  fields
FROM recording JOIN catalogue USING (catalogue_id);

-- A row for each change of a recording that is kept, the oldest first, with its fields before it.
CREATE VIEW changes AS
SELECT catalogue.name AS catalogue, recording.id AS id,
  strftime('%Y-%m-%dT%H:%M:%SZ', change.changed_at / 1000, 'unixepoch') AS changedAt, change.fields AS fieldsBefore
FROM change JOIN recording USING (recording_id) JOIN catalogue USING (catalogue_id)
ORDER BY change.change_id;
