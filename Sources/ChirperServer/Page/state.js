// The state of the page: one value. Its address is a part of it, so that bookmarks and the browser's way back work.

/** What is shown before anything was answered. */
export const initial = {
	// From the address:
	list: null, // {source, query}; `null`: everything stored
	search: '', // in the language of docs/search.md
	sort: [], // column, or -column
	view: 'rows', // rows, map, charts, compare
	row: null, // CATALOGUE/ID of the recording that is shown
	at: 0, // the first row in sight
	compare: [], // CATALOGUE/ID of those that are compared
	place: null, // the map's [latitude, longitude, zoom]
	// From the server:
	queries: null, // stored lists; `null` until they were answered
	loads: [],
	session: null, // whether this page may fetch and change; `null` until that is known
	catalogues: [], // those that lists can be fetched from
	reached: true, // whether the server answered last
	count: null, // rows of the selection; `null` until that is known
	searched: null,
	suggestions: [], // names to try in place of a search that finds nothing
	fault: null, // what the server said to the search: {message, hint, at}
	details: null, // of `row`: {key, recording} or {key, error}
	// Of the person who looks:
	active: 0, // position of the row with the keyboard's mark
	picked: new Set(), // CATALOGUE/ID of the rows that were ticked
	uses: [], // what an export must be allowed for
	panel: null, // lists, columns, export, help: what lies over the page
	asked: null, // what a question is about
	notice: null, // a sentence that is said once
	following: null, // the number of the load that this page has started last
}

const views = new Set(['rows', 'map', 'charts', 'compare'])

/** The part of the state that an address has. `/363793` and `/species/Turdus-merula` are those of xeno-canto's pages. */
export function fromAddress(search, path = '/') {
	const address = new URLSearchParams(search)
	const [, number, species] = /^\/(?:((?:XC)?\d+)|species\/([^/]+))\/?$/i.exec(path) ?? []
	if (number) address.set('q', `nr:${number}`)
	if (species) address.set('q', `sp:"=${decodeURIComponent(species).replace(/-/g, ' ').replace(/["\\]/g, '')}"`)
	const list = address.get('list')
	const place = (address.get('map') ?? '').split(',').map(Number)
	return {
		list: list && list.includes(':') ? { source: list.slice(0, list.indexOf(':')), query: list.slice(list.indexOf(':') + 1) } : null,
		search: address.get('q') ?? '',
		sort: address.getAll('sort').slice(0, 4),
		view: views.has(address.get('view')) ? address.get('view') : 'rows',
		row: address.get('id'),
		at: Math.max(0, Number.parseInt(address.get('at') ?? '0', 10) || 0),
		compare: address.getAll('with').slice(0, 4),
		place: place.length === 3 && place.every(Number.isFinite) ? place : null,
	}
}

/** The address of a state. */
export function toAddress(state) {
	const address = new URLSearchParams()
	if (state.list) address.set('list', listText(state.list))
	if (state.search) address.set('q', state.search)
	for (const key of state.sort) address.append('sort', key)
	if (state.view !== 'rows') address.set('view', state.view)
	if (state.row) address.set('id', state.row)
	for (const key of state.compare) address.append('with', key)
	if (state.place) address.set('map', state.place.map((value) => Number(value.toFixed(3))).join(','))
	if (state.at > 0) address.set('at', String(state.at))
	const text = address.toString()
	return text ? `/?${text}` : '/'
}

/** Of a list, as the server and the command line take it: `gbif:parrot`. */
export const listText = (list) => `${list.source}:${list.query}`

export const keyOf = (recording) => `${recording.catalogue}/${recording.id}`

/** The parameters that say which recordings are meant. */
export function selection(state, { search = state.search, sorted = true } = {}) {
	const parameters = new URLSearchParams()
	if (state.list) parameters.append('list', listText(state.list))
	if (search.trim()) parameters.append('q', search)
	if (sorted) for (const key of state.sort) parameters.append('sort', key)
	return parameters
}

/** The stored list that is shown; `null` for everything stored, and for one that is not stored yet. */
export const storedList = (state) =>
	state.list && (state.queries?.find((query) => listText(query) === listText(state.list)) ?? null)

/** The latest load of the list that is shown. */
export const loadOfList = (state) =>
	state.list && (state.loads.findLast((load) => load.kind !== 'audio' && listText(load) === listText(state.list)) ?? null)

/**
 * The state of the table, one of five as in the terminal: `loading`, `paging`, `populated`, `empty`, `error`; `unknown` until the
 * server has answered, and for a list that was never fetched. It is computed from what is stored and from the load alone: a load
 * that failed never hides stored rows.
 */
export function tableState(state) {
	const latest = loadOfList(state)
	const load = latest?.state === 'running' ? latest : null
	const count = state.count ?? 0
	if (latest?.state === 'failed') return { name: 'error', error: latest.error, count }
	if (state.count === null) return { name: load ? 'loading' : 'unknown', load }
	if (storedList(state)?.next != null) return { name: 'paging', load, count }
	return { name: count === 0 ? 'empty' : 'populated', load, count }
}

/** What this browser keeps of a person's choices; `null` if there is none, or storage is switched off. */
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

/** The sort keys after a heading was chosen: up, down, and as before. */
export function sortedBy(sort, column) {
	if (sort[0] === column) return [`-${column}`]
	if (sort[0] === `-${column}`) return []
	return [column]
}
