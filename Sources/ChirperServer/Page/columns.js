// The columns that the table can show: what each needs of a recording, and how it is written.

import { kept } from './state.js'
import { headings, rowFields, usualColumns, wideColumns } from './tables.js'
import { age, cell, clock } from './text.js'

const column = (id, extra = {}) => ({ id, heading: headings[id], fields: [id], text: (recording) => cell(recording[id]), ...extra })

let isLanguageChosen = false
/** Whether names are shown in a language that was chosen. */
export const chooseLanguage = (isChosen) => (isLanguageChosen = isChosen)

/** The name in the language that was chosen, else the English one that the catalogue has, else that of the list of birds. */
export const nameForPeople = ({ vernacularName, acceptedVernacularName }) => (isLanguageChosen ? acceptedVernacularName ?? vernacularName : vernacularName ?? acceptedVernacularName)

/**
 * In the order of the table. A column that the program's tables have no heading for has its own here. `id` is also the column's name in
 * sort keys; `narrow` is the place on the card of a phone, `onCard` the text there if it is longer; `isWhole` if its texts stay on one line,
 * `isLarge` if they have the size of names.
 */
export const columns = [
	column('vernacularName', {
		fields: ['vernacularName', 'acceptedVernacularName', 'scientificName'],
		text: (recording) => nameForPeople(recording) ?? recording.scientificName ?? '',
		second: (recording) => (nameForPeople(recording) ? recording.scientificName ?? '' : ''),
		isLarge: true, narrow: 'name',
	}),
	column('behavior', { narrow: 'type' }),
	column('mediaDuration', { text: (recording) => clock(recording.mediaDuration ?? NaN), isNumber: true, isWhole: true, isLarge: true, narrow: 'length' }),
	column('quality', { text: (recording) => recording.quality ?? '–', isLarge: true, narrow: 'quality' }),
	column('country', { narrow: 'country' }),
	column('locality', { onCard: ({ country, locality }) => [locality, country].filter(Boolean).join(', '), narrow: 'place' }),
	// A period is two dates, between which a line may break.
	column('eventDate', { text: (recording) => cell(recording.eventDate).replace('/', '/\u200b'), narrow: 'date' }),
	column('eventTime', { heading: 'Time' }),
	column('recordedBy', { narrow: 'recordist' }),
	column('licenseName'),
	column('catalogNumber', { heading: 'Number' }),
	column('scientificName'),
	column('sex', { heading: 'Sex' }),
	column('lifeStage', { heading: 'Stage' }),
	column('minimumElevationInMeters', { isNumber: true }),
	column('associatedTaxa'),
	column('occurrenceRemarks'),
	column('issues', { heading: 'Issues' }),
	column('available'),
	column('catalogue', { heading: 'Catalogue' }),
	column('firstSeenAt', { heading: 'Stored', text: (recording) => age(recording.firstSeenAt) }),
]

/** The columns that the person chose; `null`: the usual ones. */
export function chosenColumns(ids = kept('columns')) {
	const chosen = columns.filter(({ id }) => ids?.includes?.(id))
	return chosen.length > 0 ? chosen : columns.filter(({ id }) => usualColumns.includes(id) || wideColumns.includes(id))
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
	return [...hidden].map(([id, texts]) => `in ${(headings[id] ?? id).toLowerCase()}: ${texts.join(', ')}`).join('; ')
}

/** What is asked of the server for these columns, and for every row. */
export const fieldsOf = (chosen) => [...new Set([...rowFields, ...chosen.flatMap(({ fields }) => fields)])].join(',')
