// The columns that the table can show: what each needs of a recording, how it is written, and how wide it is.

import { kept } from './state.js'
import { headings, rowFields, usualColumns } from './tables.js'
import { age, cell, clock } from './text.js'

const column = (id, width, extra = {}) => ({ id, heading: headings[id], width, fields: [id], text: (recording) => cell(recording[id]), ...extra })

let isLanguageChosen = false
/** Whether names are shown in a language that was chosen. */
export const chooseLanguage = (isChosen) => (isLanguageChosen = isChosen)

/** The name in the language that was chosen, else the English one that the catalogue has, else that of the list of birds. */
export const nameForPeople = ({ vernacularName, acceptedVernacularName }) => (isLanguageChosen ? acceptedVernacularName ?? vernacularName : vernacularName ?? acceptedVernacularName)

const wide = (least, part = 1) => `minmax(${least}rem, ${part}fr)`

/** In the order of the table. A column that the program's tables have no heading for has its own here. `id` is also the column's name in sort keys; `narrow` is the place in the two lines of a phone. */
export const columns = [
	column('vernacularName', wide(17, 2.4), {
		fields: ['vernacularName', 'acceptedVernacularName', 'scientificName'],
		text: (recording) => nameForPeople(recording) ?? recording.scientificName ?? '',
		second: (recording) => (nameForPeople(recording) ? recording.scientificName ?? '' : ''),
		narrow: 'name',
	}),
	column('behavior', wide(7.4), { narrow: 'type' }),
	column('mediaDuration', '4.9rem', { text: (recording) => clock(recording.mediaDuration ?? NaN), isNumber: true, narrow: 'length' }),
	column('quality', '4.8rem', { text: (recording) => recording.quality ?? '–', narrow: 'quality' }),
	column('country', wide(6.6, .7), { narrow: 'country' }),
	column('locality', wide(7, 1.2)),
	column('eventDate', '7.4rem', { narrow: 'date' }),
	column('eventTime', '4rem', { heading: 'Time' }),
	column('recordedBy', wide(6.6)),
	column('licenseName', '9.6rem'),
	column('catalogNumber', '7rem', { heading: 'Number' }),
	column('scientificName', wide(10)),
	column('sex', '5rem', { heading: 'Sex' }),
	column('lifeStage', '5rem', { heading: 'Stage' }),
	column('minimumElevationInMeters', '6rem', { isNumber: true }),
	column('associatedTaxa', wide(8)),
	column('occurrenceRemarks', wide(10, 1.5)),
	column('issues', '7rem', { heading: 'Issues' }),
	column('available', '7.2rem'),
	column('catalogue', '7.5rem', { heading: 'Catalogue' }),
	column('firstSeenAt', '8.4rem', { heading: 'Stored', text: (recording) => age(recording.firstSeenAt) }),
]

/** The columns that the person chose; `null`: the usual ones. */
export function chosenColumns(ids = kept('columns')) {
	const chosen = columns.filter(({ id }) => ids?.includes?.(id))
	return chosen.length > 0 ? chosen : columns.filter(({ id }) => usualColumns.includes(id))
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
