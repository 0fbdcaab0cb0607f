// The state of the page: one value. Its address is a part of it, so that bookmarks and the
// browser's way back work.

import { defaultSettings } from './sonogram.js'

export const initial = {
	// From the address:
	list: null, // {source, query}; `null`: everything stored
	search: '', // in the language of docs/search.md
	sort: [], // column, or -column
	view: 'rows', // rows, map, charts, compare, learn
	row: null, // CATALOGUE/ID of the open recording
	at: 0, // the first row in sight
	compare: [], // CATALOGUE/ID of what is compared
	copies: false, // whether copies of recordings that are shown are shown too
	viewport: null, // the map's [latitude, longitude, zoom]
	// From the server:
	queries: null, // stored lists; `null` until they were answered
	version: null, // of the store
	loads: [],
	access: null, // owner, reader, none; `null` until that is known
	needsLink: false, // whether nothing can be read without the link
	hasCode: false, // whether a code that is read aloud opens the page, too
	codeFault: null, // why the code that was typed last did not
	catalogues: [],
	nameLanguages: [], // codes of the languages in which names can be shown
	usualNames: null, // the language that the server shows
	reached: true, // whether the server answered last
	isCrowded: false, // whether the server has too many connections to answer
	// Of the selection:
	turn: 0, // counts the selections
	isBusy: false, // whether its rows are asked for
	count: null, // its rows; `null` until they were counted
	searched: null, // how many recordings were searched
	unlisted: 0, // recordings that are left out, because they are in no list any more
	leftOut: 0, // copies that are left out
	otherNames: [], // under which recordings of a bird that was named are found too
	damage: null, // why rows of the list are missing
	suggestions: [], // names that find something, for a search that finds nothing
	elsewhere: 0, // what a search that finds nothing in the list finds in everything stored
	completions: [], // of what is typed, with names
	fault: null, // of the search: {message, hint, at, search}
	isFaultSaid: false, // whether it is: not while somebody types
	answered: null, // the last search that had an answer; `null` until one had
	listFault: null, // of the list, which was never fetched
	countedVersion: null, // of the store, when `fresh` was counted
	fresh: 0, // the number of new rows
	freshKeys: new Set(), // CATALOGUE/ID of new rows
	points: null, // what the map shows: {placed, bounds, points}
	charts: new Map(), // the answer of each chart
	menus: new Map(), // the count of each menu of the filters
	menusOf: null, // the selection that was counted for them
	isCountingMenus: false,
	hemispheres: null, // the months of {north, south} apart
	licences: null, // of what would be exported
	keptSounds: null, // how many sounds of what would be exported are kept
	deck: null, // how large a deck of it would be: {cards, bytes}
	keeping: null, // the fetch of those that are not: {done, of}
	details: null, // of `row`: {key, recording, viewport} or {key, error}
	// Of the person who looks:
	lastVisit: undefined, // when it ended
	columns: [], // of the table
	names: null, // the language of animals' names; '': as catalogues have them, null: the server's
	hasFilters: true, // whether the menus of the filters are shown
	hasGlobalKeys: true, // whether keys work outside of the table
	source: undefined, // the catalogue that is fetched from
	active: 0, // position of the keyboard's row
	brought: undefined, // position of a row that is to be brought in sight
	opensFirst: false, // whether the first row that is found is to be opened
	picked: new Set(), // CATALOGUE/ID of the ticked rows
	mapBox: null, // what the map shows, as a value of box:
	mapActive: 0, // position of the keyboard's row beside the map
	isBoxing: false, // whether a box is drawn on the map
	settings: defaultSettings, // of sonograms
	chosen: null, // CATALOGUE/ID of what the bar plays, or the key of a file of the person's own
	speed: 1, // of every sound
	round: [], // CATALOGUE/ID of the sounds of a round that somebody else has had
	lesson: null, // the round of sounds to learn: its phase, its questions and the answer
	queue: '', // the parameters of the rows that it was chosen from
	beside: {}, // what comes before and after it there: {previous, next}
	follows: 'off', // what plays by itself when a sound has ended: off, next, random
	own: [], // keys of files of the person's own that are compared
	sharedView: null, // the stretch of the sonograms that are compared
	format: 'csv',
	isTidy: false, // whether an export has standard columns
	isOfAnnotations: false, // whether it is of the annotations
	uses: [], // what an export must be allowed for
	isOfTicked: true, // whether an export is of the ticked rows, if there are any
	panel: null, // lists, columns, export, forget, key, keys: what lies over the page
	asked: null, // the list that is to be forgotten, or the catalogue whose key is missing
	notice: null, // {text, hint, place, isOver}
	following: null, // the load that this page started last
	requestedPage: null, // the page that this page has just asked to load
}

const views = new Set(['rows', 'map', 'charts', 'compare', 'learn'])

/**
 * The part of the state that an address has. `/363793` and `/species/Turdus-merula` are those of
 * xeno-canto's pages.
 */
export function fromAddress(search, path = '/') {
	const address = new URLSearchParams(search)
	const [, number, species] = /^\/(?:((?:XC)?\d+)|species\/([^/]+))\/?$/i.exec(path) ?? []
	if (number) address.set('q', `nr:${number}`)
	if (species) {
		const name = decodeURIComponent(species).replace(/-/g, ' ').replace(/["\\]/g, '')
		address.set('q', `sp:"=${name}"`)
	}
	const [, source, query] = /^(.*?):(.*)$/s.exec(address.get('list')) ?? []
	const viewport = (address.get('map') ?? '').split(',').map(Number)
	return {
		list: query === undefined ? null : { source, query },
		search: address.get('q') ?? '',
		sort: address.getAll('sort').slice(0, 4),
		view: views.has(address.get('view')) ? address.get('view') : 'rows',
		row: address.get('id'),
		at: Math.max(0, Number.parseInt(address.get('at') ?? '0', 10) || 0),
		compare: address.getAll('with').slice(0, 4),
		round: address.getAll('round').slice(0, 20),
		copies: address.get('copies') === 'all',
		viewport: viewport.length === 3 && viewport.every(Number.isFinite) ? viewport : null,
	}
}

/** The address of a state. */
export function toAddress(state) {
	const address = new URLSearchParams()
	if (state.list) address.set('list', listText(state.list))
	if (state.search) address.set('q', state.search)
	for (const key of state.sort) address.append('sort', key)
	if (state.copies) address.set('copies', 'all')
	if (state.view !== 'rows') address.set('view', state.view)
	if (state.row) address.set('id', state.row)
	for (const key of state.compare) address.append('with', key)
	if (state.view === 'learn') for (const key of state.round) address.append('round', key)
	if (state.viewport) {
		address.set('map', state.viewport.map((value) => Number(value.toFixed(3))).join(','))
	}
	if (state.at > 0) address.set('at', String(state.at))
	const text = address.toString()
	return text ? `/?${text}` : '/'
}

/** Of a list, as the server and the command line take it: `gbif:parrot`. */
export const listText = (list) => `${list.source}:${list.query}`

export const keyOf = (recording) => `${recording.catalogue}/${recording.id}`

/** The search that the rows are of: not what is typed while that is not a search yet. */
export const answeredSearch = ({ search, fault, answered }) =>
	fault?.search === search ? answered ?? search : search

/**
 * The parameters that say which recordings are meant. Rows on the screen are `ranked` unless they
 * are sorted; a file is not.
 */
export function selection(state, options = {}) {
	const { search = answeredSearch(state), sorted = true, ranked = false } = options
	const parameters = new URLSearchParams()
	if (state.list) parameters.append('list', listText(state.list))
	if (search.trim()) parameters.append('q', search)
	if (state.copies && !state.list) parameters.append('distinct', 'false')
	if (state.names !== null) parameters.append('names', state.names)
	if (sorted) for (const key of state.sort) parameters.append('sort', key)
	if (ranked && state.sort.length === 0 && search.trim()) parameters.append('sort', 'rank')
	return parameters
}

/** The selection for counts: in no order, and with a further term. */
export function unsorted(state, term) {
	const parameters = selection(state, { sorted: false })
	if (term) parameters.append('q', term)
	return parameters
}

/** The stored list that is shown; `null` for everything, and for one that is not stored yet. */
export const storedList = (state) =>
	state.list && (state.queries?.find(isList(state.list)) ?? null)

/** Whether something is, or is of, a list. */
export const isList = (list) => (other) => listText(other) === listText(list)

/** The load that this page started last, while it runs. */
export const runningLoad = ({ loads, following }) =>
	loads.find(({ load, state }) => load === following && state === 'running')

/** The latest load of a list. */
export const loadOf = (state, list) =>
	list && (state.loads.filter(({ kind }) => kind !== 'audio').findLast(isList(list)) ?? null)

/**
 * The state of the table, one of the terminal's five: `loading`, `paging`, `populated`, `empty`,
 * `error`; `unknown` until the server has answered, and for a list that was never fetched. A load
 * that failed never hides stored rows.
 */
export function tableState(state) {
	const latest = loadOf(state, state.list)
	const load = latest?.state === 'running' ? latest : null
	const count = state.count ?? 0
	if (latest?.state === 'failed') return { name: 'error', error: latest.error, count }
	if (state.count === null) return { name: load ? 'loading' : 'unknown', load }
	if (storedList(state)?.next != null) return { name: 'paging', load, count }
	return { name: count === 0 ? 'empty' : 'populated', load, count }
}

/**
 * Whether to offer what changes or fetches something. Without a session, as on the server's own
 * machine, the page says what it needs.
 */
export const mayChange = ({ access, needsLink }) =>
	access === 'owner' || (access === 'none' && !needsLink)

/** A search for the rows that are new: since the last visit, or in the last week. */
export function freshTerm({ lastVisit }) {
	if (!lastVisit) return 'new:7d'
	return `new:${Math.max(1, Math.ceil((Date.now() - lastVisit) / 60_000))}m`
}

/**
 * What this browser keeps of a person's choices; `null` if it keeps nothing, or storage is switched
 * off.
 */
export function kept(name) {
	try {
		return JSON.parse(localStorage.getItem(`chirper.${name}`))
	} catch {
		return null
	}
}

export function keep(name, value) {
	try {
		localStorage.setItem(`chirper.${name}`, JSON.stringify(value))
	} catch {
		// It holds for this visit.
	}
}

/** The sort key after a heading was chosen: up, down, and as before. */
export function sortedBy(sort, column) {
	if (sort[0] === column) return `-${column}`
	return sort[0] === `-${column}` ? null : column
}
