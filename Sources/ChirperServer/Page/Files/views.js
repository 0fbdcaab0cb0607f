// What is around the table, pure functions of the state: search bar, lists, the line below the
// rows, panels.

import { get } from './api.js'
import { columns } from './columns.js'
import { button, checkbox, choice, h, instead, outside, quiet, signButton, small } from './dom.js'
import { exportView } from './export.js'
import { keysView } from './keys.js'
import { answeredSearch, freshTerm, isList, listText, loadOf, mayChange } from './state.js'
import { runningLoad, storedList, tableState, unsorted } from './state.js'
import { age, number, plural } from './text.js'

/** What the empty field shows, and `Fetch` then fetches. */
const example = 'blackbird'

/** Where the keyboard begins: past the bar, the lists and the filters. */
export const skipLink = (actions) =>
	h('a.skip', { href: '#content', onclick: instead(actions.toContent) }, 'Skip to the recordings')

/** The bar at the top: what is searched, and where a new list is fetched from. */
export const searchBar = (state, actions) =>
	h('header.bar',
		h('a', { href: '/', onclick: (event) => actions.follow(event, null) }, 'chirper'),
		h('span', { class: `scope${state.list ? '' : ' all'}` },
			h('span', state.list ? state.list.query : 'Everything stored'),
			state.list && signButton('×', 'Search everything stored', () => actions.open(null))),
		button('Lists', () => actions.panel('lists'), {
			class: 'to-lists', 'aria-expanded': state.panel === 'lists',
		}),
		searchForm(state, actions),
		signButton('?', 'Keys and search', () => actions.panel('keys'), { class: 'to-keys' }))

function searchForm(state, actions) {
	const fault = state.isFaultSaid && state.fault
	return h('form.search', { role: 'search', onsubmit: instead(actions.toRows) },
		h('input', {
			id: 'search', type: 'search', value: state.search, placeholder: example,
			autocomplete: 'off', spellcheck: 'false', autocapitalize: 'off', list: 'names',
			'aria-label': 'Search', 'aria-invalid': Boolean(fault), 'aria-describedby': 'fault',
			oninput: ({ target, inputType }) =>
				actions.type(target.value, inputType === 'insertFromPaste'),
		}),
		h('datalist', { id: 'names' },
			state.completions.map((text) => h('option', { value: text, key: text }))),
		h('p', { id: 'fault', class: 'fault', role: 'status' },
			fault && faultWords(state, actions)),
		mayChange(state) && fetchTools(state, actions))
}

/** From which catalogue to fetch, and the button that does so, or stops it. */
function fetchTools(state, actions) {
	const text = state.search.trim()
	const load = runningLoad(state)
	const sources = state.catalogues.map(({ source, name, keyMissing }) =>
		[source, keyMissing ? `${name} (key missing)` : name, keyMissing])
	return h('span.fetch',
		sources.length > 0 && choice(state.source, sources, (source) => actions.set({ source }), {
			'aria-label': 'Catalogue to fetch from',
		}),
		load && text === ''
			? button('Stop', () => actions.cancel(load.load))
			: button('Fetch', () => actions.fetch(text || example), {
				title: 'Requests it from the catalogue and stores it',
			}))
}

/** The sentence, below the word that it is about. */
function faultWords({ fault, search }, actions) {
	const { at, message, hint } = fault
	const letters = at ? [...new Intl.Segmenter().segment(search)].slice(0, at - 1) : []
	return [
		at && h('span.pointer', { 'aria-hidden': 'true' },
			h('span.before', letters.map(({ segment }) => segment).join('')), '↑'),
		`${message} `,
		// A hint that lists every tag is longer than the page has room for.
		hint?.length > 200 ? small('All tags', () => actions.panel('keys')) : hint,
	]
}

const claims = {
	complete: 'complete',
	verified: 'verified',
	shifted: 'changed while it was read, or not all of it could be read',
	imported: 'imported from a file',
}

/** How much of a list is stored, in words. */
function completeness(query, rows = `${plural(query.rows, 'row')}, `) {
	const { completeness, total, fall, imported, unconfirmedDepartures: count } = query
	if (completeness === 'partial') {
		return total === null ? `${rows}there is more` : `${number(query.rows)} of ${number(total)}`
	}
	const claim = fall
		? `only ${number(fall.found)} found now; all stay until a later sync agrees`
		: claims[completeness] ?? completeness
	return rows + claim + (count ? `; ${plural(count, 'departure')} unconfirmed` : '')
}

/** The rows of a list in a few letters. */
function extent({ rows, total, completeness, fall }) {
	const stored = number(rows)
	if (completeness === 'partial') {
		return total === null ? `${stored}, more` : `${stored} of ${number(total)}`
	}
	return stored + (fall || completeness === 'shifted' ? ', changed' : '')
}

/** The stored lists. */
export function listsView(state, actions) {
	const { list, loads, panel } = state
	const queries = state.queries ?? []
	const others = loads.filter((load) =>
		load.state === 'running' && load.query && !queries.some(isList(load)))
	const isOver = panel === 'lists'
	return h('nav', { class: `lists${isOver ? ' over' : ''}`, 'aria-label': 'Stored lists' },
		isOver && signButton('×', 'Close the lists', actions.close, { class: 'close' }),
		h('ul',
			h('li', { class: list ? '' : 'open' },
				listLink('/', !list, null, actions,
					h('strong', 'Everything stored'),
					!list && quiet('all lists, each recording once'))),
			others.map((load) =>
				h('li', { key: `load ${load.load}` },
					h('span.loading', h('strong', load.query), h('span.going', loadWords(load))))),
			queries.map((query) => listView(query, state, actions))),
		state.queries?.length === 0 && h('p.quiet', 'No list is stored yet.'))
}

const listLink = (href, isOpen, query, actions, ...words) =>
	h('a', {
		href,
		'aria-current': isOpen ? 'page' : null,
		onclick: (event) => actions.follow(event, query),
	}, ...words)

function listView(query, state, actions) {
	const { query: name, source, fetchedAt, notice } = query
	const text = listText(query)
	const latest = loadOf(state, query)
	const load = latest?.state === 'running' ? latest : null
	const isOpen = state.list && isList(query)(state.list)
	const isFailed = latest?.state === 'failed' && !isOpen
	const facts = `${source} · ${completeness(query)} · read ${age(fetchedAt.oldest)}`
	const tool = (word, action) => small(word, action, { 'aria-label': `${word} ${name}` })
	return h('li', { key: `${text} ${query.pageSize}`, class: isOpen ? 'open' : '' },
		listLink(`/?list=${encodeURIComponent(text)}`, isOpen, query, actions,
			h('span.line', { title: `${name}: ${facts}` }, h('strong', name), quiet(extent(query))),
			isOpen && quiet(facts),
			isOpen && notice && quiet(notice),
			load && h('span.going', { role: 'status' }, loadWords(load)),
			isFailed && h('span.fault', { role: 'status' },
				latest.error.message, ' Open the list to try again.')),
		mayChange(state) && h('span.tools',
			load
				? tool('Stop', () => actions.cancel(load.load))
				: tool('Sync', () => actions.sync(query)),
			tool('Forget', () => actions.set({ panel: 'forget', asked: query }))))
}

const waits = {
	'rate-limit': 'keeping the pace that the catalogue allows',
	'retry-after': 'waiting as long as the catalogue asks',
	'after-error': 'trying again soon',
	'other-process': 'another program fetches this list',
}

/** What a load does now. */
function loadWords({ page, pages, waiting }) {
	const of = pages ? ` of ${number(pages)}` : ''
	const words = page ? `page ${number(page)}${of}` : ''
	return waiting ? `${words} ${waits[waiting] ?? waiting}…` : `loading ${words}…`
}

/** The line below the rows: one for each state of the table. */
export function footer(state, actions) {
	const { damage, isCrowded, otherNames, fresh, lastVisit, picked } = state
	const stored = storedList(state)
	const isCounted = state.count !== null
	const others = otherNames.slice(0, 5).join(', ') + (otherNames.length > 5 ? ' …' : '')
	return h('div', { class: `status ${tableState(state).name}`, role: 'status' },
		isCounted && h('strong', countWords(state)),
		isCounted && others !== '' && quiet(`also as ${others}`),
		stored && quiet(`${completeness(stored, '')} · read ${age(stored.fetchedAt.oldest)}`),
		damage && h('span.fault', `${damage} Type: chirper doctor --repair`),
		isCrowded && h('span', 'The server is busy. Trying again…'),
		tableWords(state, stored, actions),
		syncWords(state),
		isCounted && leftOutTools(state, actions),
		fresh > 0
			&& small(`${number(fresh)} new ${lastVisit ? 'since your last visit' : 'in 7 days'}`,
				() => actions.add(freshTerm(state))),
		picked.size > 0 && h('span', `${number(picked.size)} ticked `,
			small('Clear', () => actions.set({ picked: new Set(), isOfTicked: true }))))
}

function countWords(state) {
	const { answered, count, searched, isBusy } = state
	if (isBusy) return 'Searching…'
	if (!answered?.trim() || searched === null) return plural(count, 'recording')
	return `${number(count)} of ${plural(searched, 'recording')}`
}

/** What the state of the table is, and what somebody can do about it. */
function tableWords(state, stored, actions) {
	const { name, load, error, count } = tableState(state)
	if (!state.reached) {
		return h('span.fault', 'The server does not answer. Start it again with: chirper serve. '
			+ 'What was seen stays.')
	}
	if (name === 'error') {
		return (count > 0 || state.view !== 'rows') && [
			h('span.fault', `${error.message} ${error.hint ?? ''}`),
			small('Try again', () => actions.retry(loadOf(state, state.list))),
		]
	}
	if (load) return h('span.going', loadWords(load))
	if (name === 'paging' && mayChange(state)) return small('Load more', actions.more)
	return name === 'populated' && stored && h('span', 'End of the list.')
}

/** What a sync that this page started has found. */
function syncWords(state) {
	const load = loadOf(state, state.list)
	if (load?.kind !== 'sync' || load.state !== 'done' || load.load !== state.following) return null
	const words = ['new', 'changed', 'gone'].filter((word) => load[word])
	return h('span', words.map((word) => `${number(load[word])} ${word}`).join(', '))
}

/** What shows the recordings that are left out. */
function leftOutTools({ list, copies, leftOut, unlisted }, actions) {
	const more = `Show ${plural(leftOut, 'more copy', 'more copies')}`
	return [
		!list && (copies || leftOut > 0)
			&& small(copies ? 'Show each recording once' : more, () => actions.copies(!copies)),
		unlisted > 0
			&& small(`${number(unlisted)} more in no list any more`, () => actions.add('gone:any')),
	]
}

/** What somebody can do who has no link, or a wrong one. */
export const askForLink = 'Ask whoever runs chirper for the link.'

/** Why the rows are not known; `null` if they are. */
export function unknownView(state, actions) {
	const why = state.count === null && emptyView(state, actions)
	return why ? h('div.table', { key: 'unknown' }, why) : null
}

/** The view in place of an empty table, or of any view whose rows are not known. */
export function emptyView(state, actions) {
	const { count, list, queries, listFault, fault, search, reached } = state
	const { name, error, load } = tableState(state)
	if (!reached && !count) {
		return message('The server does not answer.', 'Start it with: chirper serve',
			button('Try again', actions.poll))
	}
	if (state.needsLink) return linkView(state, actions)
	if (name === 'loading') return message('Loading…', load ? loadWords(load) : '')
	if (name === 'error' && !count) {
		return message(error.message, error.hint,
			button('Try again', () => actions.retry(loadOf(state, list))))
	}
	if (name === 'unknown' && list && (listFault || (queries && !storedList(state)))) {
		const { query, source } = list
		return message(`“${query}” is not stored.`, listFault?.hint ?? '',
			mayChange(state)
				&& button(`Fetch it from ${source}`, () => actions.fetch(query, source)))
	}
	// What to do about it is below the search.
	if (count === null && fault?.search === search) {
		return message(fault.message, '', button('Show all', () => actions.search('')))
	}
	if (count !== 0) return null
	if (answeredSearch(state).trim()) return nothingFound(state, actions)
	if (list) return emptyList(state, actions)
	return nothingStored(state, actions)
}

/**
 * Asks what a search finds in everything stored, and for names that are spelled nearly so and find
 * something.
 */
export async function askForSuggestions(state) {
	const { search, list } = state
	const count = async (search, list) => {
		const parameters = unsorted({ ...state, search, list })
		const { rows } = await get('rows', parameters, { columns: 'id', limit: 0, soft: true })
		return rows ?? 0
	}
	const [{ suggestions }, elsewhere] = await Promise.all([
		get('suggestions', { q: search.trim() }),
		list ? count(search, null) : 0,
	])
	const counts = await Promise.all(suggestions.map((name) => count(name, list)))
	return { elsewhere, suggestions: suggestions.filter((_, index) => counts[index] > 0) }
}

function nothingFound(state, actions) {
	const { list, elsewhere, suggestions, search } = state
	const text = search.trim()
	return message(list ? 'Nothing in this list matches.' : 'Nothing stored matches.',
		mayChange(state)
			? 'Take a word away, or fetch the query from a catalogue.'
			: 'Take a word away.',
		elsewhere > 0 && button(`${number(elsewhere)} in everything stored`, actions.everywhere),
		suggestions.map((name) =>
			button(`Search “${name}”`, () => actions.search(name), { key: name })),
		button('Show all', () => actions.search('')),
		mayChange(state) && button(`Fetch “${text}”`, () => actions.fetch(text)))
}

function emptyList(state, actions) {
	const { query, source } = state.list
	const suggestions = loadOf(state, state.list)?.suggestions ?? []
	return message(`Nothing was found for “${query}”.`,
		'Try the English or the scientific name, or another catalogue.',
		suggestions.map((name) =>
			button(`Fetch “${name}”`, () => actions.fetch(name, source), { key: name })),
		button('Everything stored', () => actions.open(null)))
}

function nothingStored(state, actions) {
	const title = 'Nothing is stored yet.'
	if (!mayChange(state)) return message(title, 'Whoever runs chirper can fetch recordings.')
	return message(title,
		'Begin with one of these, or type a name above and press Fetch. '
			+ 'What is stored stays here without a network.',
		firstLists(state, actions))
}

/** What somebody can begin with; each says what it does, and what needs least comes first. */
const firstLists = ({ catalogues }, actions) =>
	h('span.first-lists',
		catalogues.filter(({ firstList }) => firstList).reverse().map((catalogue) =>
			h('span.first-list', { key: catalogue.source },
				h('strong', catalogue.name),
				...beginning(catalogue, actions))))

function beginning(catalogue, actions) {
	const { source, keyMissing, firstList } = catalogue
	if (keyMissing) {
		return [
			quiet('Needs a key, which is free. You enter it in a terminal, once.'),
			button('Enter a key', () => actions.set({ panel: 'key', asked: catalogue })),
		]
	}
	return [
		quiet(firstList.effect),
		button(firstList.action, () => actions.fetch(firstList.query, source)),
	]
}

const keyCommand = 'chirper auth set'
function keyView({ asked, catalogues }, actions) {
	const now = catalogues.find(({ source }) => source === asked.source) ?? asked
	const { name, keyFrom, keyMissing, firstList } = now
	if (!keyMissing) {
		const fetch = () => actions.fetch(firstList.query, asked.source)
		return [
			h('p', `The key for ${name} is here. ${firstList.effect}`),
			h('p.tools', button(firstList.action, fetch, { class: 'strong' })),
		]
	}
	return [
		h('ol.steps',
			h('li', 'Get a free key at ', outside(keyFrom, keyFrom), '.'),
			h('li', 'Open a terminal on the machine that runs chirper, and type: ',
				h('code', keyCommand), ' ', small('Copy', () => actions.copy(keyCommand))),
			h('li', 'Paste the key there. It is not shown, and this page never sees it.')),
		asked.isMissed && h('p.fault', { role: 'status' }, 'No key is stored yet.'),
		h('p.tools',
			button('I have entered it', actions.checkKey, { class: 'strong' }),
			button('Later', actions.close)),
	]
}

/** What opens the page of somebody without a link. A code that is off cannot be typed any more. */
function linkView({ hasCode, codeFault }, actions) {
	const takesCode = hasCode && codeFault?.kind !== 'code-off'
	const submit = instead(({ target }) => actions.enter(target.elements.code.value))
	return h('div.message',
		h('h2', takesCode ? 'This page needs a link or a code.' : 'This page needs a link.'),
		h('p.quiet', askForLink),
		takesCode && h('form', { onsubmit: submit },
			h('label', 'Code ',
				h('input', {
					type: 'text', name: 'code', required: '', size: '7', maxlength: '11',
					autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false',
				})),
			' ',
			h('button', { type: 'submit' }, 'Open')),
		h('p.fault', { role: 'alert' },
			codeFault && [codeFault.message, ' ', quiet(codeFault.hint)]))
}

const message = (title, text, ...buttons) =>
	h('div.message', h('h2', title), h('p.quiet', text), h('p', ...buttons))

/** The line between search bar and rows. */
export function tools(state, actions) {
	const { view, compare, hasFilters, count } = state
	const open = (name) => () => actions.panel(name)
	const views = {
		rows: 'Rows',
		map: 'Map',
		charts: 'Charts',
		compare: `Compare${compare.length > 0 ? ` ${compare.length}` : ''}`,
		learn: 'Learn',
	}
	return h('div.tools-line',
		h('nav', { class: 'views joined', 'aria-label': 'Views' },
			Object.entries(views).map(([id, name]) =>
				button(name, () => actions.show(id), {
					key: id, 'aria-current': view === id ? 'true' : null,
				}))),
		h('span.space'),
		button([h('span.words', 'Filter'), h('span.sign', '▽')], actions.filters, {
			class: 'to-filters', 'aria-label': 'Filter', 'aria-pressed': hasFilters,
		}),
		view === 'rows' && sortChoice(state, actions),
		view === 'rows' && button('Columns', open('columns'), { class: 'to-columns' }),
		button('Export', open('export'), { disabled: !count }))
}

function sortChoice({ sort }, actions) {
	const orders = columns.filter(({ narrow }) => narrow).flatMap(({ id, heading }) =>
		[[id, `↑ ${heading}`], [`-${id}`, `↓ ${heading}`]])
	return choice(sort[0] ?? '', [['', '⇅'], ...orders], actions.sortBy, {
		class: 'to-sort', 'aria-label': 'Sort',
	})
}

/** A dialog that Escape closes. A notice would lie under it, and is in it. */
export function panel(state, actions) {
	const content = {
		columns: () => [h('h2', 'Columns'), columnsView(state, actions), namesView(state, actions)],
		export: () => [h('h2', 'Export'), exportView(state, actions)],
		keys: () => [h('h2', 'Keys and search'), keysView(state, actions)],
		forget: () => forgetView(state, actions),
		key: () => [h('h2', `A key for ${state.asked.name}`), keyView(state, actions)],
	}[state.panel]
	if (!content) return null
	return h('dialog.panel', {
		key: state.panel,
		'aria-label': state.panel,
		oncancel: instead(actions.close),
		onclick: ({ target, currentTarget }) => target === currentTarget && actions.close(),
	},
		h('div.inside',
			signButton('×', 'Close', actions.close, { class: 'close' }),
			content()),
		notice(state, actions))
}

function columnsView(state, actions) {
	const ids = state.columns.map(({ id }) => id)
	const box = ({ id, heading }) => {
		const others = ids.filter((other) => other !== id)
		return checkbox(heading, ids.includes(id),
			(isOn) => actions.columns(isOn ? [...others, id] : others), others.length === 0)
	}
	return [
		h('div.choices', columns.map(box)),
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

/** The languages of names of animals. */
function namesView({ nameLanguages, names, usualNames }, actions) {
	const options = [
		['', 'as catalogues have them'],
		...nameLanguages.map((code) => [code, languageOf(code)]),
	]
	return nameLanguages.length > 0 && h('p',
		h('label', 'Names: ',
			choice(names ?? usualNames ?? '', options, actions.names, { class: 'to-names' })))
}

function forgetView({ asked }, actions) {
	const { query, source, rows } = asked
	return [
		h('h2', `Forget “${query}”?`),
		h('p', `The list of ${source} with ${plural(rows, 'row')} is removed, with the recordings `
			+ 'that no other list has and their audio. It can be fetched again.'),
		h('p.tools',
			button('Forget it', () => actions.forget(asked), { class: 'strong' }),
			button('Keep it', actions.close)),
	]
}

/** A sentence that is said once. */
export const notice = ({ notice }, actions) =>
	notice && h('div.notice', { role: 'alert' },
		h('p', notice.text, ' ', quiet(notice.hint)),
		signButton('×', 'Close', () => actions.set({ notice: null })))
