// Export of the selection: its licences first, then a file of any format, written by the server.

import { h } from './dom.js'
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
	const count = state.licences?.recordings ?? (state.onlyPicked ? state.picked.size : state.count)
	const licences = state.licences?.counts
	return [
		state.picked.size > 0 && h('p', null,
			h('label', null, h('input', { type: 'checkbox', checked: Boolean(state.onlyPicked), disabled: !canPick, onchange: (event) => actions.exporting({ onlyPicked: event.target.checked }) }),
				` Only the ${plural(state.picked.size, 'ticked row')}`),
			!canPick && h('span', { class: 'quiet' }, ' More than 400 cannot be exported one by one: search for them.')),
		h('p', null, h('label', null, 'Format ', h('select', { value: format, onchange: (event) => actions.exporting({ format: event.target.value }) },
			formats.map(([id, name]) => h('option', { value: id, key: id }, name))))),
		formats.find(([id]) => id === format)[2] && h('p', null, h('label', null,
			h('input', { type: 'checkbox', checked: Boolean(state.isTidy), onchange: (event) => actions.exporting({ isTidy: event.target.checked }) }), ' Tidy columns, the same for every catalogue')),
		h('h3', null, 'Licences'),
		h('p', null, 'Only what allows ', [['commercial', 'commercial use'], ['derivatives', 'changes']].map(([use, words]) =>
			h('label', { key: use }, h('input', { type: 'checkbox', checked: state.uses.includes(use), onchange: (event) =>
				actions.exporting({ uses: event.target.checked ? [...state.uses, use] : state.uses.filter((other) => other !== use) }) }), ` ${words} `))),
		!state.licences ? h('p', { class: 'quiet' }, 'Counting…')
			: h('table', { class: 'licences' },
					h('thead', null, h('tr', null, h('th', { scope: 'col' }, 'Licence'), h('th', { scope: 'col' }, 'Recordings'), h('th', { scope: 'col' }, 'Allows'))),
					h('tbody', null,
						licences.map((row) => h('tr', { key: row.licence }, h('th', { scope: 'row' }, row.licence), h('td', null, number(row.recordings)), h('td', null, allows(row.licence)))),
						state.licences.missing.licence > 0 && h('tr', { key: 'none' }, h('th', { scope: 'row' }, 'unknown'), h('td', null, number(state.licences.missing.licence)), h('td', null, 'nothing but to listen')))),
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
