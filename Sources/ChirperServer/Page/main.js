// The page: one state, drawn anew after each change. Actions change the state or ask the server; views are pure functions.

import { accessOfPage, audioPath, Follower, get, latestOnly, pathOf, send, takeSession, whenBusy } from './api.js'
import { barView } from './bar.js'
import { within } from './canvas.js'
import { charts, chartView, mostCounted } from './charts.js'
import { chooseLanguage, chosenColumns, fieldsOf, nameForPeople } from './columns.js'
import { compareView } from './compare.js'
import { button, Delayed, draw, h, island, oncePerTurn, signButton } from './dom.js'
import { exported, mostSounds } from './export.js'
import { filtersView, menus, searchWithout } from './filters.js'
import { globalKey } from './keys.js'
import { learning, learnView } from './learn.js'
import { startMap } from './map.js'
import { notKept, playSign } from './player.js'
import { recordingView } from './recording.js'
import { Rows, startGrid } from './rows.js'
import { playAt } from './sound.js'
import { answeredSearch, freshTerm, fromAddress, initial, keep, kept, keyOf, listText, loadOf, mayChange, selection, sortedBy, storedList, tableState, toAddress } from './state.js'
import { clock, number, plural } from './text.js'
import { Tracks } from './tracks.js'
import { askForLink, emptyView, footer, listsView, notice, panel, searchBar, tools } from './views.js'

/** When this browser was here: half an hour without the page ends a visit. */
const visit = kept('visit') ?? {}
if (!(Date.now() - visit.last < 1_800_000)) visit.before = visit.last
const keepVisit = () => keep('visit', { ...visit, last: Date.now() })
keepVisit()
document.addEventListener('visibilitychange', keepVisit)

let state = {
	...initial, ...fromAddress(location.search, location.pathname), columns: chosenColumns(), hasGlobalKeys: kept('keys') !== false, follows: kept('follows') ?? 'off',
	// A small screen has them behind their button.
	hasFilters: kept('filters') ?? !matchMedia('(max-width: 820px)').matches, lastVisit: visit.before,
	// An address of one recording, as at xeno-canto, opens it.
	opensFirst: /^\/(XC)?\d+\/?$/i.test(location.pathname),
}

// While a list is stored, the rows of an answer can be older than the list: the server is asked again.
const refreshing = new Delayed(1000, () => rows.refresh())
// Once for several letters: it takes a browser as long as a search, and some refuse a hundred in a row.
const writingAddress = new Delayed(200, () => history.replaceState(history.state, '', toAddress(state)))
addEventListener('pagehide', () => writingAddress.flush())
// The map asks for its places when it rests.
const resting = new Delayed(100, () => askForView())
const drawSoon = oncePerTurn(() => drawPage())

const sayingFault = new Delayed(500, () => set({ isFaultSaid: true }))

const rows = new Rows(
	({ count, searched, unlisted, leftOut, otherNames, damage, isNew, version }) => {
		if (isNew || version !== state.countedVersion) {
			set({ countedVersion: version })
			countFresh()
			askForView()
			if (document.querySelector('.filters:is(:hover, :focus-within)')) askForMenus()
		}
		if (isNew) {
			if (state.opensFirst && count > 0) actions.openRow(keyOf(rows.at(0)))
			set({ opensFirst: false })
			if (count === 0) suggest()
		}
		refreshing.stop()
		if (state.version !== null && version !== state.version && state.reached) refreshing.start()
		// The rows of an earlier search, which were asked for again, say nothing about what is typed.
		const isTyped = answeredSearch(state) === state.search
		if (isTyped) sayingFault.stop()
		set({ count, searched, unlisted, leftOut, otherNames, damage, ...(isTyped && { fault: null, isFaultSaid: false, answered: state.search }), reached: true, isBusy: false, ...(isNew && state.active >= count && { active: 0 }) })
	},
	(error) => {
		if (error.status === 0) set({ reached: false, isBusy: false })
		else if (error.status === 401) refused()
		else if (error.kind === 'never-fetched' && !error.at) set({ listFault: error, count: null, isBusy: false })
		else {
			if (error.status === 200) rows.back()
			if (!state.isFaultSaid) sayingFault.start()
			set({ fault: Object.assign(error, { search: state.search }), isBusy: false })
			askForView()
		}
	},
)
const tracks = new Tracks(() => set({}), (track) => playOn(track))

// MARK: State

/** Changes the state, and draws the page before the next frame. `address` is 'push' for a step that the way back undoes. */
function set(changes, address) {
	for (const name of Object.keys(changes)) if (!(name in initial)) throw new Error(`The state has nothing called ${name}.`)
	if (address === 'push') writingAddress.flush()
	state = { ...state, ...changes }
	const { notice } = state
	if (notice && (notice.place !== placeOf(state) || notice.isOver?.(state))) state = { ...state, notice: null }
	if (address === 'push') history.pushState(null, '', toAddress(state))
	else if (address) writingAddress.start()
	drawSoon()
}

/** Asks for the rows of the selection as it is now, and for what else is in sight. */
function select({ clears = false } = {}) {
	state = { ...state, isBusy: true, listFault: null, turn: state.turn + 1, ...(clears && { count: null, searched: null, answered: null }) }
	// A list whose first page is under way: its rows are asked for when it is stored.
	if (state.queries && !storedList(state) && loadOf(state, state.list)?.state === 'running') return rows.clear()
	rows.select(selection(state, { ranked: true }), fieldsOf(state.columns), state.at, clears)
}

/** Selects other rows, from the first one on, by a step that the way back undoes. */
function selectStep(changes) {
	set({ at: 0, active: 0, ...changes }, 'push')
	select()
}

/** What the view needs apart from rows. While those are waited for it is not known whether what is typed is a search: their answer asks again. */
const askForView = latestOnly(async (signal) => {
	if (rows.isWaiting) return
	try {
		if (state.view === 'map') await askForPoints(signal)
		else if (state.view === 'charts') await askForCharts(signal)
		else if (state.view === 'learn') actions.lesson.look()
		if (state.panel === 'export') {
			const sounds = exported(state, false)
			sounds.append('q', 'audio:yes')
			const [licences, { rows: keptSounds }] = await Promise.all([
				get('stats', exported(state, false), { by: 'licence' }, signal), get('rows', sounds, { columns: 'id', limit: 0 }, signal)])
			set({ licences, keptSounds })
		}
	} catch (error) {
		if (error.name !== 'AbortError') failed(error)
	}
})

/** The places within what the map shows; each of at most 2,000, else how many are near each other. */
async function askForPoints(signal) {
	const { placed, bounds, points, cells } = await get('map', selection(state, { sorted: false }), state.mapBox ? { box: state.mapBox } : {}, signal)
	const shown = points?.map(([latitude, longitude, uncertainty, , catalogue, id, isDoubtful]) => [latitude, longitude, uncertainty, `${catalogue}/${id}`, 1, isDoubtful])
		?? cells.map(([latitude, longitude, count]) => [latitude, longitude, null, null, count])
	set({ points: { placed, bounds, points: shown } })
	const listed = selection(state, { ranked: true })
	listed.append('q', state.mapBox ? `box:${state.mapBox}` : 'lat:any')
	set({ mapped: await get('rows', listed, { columns: `${heardFields},locality,country`, limit: mostMapped }, signal) })
}

async function askForCharts(signal) {
	const count = (by, more) => {
		const parameters = selection(state, { sorted: false })
		if (more) parameters.append('q', more)
		return get('stats', parameters, { by, limit: mostCounted }, signal)
	}
	// In the south, spring is in October.
	const south = await count('month', 'lat:<0')
	const north = south.recordings > 0 ? await count('month', 'lat:>0') : null
	const apart = north?.recordings > 0 ? { north, south } : null
	for (const { by } of charts) set({ charts: new Map(state.charts).set(by, await count(by)), hemispheres: apart })
}

/** Counts what the menus of the filters choose from, for those who use them. */
function askForMenus() {
	const counted = [...selection(state, { sorted: false }), state.countedVersion].join()
	if (state.count === null || state.menusOf === counted) return
	set({ menusOf: counted, isCountingMenus: true })
	countMenus()
}

const countMenus = latestOnly(async (signal) => {
	try {
		for (const menu of menus) {
			const answer = await get('stats', selection(state, { search: searchWithout(state, menu), sorted: false }), { by: menu.by, limit: mostCounted }, signal)
			set({ menus: new Map(state.menus).set(menu.by, answer) })
		}
		set({ isCountingMenus: false })
	} catch (error) {
		if (error.name === 'AbortError') return
		set({ menusOf: null, isCountingMenus: false })
		failed(error)
	}
})

/** After a search that finds nothing: what it finds in everything stored, and names that are spelled nearly so and find something. */
async function suggest() {
	const { search, list } = state
	const count = async (text, among) =>
		(await get('rows', selection({ ...state, search: text, list: among }, { sorted: false }), { columns: 'id', limit: 0, soft: true })).rows ?? 0
	try {
		const [{ suggestions }, elsewhere] = await Promise.all([get('suggestions', { q: search.trim() }), list ? count(search, null) : 0])
		const counts = await Promise.all(suggestions.map((name) => count(name, list)))
		if (search === state.search && list === state.list) set({ elsewhere, suggestions: suggestions.filter((_, index) => counts[index] > 0) })
	} catch {
		// The search then has no suggestions.
	}
}

/** Offers names whose beginning is typed. */
const complete = latestOnly(async (signal) => {
	const { search } = state
	const { completions } = search.trim() ? await get('completions', { q: search }, {}, signal).catch(() => ({ completions: [] })) : { completions: [] }
	if (search === state.search) set({ completions })
})

/** The new rows: how many, and which have a mark. */
async function countFresh() {
	const parameters = selection(state, { sorted: false })
	// Apart from the search, which can be an address.
	parameters.append('q', freshTerm(state))
	if (state.list) parameters.append('q', `in:"${listText(state.list).replace(/["\\]/g, '\\$&')}"`)
	// What is wrong with a search is said by the rows.
	const { rows, recordings } = await get('rows', parameters, { columns: 'id,catalogue', limit: 1000 }).catch(() => ({ rows: 0, recordings: [] }))
	set({ fresh: rows, freshKeys: new Set(recordings.map(keyOf)) })
}

async function askForDetails() {
	const key = state.row
	if (!key || state.details?.key === key) return
	set({ details: null })
	try {
		const recording = await recordingOf(key)
		if (state.row === key) set({ details: { key, recording } })
	} catch (error) {
		if (state.row === key) set({ details: { key, error } })
	}
}

/** What a row must have to be heard from the bar. */
const heardFields = 'id,catalogue,catalogNumber,vernacularName,acceptedVernacularName,scientificName,mediaDuration,audio'

const nameOf = (recording) => [nameForPeople(recording) ?? recording.scientificName, recording.catalogNumber ?? recording.id].filter(Boolean).join(', ')

/** Keeps the language of names for everything that is asked for from now on. */
function showNames(language) {
	chooseLanguage(Boolean(language ?? state.usualNames))
	set({ names: language })
}

/** A recording, whose sound is opened if it is kept. */
async function recordingOf(key) {
	const recording = await get(`recordings/${pathOf(key)}`, state.names === null ? {} : { names: state.names })
	soundOf(recording).isNamed = true
	return recording
}

function soundOf(recording) {
	const track = tracks.of(keyOf(recording), recording.audio)
	track.name = nameOf(recording)
	track.seconds = recording.mediaDuration
	return track
}

/** Opens what is compared, as far as its audio is kept. */
async function askForCompared() {
	for (const key of state.compare) {
		if (tracks.of(key).isNamed) continue
		try {
			await recordingOf(key)
			set({})
		} catch (error) {
			set({ compare: state.compare.filter((other) => other !== key) }, 'replace')
			failed(error)
		}
	}
}

function failed(error) {
	if (error.status === 0) return set({ reached: false })
	if (error.status !== 401) return say(error.message, error.hint)
	set({ access: 'none' })
	say('You can look, but not fetch or change.', askForLink, ({ access }) => access === 'owner')
}

/** Nothing can be read. */
const refused = () => set({ access: 'none', needsLink: true, isBusy: false })

/** A sentence that is said once, and what to do, until something else is looked at, or `isOver(state)`. */
const say = (text, hint, isOver) => set({ notice: { text, hint, isOver, place: placeOf(state) } })

/** What is looked at: a list, a search, a view, a recording. */
const placeOf = (state) => toAddress({ ...state, at: 0, viewport: null, compare: [] })

/** Gives the player to a sound of the rows that are shown, unless it is of the `queue`; the one before rests. */
function choose(key, queue) {
	if (key === state.chosen) return
	if (state.chosen) tracks.of(state.chosen).rest()
	set({ chosen: key, queue: queue ?? selection(state, { ranked: true }).toString(), beside: {} })
	askForBeside()
}

/** Rows of the selection that the chosen sound is from; with `isKept` those of it whose audio is here. */
async function queued(isKept, offset, limit) {
	const parameters = new URLSearchParams(state.queue)
	if (isKept) parameters.append('q', 'audio:yes')
	return get('rows', parameters, { columns: heardFields, offset, limit })
}

/** What comes before and after the chosen sound; for a reader of what is kept. */
async function besideOf(key, isKept) {
	const ask = async (offset, limit) => (await queued(isKept, offset, limit)).recordings
	const near = isKept ? -1 : rows.find(key, state.active)
	const position = near >= 0 ? near : await positionOf(key, ask)
	if (position < 0) return {}
	const found = await ask(Math.max(0, position - 1), 3)
	const index = found.findIndex((recording) => keyOf(recording) === key)
	return index < 0 ? {} : { previous: found[index - 1], next: found[index + 1] }
}

async function askForBeside() {
	const key = state.chosen
	if (!key || tracks.of(key).isOwn) return
	const beside = await besideOf(key, !mayChange(state)).catch(() => ({}))
	if (key === state.chosen) set({ beside })
}

/** Where a recording is among rows; -1 if it is not among the first 20,000. */
async function positionOf(key, ask) {
	for (let from = 0; from < 20_000; from += 1000) {
		const some = await ask(from, 1000)
		const index = some.findIndex((recording) => keyOf(recording) === key)
		if (index >= 0) return from + index
		if (some.length < 1000) break
	}
	return -1
}

/** Plays what follows by itself, which is only what is kept: nothing is fetched that nobody asked for. */
async function playOn(track) {
	if (track.key !== state.chosen || state.follows === 'off' || track.isOwn) return
	try {
		let { next } = state.follows === 'next' ? await besideOf(track.key, true) : {}
		if (state.follows === 'random') {
			const { rows: count } = await queued(true, 0, 0)
			const { recordings } = await queued(true, Math.floor(Math.random() * Math.max(1, count - 1)), 2)
			next = recordings.find((recording) => keyOf(recording) !== track.key)
		}
		if (next && track.key === state.chosen) actions.playFrom(next)
	} catch (error) {
		failed(error)
	}
}

// MARK: Actions

const actions = {
	set,
	follow(event, query) {
		if (event.metaKey || event.ctrlKey || event.shiftKey) return
		event.preventDefault()
		actions.open(query)
	},
	followRow(event, key) {
		if (event.metaKey || event.ctrlKey || event.shiftKey) return
		event.preventDefault()
		actions.openRow(key)
	},
	/** Shows a list, which a query and a load name; `null`: everything stored. */
	open(named) {
		const list = named && { source: named.source, query: named.query }
		set({ list, search: '', at: 0, active: 0, panel: null, row: null, viewport: null, points: null, mapBox: null, suggestions: [], elsewhere: 0, view: state.view === 'compare' ? 'rows' : state.view, picked: new Set() }, 'push')
		select({ clears: true })
	},
	search(search) {
		set({ search, at: 0, active: 0, viewport: null, mapBox: null, suggestions: [], elsewhere: 0 }, 'replace')
		select()
	},
	/** An address opens its recording if it was pasted: one that is typed is that of a different recording until its last digit. */
	type(search, isPasted) {
		set({ opensFirst: isPasted && /^https?:\/\/\S+$/i.test(search.trim()) })
		actions.search(search)
		complete()
	},
	everywhere: () => selectStep({ list: null, suggestions: [], elsewhere: 0 }),
	/** Puts a tag into the field, for its value to be typed. */
	tag(tag) {
		actions.close()
		actions.type(`${answeredSearch(state)} ${tag}:`.trim())
		// When the dialog has given the focus back.
		setTimeout(() => document.getElementById('search').focus())
	},
	add: (term) => actions.searchStep(`${answeredSearch(state)} ${term}`),
	searchStep: (search) => selectStep({ search: search.trim(), suggestions: [], elsewhere: 0 }),
	async fetch(text, source = state.source) {
		const before = state.loads.find(({ load, state: is }) => load === state.following && is === 'running')
		// A new query cancels the one before.
		if (before) await actions.cancel(before.load)
		await actions.load({ query: text, source }, actions.open)
	},
	/** Loads a list, or more of it; `onBegin(load)` when the server has begun to. */
	async load(body, onBegin) {
		try {
			const load = await send('POST', '/api/chirper/loads', body)
			set({ following: load.load, loads: [...state.loads.filter((other) => other.load !== load.load), load] })
			follower.follow()
			onBegin?.(load)
			if (load.notes) say(`${load.notes.join('. ')}.`)
		} catch (error) {
			failed(error)
		}
	},
	sync: ({ query, source }) => actions.load({ query, source, sync: true }),
	more() {
		const stored = storedList(state)
		if (stored?.next == null || loadOf(state, state.list)?.state === 'running' || stored.next === state.requestedPage) return
		set({ requestedPage: stored.next })
		actions.load({ query: stored.query, source: stored.source, pages: stored.next }).finally(() => set({ requestedPage: null }))
	},
	retry({ query, source, kind }) {
		actions.load({ query, source, ...(kind === 'sync' ? { sync: true } : { pages: storedList(state)?.next ?? 1 }) })
	},
	cancel: (number) => send('DELETE', `/api/chirper/loads/${number}`).then(() => follower.follow(), failed),
	/** Asks again whether there is a key now. */
	async checkKey() {
		try {
			const { catalogues } = await get('catalogues')
			set({ catalogues, asked: { ...state.asked, isMissed: true } })
		} catch (error) {
			failed(error)
		}
	},
	async forget(query) {
		try {
			await send('DELETE', `/api/chirper/lists?${new URLSearchParams({ query: query.query, source: query.source })}`)
			if (state.list && listText(state.list) === listText(query)) actions.open(null)
			say(`“${query.query}” was forgotten.`)
			follower.poll()
		} catch (error) {
			failed(error)
		}
		actions.close()
	},
	show(view) {
		set({ view }, 'push')
		askForView()
		if (view === 'compare') askForCompared()
	},
	panel(name) {
		set({ panel: state.panel === name ? null : name, licences: null, keptSounds: null })
		if (state.panel === 'export') askForView()
	},
	close: () => set({ panel: null }),
	poll: () => follower.poll(),
	menus: askForMenus,
	filters() {
		keep('filters', !state.hasFilters)
		set({ hasFilters: !state.hasFilters })
		if (state.hasFilters) askForMenus()
	},
	columns(ids) {
		keep('columns', ids)
		set({ columns: chosenColumns(ids) })
		select()
	},
	/** Shows names of animals in a language; '': as catalogues have them. */
	names(language) {
		keep('names', language)
		showNames(language)
		select()
		askForView()
		if (state.row) set({ details: null })
		askForDetails()
	},
	exporting(changes) {
		const isOther = 'isOfTicked' in changes || 'uses' in changes
		set({ ...changes, ...(isOther && { licences: null, keptSounds: null }) })
		if (isOther) askForView()
	},
	/** Fetches the sounds of what is exported that are not kept, one after the other. */
	async keepSounds() {
		try {
			const parameters = exported(state)
			parameters.append('q', 'audio:no')
			const { recordings } = await get('rows', parameters, { columns: 'id,catalogue', limit: mostSounds })
			set({ keeping: { done: 0, of: recordings.length } })
			const faults = []
			for (const key of recordings.map(keyOf)) {
				if (!state.keeping) break
				const load = await send('POST', audioPath(key))
				const ended = load.kept ? load : await endOf(load)
				if (ended?.error) faults.push(ended.error)
				if (state.keeping) set({ keeping: { ...state.keeping, done: state.keeping.done + 1 } })
			}
			if (faults.length > 0) say(`${plural(faults.length, 'sound')} could not be fetched. ${faults[0].message}`, faults[0].hint)
		} catch (error) {
			failed(error)
		}
		set({ keeping: null })
		askForView()
	},
	stopKeeping: () => set({ keeping: null }),
	toSearch: () => document.getElementById('search').select(),
	toRows: () => document.querySelector('.grid')?.focus(),
	globalKeys(isOn) {
		keep('keys', isOn)
		set({ hasGlobalKeys: isOn })
	},

	pick(recording) {
		const picked = new Set(state.picked)
		const key = keyOf(recording)
		if (!picked.delete(key)) picked.add(key)
		set({ picked })
	},
	sort: (column) => actions.sortBy(column && sortedBy(state.sort, column)),
	copies: (copies) => selectStep({ copies }),
	sortBy: (key) => selectStep({ sort: key ? [key] : [] }),
	openRow(key) {
		set({ row: key, details: state.details?.key === key ? state.details : null }, state.row ? 'replace' : 'push')
		askForDetails()
		if (!key) actions.toRows()
	},
	/** Opens the next or previous row of the selection, or of those of it that a term finds. */
	async step(by, term) {
		const parameters = selection(state, { search: `${answeredSearch(state)} ${term ?? ''}`, ranked: true })
		const ask = async (offset, limit) => (await get('rows', parameters, { columns: 'id,catalogue', offset, limit })).recordings
		try {
			let current = term ? await positionOf(state.row, ask) : rows.find(state.row, state.active)
			if (!term && current < 0) current = state.active
			const next = current + by
			const [recording] = next < 0 ? [] : await ask(next, 1)
			const key = recording && keyOf(recording)
			if (!key) return say('No further row in this direction.')
			const position = term ? rows.find(key, state.active) : next
			if (position >= 0) set({ active: position, brought: position })
			actions.openRow(key)
		} catch (error) {
			failed(error)
		}
	},
	same: (term) => {
		set({ list: null, view: 'rows' })
		actions.searchStep(term)
	},
	/** Plays or pauses a sound, or plays a stretch of it: the one way to hear one. What is not kept is fetched first. */
	async play(key, stretch = null) {
		const track = tracks.of(key)
		if (!track.sound && !mayChange(state)) return say(notKept, null, ({ chosen }) => tracks.known(chosen)?.sound?.isPlaying)
		if (!stretch && track.sound?.isPlaying) return track.sound.pause()
		choose(key)
		if ((await tracks.keep(track, stretch)) !== null) follower.follow()
		if (track.fault?.status === 401) failed(track.fault)
	},
	seek(key, seconds) {
		choose(key)
		tracks.of(key).sound.seek(seconds)
	},
	/** Plays a stretch again and again. */
	loop(key, stretch) {
		choose(key)
		tracks.of(key).sound.loop(stretch)
	},
	/** Plays a row of the queue, and marks it if it is in sight. */
	playFrom(recording) {
		const key = keyOf(recording)
		const position = rows.find(key, state.active)
		if (position >= 0 && state.queue === selection(state, { ranked: true }).toString()) set({ active: position, brought: position })
		soundOf(recording)
		choose(key, state.queue)
		actions.play(key)
	},
	follows(follows) {
		keep('follows', follows)
		set({ follows })
	},
	speed(speed) {
		playAt(speed)
		set({ speed })
	},
	/** Closes the player. What it waits for is not fetched. */
	silence() {
		const track = tracks.of(state.chosen)
		if (track.status === 'fetching' && track.load) actions.cancel(track.load)
		choose(null)
	},
	playRow: (recording) => {
		soundOf(recording)
		actions.play(keyOf(recording))
	},
	compare(key) {
		const isIn = state.compare.includes(key)
		if (!isIn && state.compare.length + state.own.length >= 4) return say('Four are compared already.', 'Take one away first.', ({ compare, own }) => compare.length + own.length < 4)
		set({ compare: isIn ? state.compare.filter((other) => other !== key) : [...state.compare, key] }, 'replace')
		if (state.view === 'compare') askForCompared()
	},
	uncompare(key) {
		const isOther = (other) => other !== key
		if (key === state.chosen) actions.silence()
		set({ own: state.own.filter(isOther), compare: state.compare.filter(isOther) }, 'replace')
	},
	own: (file) => set({ own: [...state.own, tracks.own(file).key] }),
	hear(index, seconds, stretch) {
		const all = compared()
		const next = all[index]
		if (!next) return
		if (!next.sound) return actions.play(next.key)
		// It goes on as the one before: where it was, with its loop.
		const sound = all[heard()]?.sound
		const isPlaying = sound?.isPlaying
		const time = seconds ?? sound?.time ?? 0
		choose(next.key)
		next.sound.loop(stretch ?? sound?.stretch ?? null)
		next.sound.seek(time)
		if (isPlaying) next.sound.play()
	},
	playCompared(index) {
		const { key, sound } = compared()[index]
		if (!sound || key === state.chosen) return actions.play(key)
		actions.hear(index)
		sound.play()
	},
	/** Plays or pauses what the bar has; in the comparison the first if it has nothing. */
	toggle() {
		const key = question()?.key ?? state.chosen ?? (state.view === 'compare' ? compared()[0]?.key : null)
		if (key) actions.play(key)
	},
	settings: (settings) => set({ settings }),
	view: (track, view) => ((track.view = view), set({})),
	sharedView: (view) => set({ sharedView: view }),
	moveDetailMap: (viewport) => set({ details: { ...state.details, viewport } }),
	moveMap(viewport, mapBox) {
		set({ viewport, mapBox }, 'replace')
		resting.start()
	},
	box(box) {
		const rest = answeredSearch(state).replace(/(^|\s)box:\S+/g, '')
		set({ isBoxing: false, viewport: null, mapBox: null })
		actions.searchStep(`${rest} box:${box.join(',')}`)
	},
	async copy(text) {
		try {
			await navigator.clipboard.writeText(text)
			say('Copied.')
		} catch {
			say('This browser does not let the page copy.', 'Select the text, and copy it.')
		}
	},
}

/** A load when it has ended. */
async function endOf(load) {
	set({ loads: [...state.loads, load] })
	follower.follow()
	const isRunning = () => state.loads.some((other) => other.load === load.load && other.state === 'running')
	while (isRunning()) await new Promise((resume) => setTimeout(resume, 200))
	return state.loads.find((other) => other.load === load.load)
}

/** What Learn asks, if that is in sight. */
const question = () => (state.view === 'learn' && ['asking', 'answered'].includes(state.lesson?.phase) ? state.lesson.round[state.lesson.index] : null)

actions.lesson = learning({ state: () => state, set, tracks, choose, play: actions.play, failed })

/** Which of what is compared is heard. */
const heard = () => Math.max(0, compared().findIndex(({ key }) => key === state.chosen))

const compared = () => [...state.compare.map((key) => tracks.of(key)), ...state.own.map((key) => tracks.of(key))].slice(0, 4)

// MARK: Drawing

/** ▶ of a row. */
function signOf(recording) {
	const key = keyOf(recording)
	const track = tracks.known(key)
	return playSign({
		isPlaying: track?.sound?.isPlaying, isFetching: track?.status === 'fetching', isKept: Boolean(recording.audio || track?.sound),
		mayFetch: mayChange(state), seconds: recording.mediaDuration,
	})
}

const table = () =>
	h('div.table', { key: 'table' },
		island('div.grid', 'grid', { role: 'grid', tabIndex: 0, 'aria-label': 'Recordings', 'aria-multiselectable': 'true' }, startGrid, {
			rows, columns: state.columns, sort: state.sort, active: state.active, picked: state.picked, fresh: state.freshKeys, kept: tracks.kept, soundOf: signOf,
			shown: state.row, brought: state.brought, compared: state.compare, first: state.at, turn: state.turn, isBusy: state.isBusy, isEarlier: answeredSearch(state) !== state.search,
			onActive: (active) => set({ active }), onOpen: (recording) => actions.openRow(keyOf(recording)), onPick: actions.pick, onPlay: actions.playRow,
			onSort: actions.sort, onRest: (at) => at !== state.at && set({ at }, 'replace'), onCompare: (recording) => actions.compare(keyOf(recording)),
			onEnd: () => tableState(state).name === 'paging' && !state.search && state.access === 'owner' && state.reached && actions.more(),
		}),
		emptyView(state, actions))

/** Rows below the map. */
const mostMapped = 50

/** What is in sight on the map, to be heard. */
const mappedView = ({ rows: count, recordings }) =>
	count > 0 && h('section.places', { 'aria-label': 'Recordings on the map' },
		h('p.quiet', null, count > recordings.length ? `The first ${number(recordings.length)} of ${number(count)} in sight or near it:` : `${number(count)} in sight or near it:`),
		h('ol', null, recordings.map((recording) => {
			const key = keyOf(recording)
			const sign = signOf(recording)
			return h('li', { key },
				sign && signButton(...sign, () => actions.playRow(recording), { class: 'play small' }), ' ',
				h('a', { href: toAddress({ ...state, row: key }), onclick: (event) => actions.followRow(event, key) }, nameOf(recording)),
				h('span.quiet', null, ` ${[clock(recording.mediaDuration ?? NaN), recording.locality, recording.country].filter(Boolean).join(', ')}`))
		})))

const mapView = () => {
	const points = state.points
	const missing = points && state.count !== null ? state.count - points.placed : 0
	return h('div.mapped', { key: 'map' },
		h('div.toolbar', null,
			button('Draw a box', () => set({ isBoxing: !state.isBoxing }), { 'aria-pressed': Boolean(state.isBoxing) }),
			button('Show all', () => actions.moveMap(null, null)),
			h('p.quiet', { role: 'status' },
				state.isBoxing ? 'Drag a box, or press Enter in the map for all of it.'
					: !points ? 'Loading the places…'
					: `${number(points.placed)} with a place${missing > 0 ? `, ${number(missing)} without one` : ''}.`)),
		island('div.map', 'map', { tabIndex: 0, role: 'group', 'aria-label': 'Map. Arrow keys move it, plus and minus zoom.' }, startMap, {
			points: points?.points ?? [], bounds: points?.bounds, viewport: state.viewport, shown: state.row, isBoxing: state.isBoxing, label: `Map of ${number(points?.placed ?? 0)} recordings`,
			onMove: actions.moveMap, onBox: actions.box, onOpen: actions.openRow,
		}),
		state.mapped && mappedView(state.mapped))
}

const chartsView = () =>
	h('div.charts', { key: 'charts' },
		charts.map((chart) => {
			const answer = state.charts.get(chart.by)
			const view = (answer, heading, note) => chartView(chart, answer, answeredSearch(state), actions.searchStep, heading, note)
			if (chart.by !== 'month' || !state.hemispheres) return view(answer)
			const { north, south } = state.hemispheres
			const rest = (answer?.recordings ?? 0) - north.recordings - south.recordings
			return [view(north, 'Months, north of the equator'), view(south, 'Months, south of it', rest > 0 && `${number(rest)} in neither: no place is known.`)]
		}))

const comparison = () =>
	h('div.comparison', { key: 'compare' }, compareView({ tracks: compared(), heard: heard(), view: state.sharedView, settings: state.settings, mayFetch: mayChange(state), actions }))

function playerBar() {
	if (!state.chosen) return null
	const track = tracks.of(state.chosen)
	return barView({ state, track, address: track.isOwn ? null : toAddress({ ...state, row: state.chosen }), mayFetch: mayChange(state), actions })
}

function drawPage() {
	const view = { rows: table, map: mapView, charts: chartsView, compare: comparison, learn: () => learnView(state, question() && tracks.of(question().key), actions) }[state.view]
	const name = state.list?.query ?? (state.search || 'Everything stored')
	document.title = `${name} – chirper`
	draw(document.getElementById('page'), [
		searchBar(state, actions),
		listsView(state, actions),
		h('main', null, h('h1.unseen', null, name), tools(state, actions), filtersView(state, actions), view(), footer(state, actions)),
		state.row && h('aside.recording', { 'aria-label': 'Recording', key: 'recording' },
			signButton('×', 'Close the recording', () => actions.openRow(null), { class: 'close' }),
			recordingView({ details: state.details, track: tracks.of(state.row), settings: state.settings, isCompared: state.compare.includes(state.row), mayFetch: mayChange(state), actions })),
		playerBar(),
		panel(state, actions),
		notice(state, actions),
	])
	const dialog = document.querySelector('dialog')
	if (dialog && !dialog.open) dialog.showModal()
	tracks.keepOnly(new Set([state.row, state.chosen, state.lesson?.round?.[state.lesson.index]?.key, ...state.compare, ...state.own]))
}

// MARK: Beginning

whenBusy((isCrowded) => isCrowded !== state.isCrowded && set({ isCrowded }))
const follower = new Follower(
	(server) => {
		// The link was opened in a different tab.
		if (state.needsLink) return begin()
		const { queries, loads, version = null } = server
		tracks.follow(loads)
		const hasChanged = state.queries && JSON.stringify([queries, version]) !== JSON.stringify([state.queries, state.version])
		const before = loadOf(state, state.list)?.state
		set({ queries, loads, version })
		if (hasChanged) rows.refresh()
		// A load that finds nothing changes neither lists nor the store.
		if (state.count === null && (hasChanged || loadOf(state, state.list)?.state !== before)) select()
	},
	(reached, error) => {
		if (reached && !state.reached) rows.refresh()
		set({ reached })
		if (error?.status === 401) refused()
		else if (error) failed(error)
	},
)

document.addEventListener('keydown', (event) => globalKey(event, state, actions))
addEventListener('popstate', () => {
	writingAddress.stop()
	const before = state
	set({ ...fromAddress(location.search, location.pathname), panel: null, points: state.view === 'map' ? state.points : null })
	const selected = (state) => toAddress({ ...state, row: null, view: 'rows', at: 0 })
	const listOf = ({ list }) => list && listText(list)
	if (selected(before) !== selected(state)) select({ clears: listOf(before) !== listOf(state) })
	else askForView()
	askForDetails()
	if (state.view === 'compare') askForCompared()
})
addEventListener('hashchange', () => begin())

async function begin() {
	// Drawn while the server answers.
	setTimeout(set, 0, {})
	await takeSession().catch((error) => (error.kind === 'wrong-token' ? say(error.message, error.hint) : failed(error)))
	try {
		const access = await accessOfPage()
		set({ access, needsLink: false })
	} catch (error) {
		failed(error)
	}
	follower.poll()
	select()
	askForDetails()
	if (state.view === 'compare') askForCompared()
	try {
		const { catalogues, nameLanguages = [], names: usualNames = null } = await get('catalogues').catch(() => ({ catalogues: [] }))
		set({ catalogues, source: catalogues.find(({ usual }) => usual)?.source, nameLanguages, usualNames })
		// A language that no list has any more is not asked for.
		const language = kept('names')
		if (language !== null ? language !== (usualNames ?? '') && ['', ...nameLanguages].includes(language) : usualNames) {
			showNames(language)
			select()
			askForDetails()
		}
	} catch (error) {
		failed(error)
	}
}
begin()
