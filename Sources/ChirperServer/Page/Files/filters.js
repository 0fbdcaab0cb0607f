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
	const options = [['', `Any ${by}`]]
	for (const row of counts.filter(({ recordings }) => recordings > 0)) {
		const name = row.acceptedVernacularName ?? menu.text(row[by])
		options.push([menu.term(row[by]), `${name} (${number(row.recordings)})`])
	}
	if (rest > 0) options.push([`${tags[by]}:none`, `not known (${number(rest)})`])
	// What was typed, or is not among the most frequent.
	if (!options.some(([terms]) => terms === now)) options.push([now, now])
	const choose = (terms) => actions.searchStep(`${searchWithout(state, menu)} ${terms}`)
	return choice(now, options, choose, {
		key: by, 'aria-label': label, class: now ? 'chosen' : '',
	})
}
