// Months, hours, and what is most frequent, as bars: each filters on click, and has its numbers as
// a table.

import { get } from './api.js'
import { button, h, small, table } from './dom.js'
import { answeredSearch, unsorted } from './state.js'
import { tags } from './tables.js'
import { number, plural, quoted, toggled } from './text.js'

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/**
 * What is counted; `isRare`: shown only if a recording has it. A bar is a term of the search, with
 * the tag of `by`; `=` before a text means that it is all of the value.
 */
export const charts = [
	{
		by: 'month', title: 'Months', isUpright: true, word: 'date',
		text: (value) => months[value - 1],
	},
	{ by: 'hour', title: 'Hours', isUpright: true, word: 'time' },
	// Without `=`, which finds one spelling: a bar counts every name of its species, and every
	// spelling of its country.
	{ by: 'species', title: 'Species', isName: true, word: 'name' },
	{ by: 'country', title: 'Countries', isName: true, word: 'country' },
	{ by: 'type', title: 'Types', isText: true, word: 'type' },
	{ by: 'quality', title: 'Quality', word: 'quality' },
	{ by: 'licence', title: 'Licences', isText: true, word: 'licence' },
	{ by: 'year', title: 'Years', word: 'date' },
	{
		by: 'annotation', title: 'Annotated species', isText: true, isRare: true,
		word: 'annotated species',
	},
	{
		by: 'annotation-type', title: 'Annotated types', isText: true, isRare: true,
		word: 'annotated type',
	},
]

/** The term that finds what is counted as that value. */
export function termOf({ by, isText, isName }, value) {
	const text = isText ? `=${value}` : value
	return `${tags[by]}:${isText || isName ? quoted(text) : value}`
}

/** The most values that are asked for, and drawn as bars. */
export const mostCounted = 100
const mostBars = 12

/** Counts for all charts, one after the other. */
export async function askForCharts(state, set, signal) {
	const count = (by, term) =>
		get('stats', unsorted(state, term), { by, limit: mostCounted }, signal)
	// In the south, spring is in October.
	const south = await count('month', 'lat:<0')
	const north = south.recordings > 0 ? await count('month', 'lat:>0') : null
	const hemispheres = north?.recordings > 0 ? { north, south } : null
	const answers = new Map(state.charts)
	for (const { by } of charts) {
		answers.set(by, await count(by))
		set({ charts: answers, hemispheres })
	}
}

/** All charts; months are two charts if there are recordings on both sides of the equator. */
export const chartsView = (state, actions) =>
	h('div.charts', { key: 'charts' },
		charts.map((chart) => {
			const answer = state.charts.get(chart.by)
			const view = (answer, heading, note) =>
				chartView(chart, answer, answeredSearch(state), actions.searchStep, heading, note)
			if (chart.by !== 'month' || !state.hemispheres) return view(answer)
			const { north, south } = state.hemispheres
			const rest = (answer?.recordings ?? 0) - north.recordings - south.recordings
			return [
				view(north, 'Months, north of the equator'),
				view(south, 'Months, south of it',
					rest > 0 && `${number(rest)} in neither: no place is known.`),
			]
		}))

/** Bars of one count. `answer` is the server's; `null` until it came. */
function chartView(chart, answer, search, onSearch, heading = chart.title, note = null) {
	if (!answer) return h('section', { class: 'chart waiting', key: heading }, h('h2', heading))
	const { isRare, isUpright } = chart
	const { counts } = answer
	if (isRare && counts.length === 0) return null
	const inside = isUpright ? uprightBars(chart, counts) : levelBars(chart, counts)
	return h('section', { class: `chart${isUpright ? ' upright' : ''}`, key: heading },
		h('h2', heading),
		h('ol.bars', counts.slice(0, isUpright ? counts.length : mostBars).map((row) =>
			barView(chart, row, inside(row), search, onSearch))),
		h('p.quiet', ...notes(chart, answer), note),
		h('details.numbers', h('summary', 'Numbers'), numbers(chart, counts)))
}

const nameOf = ({ by, text }, row) =>
	text ? text(row[by]) : row.acceptedVernacularName ?? String(row[by])

const hasStored = (counts) => counts[0]?.stored !== undefined

/** A bar, which puts its value into the search or takes it away; a picture if it counts nothing. */
function barView(chart, row, inside, search, onSearch) {
	const { [chart.by]: value, recordings, stored } = row
	const term = termOf(chart, value)
	const isOn = ` ${search} `.includes(` ${term} `)
	const part = Math.round((recordings / stored) * 100)
	const words = `${nameOf(chart, row)}: ${plural(recordings, 'recording')}`
		+ (stored ? `, ${part} % of the ${number(stored)} stored` : '')
	const properties = { class: `bar${isOn ? ' on' : ''}`, title: words, 'aria-label': words }
	const toggle = () => onSearch(toggled(search, term))
	return h('li', { key: value },
		recordings > 0
			? button(inside, toggle, { ...properties, 'aria-pressed': isOn })
			: h('div', { ...properties, role: 'img' }, inside))
}

/** What a bar of a count looks like: `side` of it is in proportion to the largest `value`. */
function lengths(counts, value, side) {
	const most = Math.max(1, ...counts.map((row) => row[value] ?? 0))
	return (row) => ({ style: { [side]: `${(row[value] / most) * 100}%` } })
}

/** Columns, with lines for everything stored. */
function uprightBars(chart, counts) {
	const height = lengths(counts, 'recordings', 'height')
	const bottom = lengths(counts, 'stored', 'bottom')
	return (row) => [
		h('span.column',
			h('span.fill', height(row)),
			hasStored(counts) && h('span.stored', bottom(row))),
		h('span.name', nameOf(chart, row)),
	]
}

function levelBars(chart, counts) {
	const width = lengths(counts, 'recordings', 'width')
	return (row) => [
		h('span.name', nameOf(chart, row)),
		h('span.column', h('span.fill', width(row))),
		h('span.count', number(row.recordings)),
	]
}

/** What the bars do not show. */
function notes({ isUpright, word }, { counts, missing }) {
	const [unknown = 0] = Object.values(missing)
	const shown = counts.length < mostCounted ? counts.length : 'many'
	return [
		hasStored(counts) && 'Grey line: everything stored. ',
		!isUpright && counts.length > mostBars && `The most frequent of ${shown}. `,
		unknown > 0 && `${number(unknown)} without ${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}. `,
	]
}

function numbers(chart, counts) {
	const isStored = hasStored(counts)
	const rows = counts.map((row) =>
		[nameOf(chart, row), row.recordings, ...(isStored ? [row.stored] : [])])
	const text = rows.map((row) => row.join('\t')).join('\n')
	return [
		small('Copy', () => navigator.clipboard?.writeText(text)),
		table([chart.title, 'Recordings', ...(isStored ? ['Stored'] : [])],
			rows.map(([name, ...counts]) => [name, ...counts.map(number)])),
	]
}
