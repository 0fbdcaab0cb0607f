-- Views that docs/scripting.md promises to other programs, as it does `lists` and `changes`. chirper itself reads none of them.

DROP VIEW recordings;

-- A row for each recording, also of those that are in no list any more. Details are as catalogues sent them, NULL if they did not.
-- What chirper computes, such as the code of a country, is in exports alone. `license` and `references` are addresses, as in
-- exports: NULL for rights without one. An occurrence whose sounds have different licences has none here.
-- `hasDetails` is 0 for a catalogue of an app, whose fields have names of their own: the details are NULL, and `fields` has all.
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

-- A row for each list that a recording is in, by the query of the list as it was typed.
CREATE VIEW entries AS
SELECT catalogue.name AS catalogue, recording.id AS id, query.typed AS query, query.page_size AS pageSize
FROM entry JOIN recording USING (recording_id) JOIN query USING (query_id)
  JOIN catalogue ON catalogue.catalogue_id = recording.catalogue_id;
