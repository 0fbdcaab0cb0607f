// The columns that the table can show: what each needs of a recording, and how it is written.

import { kept } from './state.js'
import { headings, rowFields, usualColumns, wideColumns } from './tables.js'
import { age, cell, clock, joined } from './text.js'

const column = (id, extra) => ({
	id,
	heading: headings[id],
	fields: [id],
	text: (recording) => cell(recording[id]),
	...extra,
})

let isLanguageChosen = false
/** Whether names are shown in a language that was chosen. */
export const chooseLanguage = (isChosen) => (isLanguageChosen = isChosen)

/**
 * The name in the language that was chosen, else the English one that the catalogue has, else that
 * of the list of birds.
 */
export function nameForPeople({ vernacularName: own, acceptedVernacularName: accepted }) {
	return isLanguageChosen ? accepted ?? own : own ?? accepted
}

/** What a recording is called where it is not in the table. */
export function titleOf(recording) {
	const { scientificName, catalogNumber, id } = recording
	return joined([nameForPeople(recording) ?? scientificName, catalogNumber ?? id])
}

export const speciesOf = ({ genus, specificEpithet, scientificName }) =>
	joined([genus, specificEpithet], ' ') || scientificName

/**
 * The columns in the order of the table. A column that the program's tables have no heading for has
 * its own here. `id` is also the column's name in sort keys; `narrow` is the place on the card of a
 * phone, `onCard` the text there if it is longer; `isWhole` if its texts stay on one line,
 * `isLarge` if they have the size of names.
 */
export const columns = [
	column('vernacularName', {
		fields: ['vernacularName', 'acceptedVernacularName', 'scientificName'],
		text: (recording) => nameForPeople(recording) ?? recording.scientificName ?? '',
		second: (recording) => (nameForPeople(recording) ? recording.scientificName ?? '' : ''),
		isLarge: true,
		narrow: 'name',
	}),
	column('behavior', { narrow: 'type' }),
	column('mediaDuration', {
		text: ({ mediaDuration }) => clock(mediaDuration),
		isNumber: true,
		isWhole: true,
		isLarge: true,
		narrow: 'length',
	}),
	column('quality', { text: ({ quality }) => quality ?? '–', isLarge: true, narrow: 'quality' }),
	column('country', { narrow: 'country' }),
	column('locality', {
		onCard: ({ country, locality }) => joined([locality, country]),
		narrow: 'place',
	}),
	column('eventDate', {
		// A period is two dates, between which a line may break.
		text: ({ eventDate }) => cell(eventDate).replace('/', '/\u200b'),
		narrow: 'date',
	}),
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
	const usual = [...usualColumns, ...wideColumns]
	return chosen.length > 0 ? chosen : columns.filter(({ id }) => usual.includes(id))
}

/**
 * Where the words of the search are that no column in sight has, such as
 * `in background: Turdus merula`.
 */
export function foundIn(recording, chosen, isNarrow) {
	const shown = fieldsIn(chosen.filter(({ narrow }) => narrow || !isNarrow))
	const hidden = new Map()
	for (const texts of recording.foundIn ?? []) {
		const [[id, text] = []] = Object.entries(texts)
		if (!id || Object.keys(texts).some((id) => shown.includes(id))) continue
		const known = hidden.get(id) ?? []
		if (!known.some((other) => other.includes(text))) hidden.set(id, [...known, text])
	}
	const words = ([id, texts]) => `in ${(headings[id] ?? id).toLowerCase()}: ${texts.join(', ')}`
	return [...hidden].map(words).join('; ')
}

const fieldsIn = (columns) => columns.flatMap(({ fields }) => fields)

/** What a row must have to be opened, and to be heard. */
export const keyFields = 'id,catalogue'
export const heardFields = `${keyFields},catalogNumber,vernacularName,acceptedVernacularName,`
	+ 'scientificName,mediaDuration,audio'

/** What is asked of the server for these columns, and for every row. */
export const fieldsOf = (columns) => [...new Set([...rowFields, ...fieldsIn(columns)])].join(',')
