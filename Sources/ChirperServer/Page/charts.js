// Months, hours, and what is most frequent, as bars: each filters on click, and has its numbers as a table.

import { button, h, table } from './dom.js'
import { tags } from './tables.js'
import { number, plural, quoted, toggled } from './text.js'

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** What is counted; `isRare`: shown only if a recording has it. A bar is a term of the search, with the tag of `by`; `=` before a text means that it is all of the value. */
export const charts = [
	{ by: 'month', title: 'Months', isUpright: true, word: 'date', text: (value) => months[value - 1] },
	{ by: 'hour', title: 'Hours', isUpright: true, word: 'time' },
	// Without `=`, which finds one spelling: a bar counts every name of its species, and every spelling of its country.
	{ by: 'species', title: 'Species', isName: true, word: 'name' },
	{ by: 'country', title: 'Countries', isName: true, word: 'country' },
	{ by: 'type', title: 'Types', isText: true, word: 'type' },
	{ by: 'quality', title: 'Quality', word: 'quality' },
	{ by: 'licence', title: 'Licences', isText: true, word: 'licence' },
	{ by: 'year', title: 'Years', word: 'date' },
	{ by: 'annotation', title: 'Annotated species', isText: true, isRare: true, word: 'annotated species' },
	{ by: 'annotation-type', title: 'Annotated types', isText: true, isRare: true, word: 'annotated type' },
]

/** The term that finds what is counted as that value. */
export const termOf = ({ by, isText, isName }, value) => `${tags[by]}:${isText ? quoted(`=${value}`) : isName ? quoted(value) : value}`

/** The most values that are asked for, and drawn as bars. */
export const mostCounted = 100
const mostBars = 12

/** Bars of one count. `answer` is the server's; `null` until it came. */
export function chartView(chart, answer, search, onSearch, heading = chart.title, note = null) {
	if (!answer) return h('section', { class: 'chart waiting', key: heading }, h('h2', null, heading))
	if (chart.isRare && answer.counts.length === 0) return null
	const text = (row) => (chart.text ? chart.text(row[chart.by]) : row.acceptedVernacularName ?? String(row[chart.by]))
	const most = Math.max(1, ...answer.counts.map((row) => row.recordings))
	const hasStored = answer.counts[0]?.stored !== undefined
	const mostStored = Math.max(1, ...answer.counts.map((row) => row.stored ?? 0))
	const missing = Object.values(answer.missing)[0] ?? 0
	const bar = (row) => {
		const value = row[chart.by]
		const term = termOf(chart, value)
		const isOn = ` ${search} `.includes(` ${term} `)
		const words = `${text(row)}: ${plural(row.recordings, 'recording')}` + (row.stored ? `, ${Math.round((row.recordings / row.stored) * 100)} % of the ${number(row.stored)} stored` : '')
		const properties = { class: `bar${isOn ? ' on' : ''}`, title: words, 'aria-label': words }
		const name = h('span.name', null, text(row))
		const column = (side, more) => h('span.column', null, h('span.fill', { style: { [side]: `${(row.recordings / most) * 100}%` } }), more)
		const inside = chart.isUpright
			? [column('height', hasStored && h('span.stored', { style: { bottom: `${(row.stored / mostStored) * 100}%` } })), name]
			: [name, column('width'), h('span.count', null, number(row.recordings))]
		return h('li', { key: value },
			row.recordings > 0
				? button(inside, () => onSearch(toggled(search, term)), { ...properties, 'aria-pressed': isOn })
				: h('div', { ...properties, role: 'img' }, inside))
	}
	return h('section', { class: `chart${chart.isUpright ? ' upright' : ''}`, key: heading },
		h('h2', null, heading),
		h('ol.bars', null, (chart.isUpright ? answer.counts : answer.counts.slice(0, mostBars)).map(bar)),
		h('p.quiet', null,
			hasStored && 'Grey line: everything stored. ',
			!chart.isUpright && answer.counts.length > mostBars && `The most frequent of ${answer.counts.length < mostCounted ? answer.counts.length : 'many'}. `,
			missing > 0 && `${number(missing)} without ${/^[aeiou]/.test(chart.word) ? 'an' : 'a'} ${chart.word}. `, note),
		h('details.numbers', null, h('summary', null, 'Numbers'), numbers(chart, answer, text, hasStored)))
}

function numbers(chart, answer, text, hasStored) {
	const rows = answer.counts.map((row) => [text(row), row.recordings, ...(hasStored ? [row.stored] : [])])
	return [
		button('Copy', () => navigator.clipboard?.writeText(rows.map((row) => row.join('\t')).join('\n')), { class: 'small' }),
		table(null, [chart.title, 'Recordings', ...(hasStored ? ['Stored'] : [])], rows.map(([name, ...counts]) => [name, ...counts.map(number)])),
	]
}
