// The keys of the page. Letters work while the table has the focus; `/` and `?` everywhere but in fields, unless switched off.

import { button, checkbox, h, outside, table } from './dom.js'
import { learnKey } from './learn.js'
import { searches, searchTags } from './tables.js'

const keys = [
	['/', 'search'], ['?', 'these keys'], ['j ↓, k ↑', 'row down, up'], ['PgDn, PgUp', 'a screen down, up'], ['g Home, G End', 'first row, last row'],
	['Enter', 'open the recording'], ['Escape', 'close it'], ['Space, p', 'play or pause the row, or what is heard'], ['x', 'tick the row for export'], ['c', 'add to or remove from Compare'],
	['1…9, 0', 'sort by column; 0: original order'], ['1…4', 'in Compare: play that sound; in Learn: answer'],
]

export function keysView(state, actions) {
	return [
		table(null, ['Key', 'Does'], keys),
		h('p.quiet', null, 'Letters work while the table has the focus: click into it, or press Tab.'),
		table(null, ['Search', 'Finds'], searches),
		h('h3', null, 'All tags'),
		h('ul.all-tags', null, searchTags.map(([tag, finds]) =>
			h('li', { key: tag }, button(`${tag}:`, () => actions.tag(tag), { class: 'small' }), h('span.quiet', null, finds)))),
		h('p.quiet', null, 'A bird is found by any of its names: those of ', outside('https://doi.org/10.2173/avilist.v2025', 'AviList v2025'), ' (CC BY 4.0), and those stored.'),
		checkbox('use / and ? from anywhere', state.hasGlobalKeys, actions.globalKeys),
	]
}

/** Calls an action for a key that works everywhere; those that an element has taken are left alone. */
export function globalKey(event, state, actions) {
	if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
	const isTyping = event.target.closest?.('input:not([type=range]):not([type=checkbox]), textarea, select')
	if (event.key === 'Escape' && event.target.id === 'search') return actions.toRows()
	if (event.key === 'Escape' && state.panel) return actions.close()
	if (isTyping) return
	if (event.key === 'Escape' && state.row) actions.openRow(null)
	else if (event.key === '/' && state.hasGlobalKeys) actions.toSearch()
	else if (event.key === '?' && state.hasGlobalKeys) actions.panel('keys')
	else if (state.view === 'compare' && /^[1-4]$/.test(event.key) && !state.panel) actions.hear(Number(event.key) - 1)
	else if (state.view === 'learn' && state.lesson && !state.panel && !event.target.closest?.('button, a, input') && learnKey(event.key, state.lesson, actions.lesson)) event.preventDefault()
	else if (event.key === ' ' && (state.chosen || state.view === 'compare') && !state.panel && !event.target.closest?.('button:not([aria-current=true]), summary, a, label, input')) actions.toggle()
	else return
	event.preventDefault()
}
