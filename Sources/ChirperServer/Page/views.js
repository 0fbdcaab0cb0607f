// What is around the table, pure functions of the state: search bar, lists, the line below the rows, panels.

import { columns } from './columns.js'
import { button, checkbox, choice, h, outside, signButton } from './dom.js'
import { exportView } from './export.js'
import { keysView } from './keys.js'
import { answeredSearch, freshTerm, listText, loadOf, mayChange, storedList, tableState } from './state.js'
import { age, number, plural } from './text.js'

const quiet = (text) => h('span.quiet', null, text)
const small = (text, onclick, more) => button(text, onclick, { class: 'small', ...more })

/** What the empty field shows, and `Fetch` then fetches. */
const example = 'blackbird'

/** The bar at the top: what is searched, and where a new list is fetched from. */
export function searchBar(state, actions) {
	const text = state.search.trim()
	const fault = state.isFaultSaid && state.fault
	const load = state.loads.find(({ load, state: is }) => load === state.following && is === 'running')
	return h('header.bar', null,
		h('a', { href: '/', onclick: (event) => actions.follow(event, null) }, 'chirper'),
		h('span', { class: `scope${state.list ? '' : ' all'}` },
			state.list ? [h('span', null, state.list.query), signButton('×', 'Search everything stored', () => actions.open(null))]
				: h('span', null, 'Everything stored')),
		button('Lists', () => actions.panel('lists'), { class: 'to-lists', 'aria-expanded': state.panel === 'lists' }),
		h('form.search', { role: 'search', onsubmit: (event) => (event.preventDefault(), actions.toRows()) },
			h('input', {
				id: 'search', type: 'search', value: state.search, placeholder: example, 'aria-label': 'Search',
				autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', 'aria-invalid': Boolean(fault), 'aria-describedby': 'fault',
				list: 'names', oninput: (event) => actions.type(event.target.value, event.inputType === 'insertFromPaste'),
			}),
			h('datalist', { id: 'names' }, state.completions.map((text) => h('option', { value: text, key: text }))),
			h('p', { id: 'fault', class: 'fault', role: 'status' }, fault && faultWords(state, actions)),
			mayChange(state) && h('span.fetch', null,
				state.catalogues.length > 0 && choice(state.source,
					state.catalogues.map(({ source, name, keyMissing }) => [source, keyMissing ? `${name} (key missing)` : name, keyMissing]),
					(source) => actions.set({ source }), { 'aria-label': 'Catalogue to fetch from' }),
				load && text === '' ? button('Stop', () => actions.cancel(load.load)) : button('Fetch', () => actions.fetch(text || example), { title: 'Requests it from the catalogue and stores it' }))),
		signButton('?', 'Keys and search', () => actions.panel('keys'), { class: 'to-keys' }))
}

/** The sentence, below the word that it is about. */
function faultWords({ fault, search }, actions) {
	const before = fault.at && [...new Intl.Segmenter().segment(search)].slice(0, fault.at - 1).map(({ segment }) => segment).join('')
	return [
		fault.at && h('span.pointer', { 'aria-hidden': 'true' }, h('span.before', null, before), '↑'),
		// A hint that lists every tag is longer than the page has room for.
		`${fault.message} `, fault.hint?.length > 200 ? small('All tags', () => actions.panel('keys')) : fault.hint,
	]
}

const claims = { complete: 'complete', verified: 'verified', shifted: 'changed while it was read', imported: 'imported from a file' }

const fallen = ({ found }) => `only ${number(found)} found now; all stay until a later sync agrees`

const unconfirmed = ({ unconfirmedDepartures: count }) =>
	count ? `; ${plural(count, 'departure')} unconfirmed` : ''

/** How much of a list is stored, in words. */
const completeness = (query, rows = `${plural(query.rows, 'row')}, `) =>
	query.completeness === 'partial'
		? query.total === null ? `${rows}there is more` : `${number(query.rows)} of ${number(query.total)}`
		: rows + (query.fall ? fallen(query.fall) : claims[query.completeness] ?? query.completeness) + unconfirmed(query)

/** The stored lists. */
export function listsView(state, actions) {
	const running = state.loads.filter((load) => load.state === 'running' && load.query)
	const item = (query) => {
		const latest = loadOf(state, query)
		const load = latest?.state === 'running' ? latest : null
		const isOpen = state.list && listText(state.list) === listText(query)
		const isFailed = latest?.state === 'failed' && !isOpen
		return h('li', { key: `${listText(query)} ${query.pageSize}`, class: isOpen ? 'open' : '' },
			h('a', { href: `/?list=${encodeURIComponent(listText(query))}`, 'aria-current': isOpen ? 'page' : null, onclick: (event) => actions.follow(event, query) },
				h('strong', null, query.query),
				quiet(`${query.source} · ${completeness(query)}`), quiet(`read ${age(query.fetchedAt.oldest)}`),
				query.notice && quiet(query.notice),
				load && h('span.going', { role: 'status' }, loadWords(load)),
				isFailed && h('span.fault', { role: 'status' }, latest.error.message, ' Open the list to try again.')),
			mayChange(state) && h('span.tools', null,
				load ? small('Stop', () => actions.cancel(load.load), { 'aria-label': `Stop ${query.query}` })
					: small('Sync', () => actions.sync(query), { 'aria-label': `Sync ${query.query}` }),
				small('Forget', () => actions.set({ panel: 'forget', asked: query }), { 'aria-label': `Forget ${query.query}` })))
	}
	const others = running.filter((load) => !state.queries?.some((query) => listText(query) === listText(load)))
	return h('nav', { class: `lists${state.panel === 'lists' ? ' over' : ''}`, 'aria-label': 'Stored lists' },
		state.panel === 'lists' && signButton('×', 'Close the lists', actions.close, { class: 'close' }),
		h('ul', null,
			h('li', { class: state.list ? '' : 'open' },
				h('a', { href: '/', 'aria-current': state.list ? null : 'page', onclick: (event) => actions.follow(event, null) },
					h('strong', null, 'Everything stored'), quiet('all lists, each recording once'))),
			others.map((load) => h('li', { key: `load ${load.load}` }, h('span.loading', null, h('strong', null, load.query), h('span.going', null, loadWords(load))))),
			(state.queries ?? []).map(item)),
		state.queries?.length === 0 && h('p.quiet', null, 'No list is stored yet.'))
}

const waits = { 'rate-limit': 'keeping the pace that the catalogue allows', 'retry-after': 'waiting as long as the catalogue asks', 'after-error': 'trying again soon', 'other-process': 'another program fetches this list' }

/** What a load does now. */
function loadWords(load) {
	const page = load.page ? `page ${number(load.page)}${load.pages ? ` of ${number(load.pages)}` : ''}` : ''
	return `${load.waiting ? `${page} ${waits[load.waiting] ?? load.waiting}` : `loading ${page}`}…`
}

/** The line below the rows: one for each state of the table. */
export function footer(state, actions) {
	const table = tableState(state)
	const stored = storedList(state)
	const load = loadOf(state, state.list)
	const found = state.count === null ? null : state.isBusy ? 'Searching…'
		: answeredSearch(state).trim() && state.searched !== null ? `${number(state.count)} of ${plural(state.searched, 'recording')}` : plural(state.count, 'recording')
	const parts = []
	if (state.damage) parts.push(h('span.fault', null, `${state.damage} Type: chirper doctor --repair`))
	if (state.isCrowded) parts.push(h('span', null, 'The server is busy. Trying again…'))
	if (!state.reached) parts.push(h('span.fault', null, 'The server does not answer. Start it again with: chirper serve. What was seen stays.'))
	else if (table.name === 'error') {
		if (table.count > 0 || state.view !== 'rows') parts.push(h('span.fault', null, `${table.error.message} ${table.error.hint ?? ''}`), small('Try again', () => actions.retry(load)))
	} else if (table.load) parts.push(h('span.going', null, loadWords(table.load)))
	else if (table.name === 'paging' && mayChange(state)) parts.push(small('Load more', actions.more))
	else if (table.name === 'populated' && stored) parts.push(h('span', null, 'End of the list.'))
	if (load?.kind === 'sync' && load.state === 'done' && load.load === state.following) {
		parts.push(h('span', null, ['new', 'changed', 'gone'].filter((word) => load[word]).map((word) => `${number(load[word])} ${word}`).join(', ')))
	}
	return h('div', { class: `status ${table.name}`, role: 'status' },
		found && h('strong', null, found),
		state.count !== null && state.otherNames.length > 0 && quiet(`also as ${state.otherNames.slice(0, 5).join(', ')}${state.otherNames.length > 5 ? ' …' : ''}`),
		stored && quiet(`${completeness(stored, '')} · read ${age(stored.fetchedAt.oldest)}`),
		...parts,
		state.count !== null && !state.list && (state.copies || state.leftOut > 0)
			&& small(state.copies ? 'Show each recording once' : `Show ${plural(state.leftOut, 'more copy', 'more copies')}`, () => actions.copies(!state.copies)),
		state.count !== null && state.unlisted > 0 && small(`${number(state.unlisted)} more in no list any more`, () => actions.add('gone:any')),
		state.fresh > 0 && small(`${number(state.fresh)} new ${state.lastVisit ? 'since your last visit' : 'in 7 days'}`, () => actions.add(freshTerm(state))),
		state.picked.size > 0 && h('span', null, `${number(state.picked.size)} ticked `, small('Clear', () => actions.set({ picked: new Set(), isOfTicked: true }))))
}

/** What somebody can do who has no link, or a wrong one. */
export const askForLink = 'Ask whoever runs chirper for the link.'

/** The view in place of an empty table. */
export function emptyView(state, actions) {
	const table = tableState(state)
	if (!state.reached && state.count === null) {
		return message('The server does not answer.', 'Start it with: chirper serve', button('Try again', actions.poll))
	}
	if (state.needsLink) return message('This page needs a link.', askForLink)
	if (table.name === 'loading') return message('Loading…', table.load ? loadWords(table.load) : '')
	if (table.name === 'error' && table.count === 0) return message(table.error.message, table.error.hint, button('Try again', () => actions.retry(loadOf(state, state.list))))
	if (table.name === 'unknown' && state.list && state.queries) {
		return message(`“${state.list.query}” is not stored.`, state.listFault?.hint ?? '', mayChange(state) && button(`Fetch it from ${state.list.source}`, () => actions.fetch(state.list.query, state.list.source)))
	}
	if (state.count !== 0) return null
	if (answeredSearch(state).trim()) {
		return message(state.list ? 'Nothing in this list matches.' : 'Nothing stored matches.', mayChange(state) ? 'Take a word away, or fetch the query from a catalogue.' : 'Take a word away.',
			state.elsewhere > 0 && button(`${number(state.elsewhere)} in everything stored`, actions.everywhere),
			state.suggestions.map((name) => button(`Search “${name}”`, () => actions.search(name), { key: name })),
			button('Show all', () => actions.search('')), mayChange(state) && button(`Fetch “${state.search.trim()}”`, () => actions.fetch(state.search.trim())))
	}
	if (state.list) return message(`Nothing was found for “${state.list.query}”.`, 'Try the English or the scientific name, or another catalogue.',
		(loadOf(state, state.list)?.suggestions ?? []).map((name) => button(`Fetch “${name}”`, () => actions.fetch(name, state.list.source), { key: name })), button('Everything stored', () => actions.open(null)))
	if (!mayChange(state)) return message('Nothing is stored yet.', 'Whoever runs chirper can fetch recordings.')
	return message('Nothing is stored yet.', 'Begin with one of these, or type a name above and press Fetch. What is stored stays here without a network.', firstLists(state, actions))
}

/** What somebody can begin with; each says what it does, and what needs least comes first. */
const firstLists = ({ catalogues }, actions) =>
	h('span.first-lists', null, catalogues.filter(({ firstList }) => firstList).reverse().map((catalogue) => {
		const { source, name, keyMissing, firstList } = catalogue
		return h('span.first-list', { key: source },
			h('strong', null, name),
			quiet(keyMissing ? 'Needs a key, which is free. You enter it in a terminal, once.' : firstList.effect),
			keyMissing ? button('Enter a key', () => actions.set({ panel: 'key', asked: catalogue }))
				: button(firstList.action, () => actions.fetch(firstList.query, source)))
	}))

const keyCommand = 'chirper auth set'
function keyView({ asked, catalogues }, actions) {
	const { name, keyFrom, keyMissing, firstList } = catalogues.find(({ source }) => source === asked.source) ?? asked
	if (!keyMissing) {
		return [
			h('p', null, `The key for ${name} is here. ${firstList.effect}`),
			h('p.tools', null, button(firstList.action, () => actions.fetch(firstList.query, asked.source), { class: 'strong' })),
		]
	}
	return [
		h('ol.steps', null,
			h('li', null, 'Get a free key at ', outside(keyFrom, keyFrom), '.'),
			h('li', null, 'Open a terminal on the machine that runs chirper, and type: ', h('code', null, keyCommand), ' ', small('Copy', () => actions.copy(keyCommand))),
			h('li', null, 'Paste the key there. It is not shown, and this page never sees it.')),
		asked.isMissed && h('p.fault', { role: 'status' }, 'No key is stored yet.'),
		h('p.tools', null, button('I have entered it', actions.checkKey, { class: 'strong' }), button('Later', actions.close)),
	]
}

const message = (title, text, ...buttons) => h('div.message', null, h('h2', null, title), h('p.quiet', null, text), h('p', null, ...buttons))

/** The line between search bar and rows. */
export function tools(state, actions) {
	const views = [['rows', 'Rows'], ['map', 'Map'], ['charts', 'Charts'], ['compare', `Compare${state.compare.length > 0 ? ` ${state.compare.length}` : ''}`], ['learn', 'Learn']]
	return h('div.tools-line', null,
		h('nav', { class: 'views joined', 'aria-label': 'Views' },
			views.map(([id, name]) => button(name, () => actions.show(id), { key: id, 'aria-current': state.view === id ? 'true' : null }))),
		h('span.space'),
		button([h('span.words', null, 'Filter'), h('span.sign', null, '▽')], actions.filters, { class: 'to-filters', 'aria-label': 'Filter', 'aria-pressed': state.hasFilters }),
		state.view === 'rows' && choice(state.sort[0] ?? '', [['', '⇅'], ...columns.filter(({ narrow }) => narrow).flatMap(({ id, heading }) => [[id, `↑ ${heading}`], [`-${id}`, `↓ ${heading}`]])],
			actions.sortBy, { class: 'to-sort', 'aria-label': 'Sort' }),
		state.view === 'rows' && button('Columns', () => actions.panel('columns'), { class: 'to-columns' }),
		button('Export', () => actions.panel('export'), { disabled: !state.count }))
}

/** A dialog that Escape closes. */
export function panel(state, actions) {
	const content = {
		columns: () => [h('h2', null, 'Columns'), columnsView(state.columns, actions), namesView(state, actions)],
		export: () => [h('h2', null, 'Export'), exportView(state, actions)],
		keys: () => [h('h2', null, 'Keys and search'), keysView(state, actions)],
		forget: () => forgetView(state, actions),
		key: () => [h('h2', null, `A key for ${state.asked.name}`), keyView(state, actions)],
	}[state.panel]
	if (!content) return null
	return h('dialog.panel', { key: state.panel, 'aria-label': state.panel, oncancel: (event) => (event.preventDefault(), actions.close()), onclick: (event) => event.target === event.currentTarget && actions.close() },
		h('div.inside', null, signButton('×', 'Close', actions.close, { class: 'close' }), content()))
}

function columnsView(chosen, actions) {
	const ids = chosen.map(({ id }) => id)
	return [
		h('div.choices', null, columns.map(({ id, heading }) =>
			checkbox(heading, ids.includes(id), (isOn) => actions.columns(isOn ? [...ids, id] : ids.filter((other) => other !== id)), ids.length === 1 && ids[0] === id))),
		button('The usual ones', () => actions.columns(null)),
	]
}

const languages = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'code' })
/** A code can be any text that a list has as a heading. */
function languageOf(code) {
	try {
		return languages.of(code)
	} catch {
		return code
	}
}

/** The languages of names of animals, if lists of names were added. */
const namesView = ({ nameLanguages, names, usualNames }, actions) =>
	nameLanguages.length > 0 && h('p', null, h('label', null, 'Names: ',
		choice(names ?? usualNames ?? '', [['', 'as catalogues have them'], ...nameLanguages.map((code) => [code, languageOf(code)])], actions.names, { class: 'to-names' })))

function forgetView({ asked }, actions) {
	return [
		h('h2', null, `Forget “${asked.query}”?`),
		h('p', null, `The list of ${asked.source} with ${plural(asked.rows, 'row')} is removed, with the recordings that no other list has and their audio. It can be fetched again.`),
		h('p.tools', null, button('Forget it', () => actions.forget(asked), { class: 'strong' }), button('Keep it', actions.close)),
	]
}

/** A sentence that is said once. */
export const notice = (state, actions) =>
	state.notice && h('div.notice', { role: 'alert' }, h('p', null, state.notice.text, ' ', quiet(state.notice.hint)), signButton('×', 'Close', () => actions.set({ notice: null })))
