// Months, hours, and what is most frequent, as bars: each is a filter on click, and has its numbers as a table.

import { button, h, table } from './dom.js'
import { number, plural, quoted, toggled } from './text.js'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** What is counted. `term` is the search that a bar stands for. */
export const charts = [
	{ by: 'month', title: 'Months', isUpright: true, word: 'date', text: (value) => months[value - 1], term: (value) => `month:${value}` },
	{ by: 'hour', title: 'Hours', isUpright: true, word: 'time', text: (value) => String(value), term: (value) => `hour:${value}` },
	{ by: 'species', title: 'Species', word: 'name', term: (value) => `sp:${quoted(`=${value}`)}` },
	{ by: 'country', title: 'Countries', word: 'country', term: (value) => `cnt:${quoted(`=${value}`)}` },
	{ by: 'type', title: 'Types', word: 'type', term: (value) => `type:${quoted(`=${value}`)}` },
	{ by: 'quality', title: 'Quality', word: 'quality', term: (value) => `q:${value}` },
	{ by: 'licence', title: 'Licences', word: 'licence', term: (value) => `lic:${quoted(`=${value}`)}` },
	{ by: 'year', title: 'Years', word: 'date', term: (value) => `year:${value}` },
]

/** Bars of one count. `answer` is the server's; `null` until it came. */
export function chartView(chart, answer, search, onSearch, heading = chart.title) {
	if (!answer) return h('section', { class: 'chart waiting', key: heading }, h('h2', null, heading))
	const text = (row) => (chart.text ? chart.text(row[chart.by]) : String(row[chart.by]))
	const most = Math.max(1, ...answer.counts.map((row) => row.recordings))
	const shares = answer.counts.map((row) => (row.stored ? row.recordings / row.stored : 0))
	const mostStored = Math.max(1, ...answer.counts.map((row) => row.stored ?? 0))
	const missing = Object.values(answer.missing)[0] ?? 0
	const bar = (row, index) => {
		const term = chart.term?.(row[chart.by])
		const isOn = Boolean(term) && ` ${search} `.includes(` ${term} `)
		const words = `${text(row)}: ${plural(row.recordings, 'recording')}` + (row.stored ? `, ${Math.round(shares[index] * 100)} % of the ${number(row.stored)} stored` : '')
		const properties = { class: `bar${isOn ? ' on' : ''}`, title: words, 'aria-label': words, 'aria-pressed': term ? isOn : null }
		const inside = chart.isUpright
			? [
					h('span', { class: 'column' }, h('span', { class: 'fill', style: { height: `${(row.recordings / most) * 100}%` } }),
						row.stored !== undefined && h('span', { class: 'stored', style: { bottom: `${(row.stored / mostStored) * 100}%` } })),
					h('span', { class: 'name' }, text(row)),
				]
			: [
					h('span', { class: 'name' }, text(row)),
					h('span', { class: 'column' }, h('span', { class: 'fill', style: { width: `${(row.recordings / most) * 100}%` } })),
					h('span', { class: 'count' }, number(row.recordings)),
				]
		return h('li', { key: String(row[chart.by]) },
			term && row.recordings > 0
				? button(inside, () => onSearch(toggled(search, term)), properties)
				: h('div', { ...properties, role: 'img' }, inside))
	}
	return h('section', { class: `chart${chart.isUpright ? ' upright' : ''}`, key: heading },
		h('h2', null, heading),
		h('ol', { class: 'bars' }, answer.counts.map(bar)),
		h('p', { class: 'quiet' },
			answer.counts[0]?.stored !== undefined && 'Grey line: everything stored. ',
			missing > 0 && `${number(missing)} without a ${chart.word}.`),
		h('details', { class: 'numbers' }, h('summary', null, 'Numbers'), numbers(chart, answer, text)))
}

function numbers(chart, answer, text) {
	const hasStored = answer.counts.some((row) => row.stored !== undefined)
	const rows = answer.counts.map((row) => [text(row), row.recordings, ...(hasStored ? [row.stored] : [])])
	return [
		button('Copy', () => navigator.clipboard?.writeText(rows.map((row) => row.join('\t')).join('\n')), { class: 'small' }),
		table(null, [chart.title, 'Recordings', ...(hasStored ? ['Stored'] : [])], rows.map(([name, ...counts]) => [name, ...counts.map(number)])),
	]
}
