// Filters without a language: menus, each choice of which is a term of the search, as it can be typed.

import { charts, termOf } from './charts.js'
import { choice, h } from './dom.js'
import { answeredSearch } from './state.js'
import { lengths, tags } from './tables.js'
import { number, withoutTerms, termsWith } from './text.js'

const labels = { species: 'Species', type: 'Type', quality: 'Quality', country: 'Country', month: 'Month', length: 'Length', licence: 'Licence' }

/** What is chosen from; `by` is the key that the server counts by. */
export const menus = Object.entries(labels).map(([by, label]) => {
	const chart = charts.find((chart) => chart.by === by)
	return { by, label, term: chart ? (value) => termOf(chart, value) : (value) => lengths[value], text: chart?.text ?? String }
})

// A length above a limit is `-len:` below it.
const isOf = ({ by }) => (term) => term.startsWith(`${tags[by]}:`) || (by === 'length' && term.startsWith(`-${tags[by]}:`))

/** The search without what a menu adds: its values are counted without that. */
export const searchWithout = (state, menu) => withoutTerms(answeredSearch(state), isOf(menu))

/** The row of menus. They are counted when somebody is about to use them. */
export function filtersView(state, actions) {
	if (!state.hasFilters) return null
	return h('div.filters', { key: 'filters', role: 'group', 'aria-label': 'Filters', 'aria-busy': state.isCountingMenus, onpointerenter: actions.menus, onfocusin: actions.menus },
		menus.map((menu) => menuView(menu, state, actions)))
}

function menuView(menu, state, actions) {
	const { by, label } = menu
	const { counts = [], missing = {} } = state.menus.get(by) ?? {}
	const now = termsWith(answeredSearch(state), isOf(menu)).join(' ')
	const rest = Object.values(missing)[0] ?? 0
	const options = [
		['', `Any ${label.toLowerCase()}`],
		...counts.filter(({ recordings }) => recordings > 0)
			.map((row) => [menu.term(row[by]), `${row.acceptedVernacularName ?? menu.text(row[by])} (${number(row.recordings)})`]),
		...(rest > 0 ? [[`${tags[by]}:none`, `not known (${number(rest)})`]] : []),
	]
	// What was typed, or is not among the most frequent.
	if (!options.some(([terms]) => terms === now)) options.push([now, now])
	return choice(now, options, (terms) => actions.searchStep(`${searchWithout(state, menu)} ${terms}`), { key: by, 'aria-label': label, class: now ? 'chosen' : '' })
}
