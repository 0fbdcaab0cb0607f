// The parts of the page around the table, each a pure function of the state: search bar, lists, the line below the rows, panels.

import { columns } from './columns.js'
import { button, checkbox, choice, h, signButton } from './dom.js'
import { exportView } from './export.js'
import { keysView } from './keys.js'
import { listText, loadOfList, storedList, tableState } from './state.js'
import { age, number, plural } from './text.js'

const quiet = (text) => h('span', { class: 'quiet' }, text)
const small = (text, onclick, more) => button(text, onclick, { class: 'small', ...more })

/** The bar at the top: what is searched, and where a new list is fetched from. */
export function searchBar(state, actions) {
	const text = state.search.trim()
	const load = state.loads.find(({ load, state: is }) => load === state.following && is === 'running')
	return h('header', { class: 'bar' },
		h('a', { href: '/', onclick: (event) => actions.follow(event, null) }, 'chirper'),
		button('Lists', () => actions.panel('lists'), { class: 'to-lists', 'aria-expanded': state.panel === 'lists' }),
		h('form', { class: 'search', role: 'search', onsubmit: (event) => (event.preventDefault(), actions.toRows()) },
			h('span', { class: `scope${state.list ? '' : ' all'}` },
				state.list ? [h('span', null, state.list.query), signButton('×', `Search everything stored, not ${state.list.query} alone`, () => actions.open(null))]
					: h('span', null, 'Everything stored')),
			h('div', { class: 'field' },
				h('input', {
					id: 'search', type: 'search', value: state.search, placeholder: 'Search: blackbird  type:song  q:A  month:5', 'aria-label': 'Search',
					autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', 'aria-invalid': Boolean(state.fault), 'aria-describedby': 'fault',
					oninput: (event) => actions.search(event.target.value),
				}),
				h('p', { id: 'fault', class: 'fault', role: 'status' }, state.fault && faultWords(state))),
			h('span', { class: 'fetch' },
				state.catalogues.length > 0 && choice(state.source ?? '',
					[['', 'the usual catalogue'], ...state.catalogues.map(({ source, name, keyMissing }) => [source, keyMissing ? `${name} (key missing)` : name, keyMissing])],
					actions.source, { 'aria-label': 'Catalogue to fetch from' }),
				load && text === '' ? button('Stop', () => actions.cancel(load.load)) : button('Fetch', () => actions.fetch(text), { disabled: text === '', title: 'Requests this query from a catalogue and stores it' }))),
		signButton('?', 'Keys', () => actions.panel('keys'), { class: 'to-keys' }))
}

/** The sentence, below the word that it is about. */
function faultWords({ fault, search }) {
	const before = fault.at && [...new Intl.Segmenter().segment(search)].slice(0, fault.at - 1).map(({ segment }) => segment).join('')
	return [
		fault.at && h('span', { class: 'pointer', 'aria-hidden': 'true' }, h('span', { class: 'before' }, before), '↑'),
		`${fault.message.replace(/^search, column \d+: /, '')} ${fault.hint ?? ''}`,
	]
}

const claims = { complete: 'complete', verified: 'verified', shifted: 'changed while it was read' }

/** How much of a list is stored, in words. */
export const completeness = (query) =>
	query.completeness === 'partial'
		? query.total === null ? `${plural(query.rows, 'row')}, more` : `${number(query.rows)} of ${number(query.total)}`
		: `${plural(query.rows, 'row')}, ${claims[query.completeness] ?? query.completeness}`

/** The stored lists. */
export function listsView(state, actions) {
	const running = state.loads.filter((load) => load.state === 'running' && load.query)
	const item = (query) => {
		const load = running.findLast((load) => listText(load) === listText(query))
		const isOpen = state.list && listText(state.list) === listText(query)
		return h('li', { key: `${listText(query)} ${query.pageSize}`, class: isOpen ? 'open' : '' },
			h('a', { href: `/?list=${encodeURIComponent(listText(query))}`, 'aria-current': isOpen ? 'page' : null, onclick: (event) => actions.follow(event, query) },
				h('strong', null, query.query),
				quiet(`${query.source} · ${completeness(query)}`), quiet(`read ${age(query.fetchedAt.oldest)}`),
				query.notice && quiet(query.notice),
				load && h('span', { class: 'going', role: 'status' }, loadWords(load))),
			h('span', { class: 'tools' },
				load ? small('Stop', () => actions.cancel(load.load), { 'aria-label': `Stop ${query.query}` })
					: small('Sync', () => actions.sync(query), { 'aria-label': `Sync ${query.query}` }),
				small('Forget', () => actions.ask({ kind: 'forget', query }), { 'aria-label': `Forget ${query.query}` })))
	}
	const others = running.filter((load) => !state.queries?.some((query) => listText(query) === listText(load)))
	return h('nav', { class: `lists${state.panel === 'lists' ? ' over' : ''}`, 'aria-label': 'Stored lists' },
		h('ul', null,
			h('li', { class: state.list ? '' : 'open' },
				h('a', { href: '/', 'aria-current': state.list ? null : 'page', onclick: (event) => actions.follow(event, null) },
					h('strong', null, 'Everything stored'), quiet('all lists, each recording once'))),
			others.map((load) => h('li', { key: `load ${load.load}` }, h('span', { class: 'loading' }, h('strong', null, load.query), h('span', { class: 'going' }, loadWords(load))))),
			(state.queries ?? []).map(item)),
		state.queries?.length === 0 && h('p', { class: 'quiet' }, 'No list is stored yet. Type a name above, such as blackbird, and press Fetch.'))
}

const waits = { 'rate-limit': 'keeping the pace that the catalogue allows', 'retry-after': 'waiting as long as the catalogue asks', 'after-error': 'trying again soon', 'other-process': 'another program fetches this list' }

/** What a load does now. */
export function loadWords(load) {
	if (load.waiting) return `${load.page ? `page ${load.page}, ` : ''}${waits[load.waiting] ?? load.waiting}…`
	if (load.page) return `loading page ${number(load.page)}${load.pages ? ` of ${number(load.pages)}` : ''}…`
	return 'loading…'
}

/** The line below the rows: one for each state of the table. */
export function footer(state, actions) {
	const table = tableState(state)
	const stored = storedList(state)
	const load = loadOfList(state)
	const found = state.count === null ? null
		: state.search.trim() && state.searched !== null ? `${number(state.count)} of ${plural(state.searched, 'recording')}` : plural(state.count, 'recording')
	const parts = []
	if (!state.reached) parts.push(h('span', { class: 'fault' }, 'The server does not answer. Start it again with: chirper serve. What was seen stays.'))
	else if (table.name === 'error') {
		parts.push(h('span', { class: 'fault' }, `${table.error.message} `, h('span', null, table.error.hint ?? '')),
			small('Try again', () => actions.retry(load)))
	} else if (table.load) parts.push(h('span', { class: 'going' }, loadWords(table.load)))
	else if (table.name === 'paging') parts.push(small('Load more', actions.more))
	else if (table.name === 'populated' && stored) parts.push(h('span', null, 'End of the list.'))
	if (load?.state === 'done' && load.load === state.following && (load.new || load.changed || load.gone)) {
		parts.push(h('span', null, `${number(load.new)} new, ${number(load.changed)} changed, ${number(load.gone)} gone`))
	}
	return h('div', { class: `status ${table.name}`, role: 'status' },
		found && h('strong', null, found),
		stored && quiet(`${completeness(stored)} · read ${age(stored.fetchedAt.oldest)}`),
		...parts,
		state.fresh > 0 && small(`${number(state.fresh)} new in 7 days`, () => actions.add('new:7d')),
		state.picked.size > 0 && h('span', null, `${number(state.picked.size)} ticked `, small('Clear', actions.clearPicked)))
}

/** What is in place of rows if there are none. */
export function emptyView(state, actions) {
	const table = tableState(state)
	if (!state.reached && state.count === null) {
		return message('The server does not answer.', 'Start it with: chirper serve', button('Try again', actions.poll))
	}
	if (table.name === 'loading') return message('Loading…', table.load ? loadWords(table.load) : '')
	if (table.name === 'error' && table.count === 0) return message(table.error.message, table.error.hint, button('Try again', () => actions.retry(loadOfList(state))))
	if (table.name === 'unknown' && state.list && state.queries) {
		return message(`“${state.list.query}” is not stored.`, state.listFault?.hint ?? '', button(`Fetch it from ${state.list.source}`, () => actions.fetch(state.list.query, state.list.source)))
	}
	if (state.count !== 0 || state.fault) return null
	if (state.search.trim()) {
		return message('Nothing stored matches.', 'Take a word away, or fetch the query from a catalogue.',
			state.suggestions.map((name) => button(`Search “${name}”`, () => actions.search(name), { key: name })),
			button('Show all', () => actions.search('')), button(`Fetch “${state.search.trim()}”`, () => actions.fetch(state.search.trim())))
	}
	if (state.list) return message(`Nothing was found for “${state.list.query}”.`, 'Try the English or the scientific name, or another catalogue.',
		(loadOfList(state)?.suggestions ?? []).map((name) => button(`Fetch “${name}”`, () => actions.fetch(name, state.list.source), { key: name })), button('Everything stored', () => actions.open(null)))
	return message('Nothing is stored yet.', 'Type a name above, such as blackbird, and press Fetch. It is then here without a network, too.')
}

const message = (title, text, ...buttons) => h('div', { class: 'message' }, h('h2', null, title), h('p', { class: 'quiet' }, text), h('p', null, ...buttons))

/** The line between search bar and rows: views, and what can be done with the selection. */
export function tools(state, actions) {
	const views = [['rows', 'Rows'], ['map', 'Map'], ['charts', 'Charts'], ['compare', `Compare${state.compare.length > 0 ? ` ${state.compare.length}` : ''}`]]
	return h('div', { class: 'tools-line' },
		h('nav', { class: 'views', 'aria-label': 'Views' },
			views.map(([id, name]) => button(name, () => actions.show(id), { key: id, 'aria-current': state.view === id ? 'true' : null }))),
		h('span', { class: 'space' }),
		state.view === 'rows' && button('Columns', () => actions.panel('columns'), { class: 'to-columns' }),
		button('Export', () => actions.panel('export'), { disabled: !state.count }))
}

/** What lies over the page: a dialog that Escape closes. */
export function panel(state, chosen, actions) {
	const content = {
		columns: () => [h('h2', null, 'Columns'), columnsView(chosen, actions)],
		export: () => [h('h2', null, 'Export'), exportView(state, actions)],
		keys: () => [h('h2', null, 'Keys'), keysView(state, actions)],
		ask: () => askView(state, actions),
	}[state.asked ? 'ask' : state.panel]
	if (!content) return null
	return h('dialog', { class: 'panel', key: state.asked ? 'ask' : state.panel, 'aria-label': state.asked ? 'Question' : state.panel, oncancel: (event) => (event.preventDefault(), actions.close()), onclick: (event) => event.target === event.currentTarget && actions.close() },
		h('div', { class: 'inside' }, signButton('×', 'Close', actions.close, { class: 'close' }), content()))
}

function columnsView(chosen, actions) {
	const ids = chosen.map(({ id }) => id)
	return [
		h('div', { class: 'choices' }, columns.map(({ id, heading }) =>
			checkbox(heading, ids.includes(id), (isOn) => actions.columns(isOn ? [...ids, id] : ids.filter((other) => other !== id)), ids.length === 1 && ids[0] === id))),
		button('The usual ones', () => actions.columns(null)),
	]
}

function askView({ asked }, actions) {
	return [
		h('h2', null, `Forget “${asked.query.query}”?`),
		h('p', null, `The list of ${asked.query.source} with ${plural(asked.query.rows, 'row')} is removed, with the recordings that no other list has and their audio. It can be fetched again.`),
		h('p', { class: 'tools' }, button('Forget it', () => actions.forget(asked.query), { class: 'strong' }), button('Keep it', actions.close)),
	]
}

/** A sentence that is said once. */
export const notice = (state, actions) =>
	state.notice && h('div', { class: 'notice', role: 'alert' }, h('span', null, state.notice.text), ' ', state.notice.hint && quiet(state.notice.hint), signButton('×', 'Close', actions.hush))
