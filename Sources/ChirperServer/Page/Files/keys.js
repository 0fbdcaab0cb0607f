// The keys of the page. Letters work while the table has the focus; `/` and `?` everywhere but in
// fields, unless switched off.

import { checkbox, h, outside, quiet, small, table } from './dom.js'
import { learnKey } from './learn.js'
import { searches, searchTags } from './tables.js'

const keys = [
	['/', 'search'],
	['?', 'these keys'],
	['j ↓, k ↑', 'row down, up'],
	['PgDn, PgUp', 'a screen down, up'],
	['g Home, G End', 'first row, last row'],
	['Enter', 'open the recording'],
	['Escape', 'close it'],
	['Space, p', 'play or pause the row, or what is heard'],
	['x', 'tick the row for export'],
	['c', 'add to or remove from Compare'],
	['1…9, 0', 'sort by column; 0: original order'],
	['1…4', 'in Compare: play that sound; in Learn: answer'],
]

export function keysView(state, actions) {
	return [
		table(['Key', 'Does'], keys),
		h('p.quiet', 'Letters work while the table has the focus: click into it, or press Tab.'),
		table(['Search', 'Finds'], searches),
		h('h3', 'All tags'),
		h('ul.all-tags', searchTags.map(([tag, finds]) =>
			h('li', { key: tag }, small(`${tag}:`, () => actions.tag(tag)), quiet(finds)))),
		h('p.quiet',
			'A bird is found by any of its names: those of ',
			outside('https://doi.org/10.2173/avilist.v2025', 'AviList v2025'),
			' (CC BY 4.0), and those stored.'),
		checkbox('use / and ? from anywhere', state.hasGlobalKeys, actions.globalKeys),
	]
}

/** Calls an action for a key that works everywhere, but not for one that an element has taken. */
export function globalKey(event, state, actions) {
	if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
	const { key, target } = event
	const isIn = (selector) => target.closest?.(selector)
	if (key === 'Escape' && target.id === 'search') return actions.toRows()
	if (key === 'Escape' && state.panel) return actions.close()
	if (isIn('input:not([type=range]):not([type=checkbox]), textarea, select')) return
	if (key === 'Escape' && state.row) actions.openRow(null)
	else if (key === '/' && state.hasGlobalKeys) actions.toSearch()
	else if (key === '?' && state.hasGlobalKeys) actions.panel('keys')
	else if (state.panel || !viewKey(key, isIn, state, actions)) return
	event.preventDefault()
}

/** Calls an action for a key of the view in sight; returns whether it was one. */
function viewKey(key, isIn, { view, lesson, chosen }, actions) {
	if (view === 'compare' && /^[1-4]$/.test(key)) {
		actions.hear(Number(key) - 1)
		return true
	}
	const mayAnswer = view === 'learn' && lesson && !isIn('button, a, input')
	if (mayAnswer && learnKey(key, lesson, actions.lesson)) return true
	const isTaken = isIn('button:not([aria-current=true]), summary, a, label, input')
	if (key !== ' ' || isTaken || (!chosen && view !== 'compare')) return false
	actions.toggle()
	return true
}
