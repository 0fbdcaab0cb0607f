// The columns that the table can show: what each needs of a recording, how it is written, and how wide it is.

import { kept } from './state.js'
import { age, cell, clock } from './text.js'

const column = (id, heading, width, extra = {}) => ({ id, heading, width, fields: [id], text: (recording) => cell(recording[id]), ...extra })

const wide = (least, part = 1) => `minmax(${least}rem, ${part}fr)`

/** In the order of the table. `id` is also the column's name in sort keys; `narrow` is the place in the two lines of a phone. */
export const columns = [
	column('vernacularName', 'Name', wide(17, 2.4), {
		fields: ['vernacularName', 'scientificName'],
		text: (recording) => recording.vernacularName ?? recording.scientificName ?? '',
		second: (recording) => (recording.vernacularName ? recording.scientificName ?? '' : ''),
		narrow: 'name',
	}),
	column('behavior', 'Type', wide(7.4), { narrow: 'type' }),
	column('mediaDuration', 'Length', '4.9rem', { text: (recording) => clock(recording.mediaDuration ?? NaN), isNumber: true, narrow: 'length' }),
	column('quality', 'Quality', '4.8rem', { text: (recording) => recording.quality ?? '–', narrow: 'quality' }),
	column('country', 'Country', wide(6.6, .7), { narrow: 'country' }),
	column('locality', 'Place', wide(7, 1.2)),
	column('eventDate', 'Date', '7.4rem', { narrow: 'date' }),
	column('eventTime', 'Time', '4rem'),
	column('recordedBy', 'Recordist', wide(6.6)),
	column('licenseName', 'Licence', '9.6rem'),
	column('catalogNumber', 'Number', '7rem'),
	column('scientificName', 'Scientific name', wide(10)),
	column('sex', 'Sex', '5rem'),
	column('lifeStage', 'Stage', '5rem'),
	column('minimumElevationInMeters', 'Elevation', '6rem', { isNumber: true }),
	column('associatedTaxa', 'Background', wide(8)),
	column('occurrenceRemarks', 'Remarks', wide(10, 1.5)),
	column('issues', 'Issues', '7rem'),
	column('available', 'Added', '7.2rem'),
	column('catalogue', 'Catalogue', '7.5rem'),
	column('firstSeenAt', 'Stored', '8.4rem', { text: (recording) => age(recording.firstSeenAt) }),
]

const usual = ['vernacularName', 'behavior', 'mediaDuration', 'quality', 'country', 'locality', 'eventDate', 'recordedBy', 'licenseName', 'firstSeenAt']

/** The columns that the person chose; `null`: the usual ones. */
export function chosenColumns(ids = kept('columns')) {
	const chosen = columns.filter(({ id }) => ids?.includes?.(id))
	return chosen.length > 0 ? chosen : columns.filter(({ id }) => usual.includes(id))
}

/** Where the words of the search are that no column in sight has: `in background: Turdus merula`. */
export function foundIn(recording, chosen, isNarrow) {
	const shown = new Set(chosen.filter(({ narrow }) => narrow || !isNarrow).flatMap(({ fields }) => fields))
	const hidden = new Map()
	for (const texts of recording.foundIn ?? []) {
		const [first] = Object.entries(texts)
		if (!first || Object.keys(texts).some((id) => shown.has(id))) continue
		const known = hidden.get(first[0]) ?? []
		if (!known.some((text) => text.includes(first[1]))) hidden.set(first[0], [...known, first[1]])
	}
	const heading = (id) => columns.find((column) => column.id === id)?.heading.toLowerCase() ?? id
	return [...hidden].map(([id, texts]) => `in ${heading(id)}: ${texts.join(', ')}`).join('; ')
}

/** What is asked of the server for these columns, and for the marks of a row. */
export const fieldsOf = (chosen) => {
	const narrow = columns.filter((column) => column.narrow).flatMap(({ fields }) => fields)
	return [...new Set(['id', 'catalogue', 'catalogNumber', 'licenseName', 'audio', 'issues', ...narrow, ...chosen.flatMap(({ fields }) => fields)])].join(',')
}
