// Export of the selection: its licences first, then a file of any format, written by the server.

import { checkbox, choice, h, table } from './dom.js'
import { selection } from './state.js'
import { number, plural } from './text.js'

/** As in docs/formats.md. `isTidy`: raw fields or tidy columns. */
export const formats = [
	['csv', 'CSV: spreadsheets, pandas, R', true], ['tsv', 'TSV', true], ['json', 'JSON', true], ['jsonl', 'JSON lines', true],
	['geojson', 'GeoJSON: QGIS, Leaflet'], ['gpkg', 'GeoPackage: QGIS, sf'], ['sqlite', 'SQLite: Datasette, DBeaver'], ['gpx', 'GPX: GPS devices'],
	['m3u8', 'M3U8: a playlist'], ['raven', 'Raven selection table'], ['audacity', 'Audacity labels'], ['bibtex', 'BibTeX'],
	['credits', 'Credits, as text'], ['credits-md', 'Credits, Markdown'], ['credits-html', 'Credits, HTML'],
	['dwca', 'Darwin Core Archive'], ['datapackage', 'Frictionless Data Package'],
]

/** The most ticked rows: their ids are in the address, of which the server takes 16 kB. */
const mostPicked = 400

/** What is exported: the selection or the rows that were ticked, of these what may be used. */
export function exported(state) {
	const parameters = selection(state, state.onlyPicked ? { search: '' } : {})
	if (state.onlyPicked) for (const key of state.picked) parameters.append('id', key.replace('/', ':'))
	if (state.uses.length > 0) parameters.set('for', state.uses.join(','))
	return parameters
}

/** The address of the file. */
export function exportAddress(state) {
	const parameters = exported(state)
	parameters.set('format', state.format ?? 'csv')
	if (state.isTidy && formats.find(([id]) => id === (state.format ?? 'csv'))[2]) parameters.set('tidy', 'true')
	return `/api/chirper/export?${parameters}`
}

/** The panel. `state.licences` is the server's count by licence of what is exported; `null` until it came. */
export function exportView(state, actions) {
	const format = state.format ?? 'csv'
	const canPick = state.picked.size <= mostPicked
	const { licences } = state
	const count = licences?.recordings ?? (state.onlyPicked ? state.picked.size : state.count)
	return [
		state.picked.size > 0 && h('p', null,
			checkbox(`Only the ${plural(state.picked.size, 'ticked row')}`, Boolean(state.onlyPicked), (onlyPicked) => actions.exporting({ onlyPicked }), !canPick),
			!canPick && h('span', { class: 'quiet' }, ' More than 400 cannot be exported one by one: search for them.')),
		h('p', null, h('label', null, 'Format ', choice(format, formats.map(([id, name]) => [id, name]), (format) => actions.exporting({ format })))),
		formats.find(([id]) => id === format)[2] && h('p', null, checkbox('Tidy columns, the same for every catalogue', Boolean(state.isTidy), (isTidy) => actions.exporting({ isTidy }))),
		h('h3', null, 'Licences'),
		h('p', null, 'Only what allows ', [['commercial', 'commercial use'], ['derivatives', 'changes']].map(([use, words]) =>
			[checkbox(words, state.uses.includes(use), (isOn) =>
				actions.exporting({ uses: isOn ? [...state.uses, use] : state.uses.filter((other) => other !== use) })), ' '])),
		!licences ? h('p', { class: 'quiet' }, 'Counting…')
			: table({ class: 'licences' }, ['Licence', 'Recordings', 'Allows'], [
					...licences.counts.map((row) => [row.licence, number(row.recordings), allows(row.licence)]),
					...(licences.missing.licence > 0 ? [['unknown', number(licences.missing.licence), 'nothing but to listen']] : []),
				]),
		h('p', { class: 'quiet' }, 'The formats named Credits list recordist, number and licence of each recording. This is no legal advice.'),
		h('p', { class: 'tools' }, h('a', { class: 'button strong', href: exportAddress(state), download: '' }, `Export ${plural(count, 'recording')}`)),
	]
}

/** What a licence of Creative Commons allows, by its parts; others say it themselves. */
function allows(name) {
	if (/^(CC0|Public domain|PD)/i.test(name)) return 'everything'
	if (!/^CC BY/i.test(name)) return 'see its text'
	const not = [/NC/.test(name) && 'commercial use', /ND/.test(name) && 'changes'].filter(Boolean)
	return not.length > 0 ? `not ${not.join(', not ')}` : 'commercial use and changes'
}
