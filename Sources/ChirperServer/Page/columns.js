// The columns that the table can show: what each needs of a recording, how it is written, and how wide it is.

import { kept } from './state.js'
import { age, cell, clock } from './text.js'

const column = (id, heading, width, extra = {}) => ({ id, heading, width, fields: [id], text: (recording) => cell(recording[id]), ...extra })

/** In the order of the table. `id` is also the column's name in sort keys; `narrow` is the place in the two lines of a phone. */
export const columns = [
	column('vernacularName', 'Name', 'minmax(20rem, 2.4fr)', {
		fields: ['vernacularName', 'scientificName'],
		text: (recording) => recording.vernacularName ?? recording.scientificName ?? '',
		second: (recording) => (recording.vernacularName ? recording.scientificName ?? '' : ''),
		narrow: 'name',
	}),
	column('behavior', 'Type', 'minmax(9rem, 1fr)', { narrow: 'type' }),
	column('mediaDuration', 'Length', '5rem', { text: (recording) => clock(recording.mediaDuration ?? NaN), isNumber: true, narrow: 'length' }),
	column('quality', 'Quality', '5rem', { text: (recording) => recording.quality ?? '–', narrow: 'quality' }),
	column('country', 'Country', 'minmax(8rem, .7fr)', { narrow: 'country' }),
	column('locality', 'Place', 'minmax(10rem, 1.2fr)'),
	column('eventDate', 'Date', '7.2rem', { narrow: 'date' }),
	column('eventTime', 'Time', '4rem'),
	column('recordedBy', 'Recordist', 'minmax(10rem, 1fr)'),
	column('licenseName', 'Licence', '10.5rem'),
	column('catalogNumber', 'Number', '7rem'),
	column('scientificName', 'Scientific name', 'minmax(10rem, 1fr)'),
	column('sex', 'Sex', '5rem'),
	column('lifeStage', 'Stage', '5rem'),
	column('minimumElevationInMeters', 'Elevation', '6rem', { isNumber: true }),
	column('associatedTaxa', 'Background', 'minmax(8rem, 1fr)'),
	column('occurrenceRemarks', 'Remarks', 'minmax(10rem, 1.5fr)'),
	column('available', 'Added', '7.2rem'),
	column('catalogue', 'Catalogue', '7.5rem'),
	column('firstSeenAt', 'Stored', '8rem', { text: (recording) => age(recording.firstSeenAt) }),
]

const usual = ['vernacularName', 'behavior', 'mediaDuration', 'quality', 'country', 'locality', 'eventDate', 'recordedBy', 'licenseName', 'firstSeenAt']

/** The columns that the person chose; `null`: the usual ones. */
export function chosenColumns(ids = kept('columns')) {
	const chosen = columns.filter(({ id }) => ids?.includes?.(id))
	return chosen.length > 0 ? chosen : columns.filter(({ id }) => usual.includes(id))
}

/** What is asked of the server for these columns, and for the marks of a row. */
export const fieldsOf = (chosen) => {
	const narrow = columns.filter((column) => column.narrow).flatMap(({ fields }) => fields)
	return [...new Set(['id', 'catalogue', 'catalogNumber', 'licenseName', 'audio', ...narrow, ...chosen.flatMap(({ fields }) => fields)])].join(',')
}
