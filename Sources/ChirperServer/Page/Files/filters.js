// Filters without a language: menus. Each of their choices is a term of the search, as it can be
// typed.

import { get } from './api.js'
import { charts, mostCounted, termOf } from './charts.js'
import { choice, h } from './dom.js'
import { answeredSearch, unsorted } from './state.js'
import { lengths, tags } from './tables.js'
import { number, withoutTerms, termsWith } from './text.js'

const keys = ['species', 'type', 'quality', 'country', 'month', 'length', 'licence']

/** What is chosen from; `by` is the key that the server counts by. */
export const menus = keys.map((by) => {
	const chart = charts.find((chart) => chart.by === by)
	return {
		by,
		label: by.replace(/^./, (first) => first.toUpperCase()),
		term: (value) => (chart ? termOf(chart, value) : lengths[value]),
		text: chart?.text ?? String,
	}
})

/** Whether a term is one of a menu's. A length above a limit is `-len:` below it. */
const isOf = ({ by }) => (term) =>
	(by === 'length' ? term.replace(/^-/, '') : term).startsWith(`${tags[by]}:`)

/** The search without what a menu adds. */
const searchWithout = (state, menu) => withoutTerms(answeredSearch(state), isOf(menu))

/** Counts what a menu chooses from, whatever it has chosen. */
export function askForMenu(menu, state, signal) {
	const rest = unsorted({ ...state, search: searchWithout(state, menu), fault: null })
	return get('stats', rest, { by: menu.by, limit: mostCounted }, signal)
}

/** The row of menus. They are counted when somebody is about to use them. */
export function filtersView(state, actions) {
	if (!state.hasFilters) return null
	return h('div.filters', {
		key: 'filters', role: 'group', 'aria-label': 'Filters', 'aria-busy': state.isCountingMenus,
		onpointerenter: actions.menus,
		onfocusin: actions.menus,
	}, menus.map((menu) => menuView(menu, state, actions)))
}

function menuView(menu, state, actions) {
	const { by, label } = menu
	const { counts = [], missing = {} } = state.menus.get(by) ?? {}
	const now = termsWith(answeredSearch(state), isOf(menu)).join(' ')
	const [rest = 0] = Object.values(missing)
	const values = counts.filter(({ recordings }) => recordings > 0).map((row) => ({
		terms: menu.term(row[by]),
		name: row.acceptedVernacularName ?? menu.text(row[by]),
		second: row.acceptedVernacularName ? menu.text(row[by]) : '',
		count: `(${number(row.recordings)})`,
	}))
	if (rest > 0) {
		const [terms, name] = [`${tags[by]}:none`, 'not known']
		values.push({ terms, name, second: '', count: `(${number(rest)})` })
	}
	const choose = (terms) => actions.searchStep(`${searchWithout(state, menu)} ${terms}`)
	const properties = { key: by, 'aria-label': label, class: now ? 'chosen' : '' }
	if (by === 'species') return typedMenu(now, values, choose, properties)
	const options = values.map(({ terms, name, count }) => [terms, `${name} ${count}`])
	// What was typed, or is not among the most frequent.
	if (now && !values.some(({ terms }) => terms === now)) options.push([now, now])
	return choice(now, [['', `Any ${by}`], ...options], choose, properties)
}

/** A menu of hundreds of species; each is found by either of its names, or a part of one. */
function typedMenu(now, values, choose, properties) {
	const shown = values.find(({ terms }) => terms === now)?.name ?? now
	// What is being typed stays, whatever changes meanwhile.
	const field = document.activeElement?.id === 'species-filter' && document.activeElement
	const onchange = ({ target }) => {
		const typed = target.value.trim().toLowerCase()
		const has = (test) => ({ name, second }) => [name, second].some((text) =>
			test(text.toLowerCase()))
		const value = typed && (values.find(has((text) => text === typed))
			?? values.find(has((text) => text.includes(typed))))
		target.value = typed && !value ? shown : value?.name ?? ''
		if (typed ? value && value.terms !== now : now) choose(value?.terms ?? '')
	}
	return h('span.typed', { key: properties.key },
		h('input', {
			...properties, id: 'species-filter', type: 'search', value: field ? field.value : shown,
			placeholder: 'Any species', autocomplete: 'off', spellcheck: 'false',
			list: 'species-names', onchange,
		}),
		h('datalist', { id: 'species-names' },
			values.map(({ terms, name, second, count }) =>
				h('option', { value: name, key: terms }, `${second} ${count}`))))
}
