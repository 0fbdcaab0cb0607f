// The page: one state, drawn anew after each change. Actions change the state or ask the server;
// views are pure functions.

import { accessOfPage, audioPath, Follower, get, latestOnly, pathOf } from './api.js'
import { send, takeCode, takeSession, whenBusy } from './api.js'
import { anyBut, barView, besideOf } from './bar.js'
import { askForCharts, chartsView } from './charts.js'
import { chooseLanguage, chosenColumns, fieldsOf, keyFields, titleOf } from './columns.js'
import { compareView } from './compare.js'
import { Delayed, draw, h, isOurs, oncePerTurn } from './dom.js'
import { askForExport, soundsToFetch } from './export.js'
import { askForMenu, filtersView, menus } from './filters.js'
import { globalKey } from './keys.js'
import { isRound, Learning, learnView } from './learn.js'
import { askForPoints, mapView, wholeMap } from './map.js'
import { notKept, playSign } from './player.js'
import { recordingPane } from './recording.js'
import { gridView, positionOf, Rows } from './rows.js'
import { playAt } from './sound.js'
import { answeredSearch, freshTerm, fromAddress, initial, keep, kept, keyOf } from './state.js'
import { listText, loadOf, mayChange, runningLoad, selection, sortedBy } from './state.js'
import { isList, storedList, toAddress, unsorted } from './state.js'
import { inQuotes, plural } from './text.js'
import { Tracks } from './tracks.js'
import { askForLink, askForSuggestions, emptyView, footer, listsView } from './views.js'
import { notice, panel, searchBar, skipLink, tools, unknownView } from './views.js'

/** When this browser was here: half an hour without the page ends a visit. */
const visit = kept('visit') ?? {}
if (!(Date.now() - visit.last < 1_800_000)) visit.before = visit.last
const keepVisit = () => keep('visit', { ...visit, last: Date.now() })
keepVisit()
document.addEventListener('visibilitychange', keepVisit)

let state = {
	...initial,
	...fromAddress(location.search, location.pathname),
	columns: chosenColumns(),
	hasGlobalKeys: kept('keys') !== false,
	follows: kept('follows') ?? 'off',
	// A small screen has them behind their button.
	hasFilters: kept('filters') ?? !matchMedia('(max-width: 820px)').matches,
	lastVisit: visit.before,
	// An address of one recording, as at xeno-canto, opens it.
	opensFirst: /^\/(XC)?\d+\/?$/i.test(location.pathname),
}

// While a list is stored, the rows of an answer can be older than the list: the server is asked
// again.
const refreshing = new Delayed(1000, () => rows.refresh())
// Once for several letters: it takes a browser as long as a search, and some refuse a hundred in a
// row.
const writingAddress = new Delayed(200, () =>
	history.replaceState(history.state, '', toAddress(state)))
addEventListener('pagehide', () => writingAddress.flush())
// The map asks for its places when it rests.
const resting = new Delayed(100, () => askForView())
const drawSoon = oncePerTurn(() => drawPage())

const sayingFault = new Delayed(500, () => set({ isFaultSaid: true }))

const rows = new Rows(showAnswer, showFault)
// Of what is in sight on the map.
const mapRows = new Rows(() => set({}), failed)
const tracks = new Tracks(() => set({}), (track) => playOn(track))

/** Shows what is known of the rows after an answer. */
function showAnswer({ isNew, version, ...found }) {
	const { count } = found
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
	set({ ...found, reached: true, isBusy: false })
	if (isNew && state.active >= count) set({ active: 0 })
	// The rows of an earlier search, which were asked for again, say nothing about what is typed.
	if (answeredSearch(state) !== state.search) return
	sayingFault.stop()
	set({ fault: null, isFaultSaid: false, answered: state.search })
}

/** Shows why rows did not come. */
function showFault(error) {
	if (error.status === 0) return set({ reached: false, isBusy: false })
	if (error.status === 401) return refused()
	if (error.kind === 'never-fetched' && !error.at) {
		rows.clear()
		return set({ count: null, fresh: 0, picked: new Set(), listFault: error, isBusy: false })
	}
	if (error.status === 200) rows.back()
	if (!state.isFaultSaid) sayingFault.start()
	set({ fault: Object.assign(error, { search: state.search }), isBusy: false })
	askForView()
}

// MARK: State

/**
 * Changes the state, and draws the page before the next frame. `address` is 'push' for a step that
 * the way back undoes.
 */
function set(changes, address) {
	const unknown = Object.keys(changes).find((name) => !(name in initial))
	if (unknown) throw new Error(`The state has nothing called ${unknown}.`)
	if (address === 'push') writingAddress.flush()
	state = { ...state, ...changes }
	const { notice } = state
	if (notice && (notice.place !== placeOf(state) || notice.isOver?.(state))) {
		state = { ...state, notice: null }
	}
	if (address === 'push') history.pushState(null, '', toAddress(state))
	else if (address) writingAddress.start()
	drawSoon()
}

/** Asks for the rows of the selection as it is now, and for what else is in sight. */
function select({ clears = false } = {}) {
	state = { ...state, isBusy: true, listFault: null, turn: state.turn + 1 }
	if (clears) state = { ...state, count: null, searched: null, answered: null }
	// A list whose first page is under way: its rows are asked for when it is stored.
	const isOnItsWay = state.queries && !storedList(state)
		&& loadOf(state, state.list)?.state === 'running'
	if (isOnItsWay) return rows.clear()
	rows.select(selection(state, { ranked: true }), fieldsOf(state.columns), state.at, clears)
}

/** Selects other rows, from the first one on. */
function selectStep(changes, address = 'push') {
	set({ at: 0, active: 0, ...(state.view !== 'map' && wholeMap), ...changes }, address)
	select()
}

/** Does something that asks the server, and says what fails. */
async function attempt(work) {
	try {
		await work()
	} catch (error) {
		if (error.name !== 'AbortError') failed(error)
	}
}

/**
 * Asks for what the view needs apart from rows. While those are waited for it is not known whether
 * what is typed is a search: their answer asks again.
 */
const askForView = latestOnly((signal) => attempt(async () => {
	if (rows.isWaiting) return
	if (state.view === 'map') await askForPoints(state, set, signal, mapRows)
	else if (state.view === 'charts') await askForCharts(state, set, signal)
	else if (state.view === 'learn') actions.lesson.look()
	if (state.panel === 'export') set(await askForExport(state, signal))
}))

/** Counts what the menus of the filters choose from, for those who use them. */
function askForMenus() {
	const menusOf = [...unsorted(state), state.countedVersion].join()
	if (state.count === null || state.menusOf === menusOf) return
	set({ menusOf, isCountingMenus: true })
	countMenus()
}

const countMenus = latestOnly(async (signal) => {
	try {
		for (const menu of menus) {
			const answer = await askForMenu(menu, state, signal)
			set({ menus: new Map(state.menus).set(menu.by, answer) })
		}
		set({ isCountingMenus: false })
	} catch (error) {
		if (error.name === 'AbortError') return
		set({ menusOf: null, isCountingMenus: false })
		failed(error)
	}
})

/** Looks for what to offer after a search that finds nothing. */
async function suggest() {
	const { search, list } = state
	// Without an answer, the search has no suggestions.
	const found = await askForSuggestions(state).catch(() => null)
	if (found && search === state.search && list === state.list) set(found)
}

/** Offers names whose beginning is typed. */
const complete = latestOnly(async (signal) => {
	const { search } = state
	const none = { completions: [] }
	const { completions } = search.trim()
		? await get('completions', { q: search }, {}, signal).catch(() => none)
		: none
	if (search === state.search) set({ completions })
})

/** The new rows: how many, and which have a mark. */
async function countFresh() {
	// Apart from the search, which can be an address.
	const parameters = unsorted(state, freshTerm(state))
	if (state.list) parameters.append('q', `in:${inQuotes(listText(state.list))}`)
	// What is wrong with a search is said by the rows.
	const { rows, recordings } = await get('rows', parameters, { columns: keyFields, limit: 1000 })
		.catch(() => ({ rows: 0, recordings: [] }))
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

/** Keeps the language of names for everything that is asked for from now on. */
function showNames(language) {
	chooseLanguage(Boolean(language ?? state.usualNames))
	set({ names: language })
}

/** A recording, whose sound is opened if it is kept. */
async function recordingOf(key) {
	const { names } = state
	const recording = await get(`recordings/${pathOf(key)}`, names === null ? {} : { names })
	soundOf(recording).isNamed = true
	return recording
}

function soundOf(recording) {
	const track = tracks.of(keyOf(recording), recording.audio)
	track.name = titleOf(recording)
	track.seconds = recording.mediaDuration
	return track
}

const without = (keys, key) => keys.filter((other) => other !== key)

/** Opens what is compared, as far as its audio is kept. */
async function askForCompared() {
	for (const key of state.compare) {
		if (tracks.of(key).isNamed) continue
		try {
			await recordingOf(key)
			set({})
		} catch (error) {
			set({ compare: without(state.compare, key) }, 'replace')
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

/**
 * Says a sentence once, and what to do, until something else is looked at, or `isOver(state)`.
 */
const say = (text, hint, isOver) => set({ notice: { text, hint, isOver, place: placeOf(state) } })

/** What is looked at: a list, a search, a view, a recording. */
const placeOf = (state) => toAddress({ ...state, at: 0, viewport: null, compare: [] })

/**
 * Gives the player to a sound of the rows that are shown, unless it is of the `queue`; the one
 * before rests.
 */
function choose(key, queue) {
	if (key === state.chosen) return
	if (state.chosen) tracks.of(state.chosen).rest()
	set({ chosen: key, queue: queue ?? queueShown(), beside: {} })
	askForBeside()
}

/** The queue of the rows that are shown. */
const queueShown = () => selection(state, { ranked: true }).toString()

async function askForBeside() {
	const { chosen: key, queue } = state
	if (!key || tracks.of(key).isOwn) return
	const isKept = !mayChange(state)
	const near = isKept ? -1 : rows.find(key, state.active)
	const beside = await besideOf(key, queue, isKept, near).catch(() => ({}))
	if (key === state.chosen) set({ beside })
}

/**
 * Plays what follows by itself, which is only what is kept: nothing is fetched that nobody asked
 * for.
 */
function playOn({ key, isOwn }) {
	if (key !== state.chosen || state.follows === 'off' || isOwn) return
	attempt(async () => {
		const { follows, queue } = state
		const next = follows === 'next'
			? (await besideOf(key, queue, true)).next
			: await anyBut(key, queue)
		if (next && key === state.chosen) actions.playFrom(next)
	})
}

// MARK: Actions

const nothingSuggested = { suggestions: [], elsewhere: 0 }
const nothingCounted = { licences: null, keptSounds: null, deck: null }

const actions = {
	set,
	follow: (event, query) => isOurs(event) && actions.open(query),
	followRow: (event, key) => isOurs(event) && actions.openRow(key),
	/** Shows a list, which a query and a load name; `null`: everything stored. */
	open(named) {
		set({
			...nothingSuggested,
			...wholeMap,
			list: named && { source: named.source, query: named.query },
			search: '',
			at: 0,
			active: 0,
			panel: null,
			row: null,
			points: null,
			view: state.view === 'compare' ? 'rows' : state.view,
			picked: new Set(),
		}, 'push')
		select({ clears: true })
	},
	search: (search) => selectStep({ ...nothingSuggested, ...wholeMap, search }, 'replace'),
	/**
	 * Searches for what is typed. An address opens its recording if it was pasted: one that is
	 * typed is that of a different recording until its last digit.
	 */
	type(search, isPasted) {
		set({ opensFirst: isPasted && /^https?:\/\/\S+$/i.test(search.trim()) })
		actions.search(search)
		complete()
	},
	everywhere: () => selectStep({ ...nothingSuggested, list: null }),
	/** Puts a tag into the field, for its value to be typed. */
	tag(tag) {
		actions.close()
		actions.type(`${answeredSearch(state)} ${tag}:`.trim())
		// When the dialog has given the focus back.
		setTimeout(() => document.getElementById('search').focus())
	},
	add: (term) => actions.searchStep(`${answeredSearch(state)} ${term}`),
	searchStep: (search) => selectStep({ ...nothingSuggested, search: search.trim() }),
	async fetch(query, source = state.source) {
		const before = runningLoad(state)
		// A new query cancels the one before.
		if (before) await actions.cancel(before.load)
		await actions.load({ query, source }, actions.open)
	},
	/** Loads a list, or more of it; `onBegin(load)` when the server has begun to. */
	load: (body, onBegin) => attempt(async () => {
		const load = await send('POST', '/api/chirper/loads', body)
		const others = state.loads.filter((other) => other.load !== load.load)
		set({ following: load.load, loads: [...others, load] })
		follower.follow()
		onBegin?.(load)
		if (load.notes) say(`${load.notes.join('. ')}.`)
	}),
	sync: ({ query, source }) => actions.load({ query, source, sync: true }),
	async more() {
		const { query, source, next } = storedList(state) ?? {}
		const isLoading = loadOf(state, state.list)?.state === 'running'
		if (next == null || isLoading || next === state.requestedPage) return
		set({ requestedPage: next })
		await actions.load({ query, source, pages: next })
		set({ requestedPage: null })
	},
	retry({ query, source, kind }) {
		if (kind === 'sync') return actions.sync({ query, source })
		actions.load({ query, source, pages: storedList(state)?.next ?? 1 })
	},
	cancel: (number) => attempt(async () => {
		await send('DELETE', `/api/chirper/loads/${number}`)
		follower.follow()
	}),
	/** Asks again whether there is a key now. */
	checkKey: () => attempt(async () => {
		const { catalogues } = await get('catalogues')
		set({ catalogues, asked: { ...state.asked, isMissed: true } })
	}),
	async forget(list) {
		const { query, source } = list
		await attempt(async () => {
			await send('DELETE', `/api/chirper/lists?${new URLSearchParams({ query, source })}`)
			if (state.list && isList(list)(state.list)) actions.open(null)
			say(`“${query}” was forgotten.`)
			follower.poll()
		})
		actions.close()
	},
	show(view) {
		set({ view }, 'push')
		askForView()
		if (view === 'compare') askForCompared()
	},
	panel(name) {
		set({ ...nothingCounted, panel: state.panel === name ? null : name })
		if (state.panel === 'export') askForView()
	},
	close: () => set({ panel: null }),
	poll: () => follower.poll(),
	enter: (code) => takeCode(code).then(begin, (codeFault) => set({ codeFault })),
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
		set(changes)
		if (!['isOfTicked', 'uses', 'deck'].some((name) => name in changes)) return
		set(nothingCounted)
		askForView()
	},
	/** Fetches the sounds of what is exported that are not kept, one after the other. */
	async keepSounds() {
		await attempt(async () => {
			const recordings = await soundsToFetch(state)
			set({ keeping: { done: 0, of: recordings.length } })
			const faults = []
			for (const recording of recordings) {
				if (!state.keeping) break
				const load = await send('POST', audioPath(keyOf(recording)))
				const ended = load.kept ? load : await endOf(load)
				if (ended?.error) faults.push(ended.error)
				const { keeping } = state
				if (keeping) set({ keeping: { ...keeping, done: keeping.done + 1 } })
			}
			const [first] = faults
			const what = plural(faults.length, 'sound')
			if (first) say(`${what} could not be fetched. ${first.message}`, first.hint)
		})
		set({ keeping: null })
		askForView()
	},
	stopKeeping: () => set({ keeping: null }),
	toSearch: () => document.getElementById('search').select(),
	toRows: () => document.querySelector('.grid')?.focus(),
	toContent: () => (document.querySelector('.grid') ?? document.querySelector('main')).focus(),
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
		const details = state.details?.key === key ? state.details : null
		set({ row: key, details }, state.row ? 'replace' : 'push')
		askForDetails()
		if (!key) actions.toRows()
	},
	/** Opens the next or previous row of the selection, or of those of it that a term finds. */
	step: (by, term) => attempt(async () => {
		const search = `${answeredSearch(state)} ${term ?? ''}`
		const parameters = selection(state, { search, ranked: true })
		const ask = async (offset, limit) =>
			(await get('rows', parameters, { columns: keyFields, offset, limit })).recordings
		const here = rows.find(state.row, state.active)
		const shown = here < 0 ? state.active : here
		const next = by + (term ? await positionOf(state.row, ask) : shown)
		const [recording] = next < 0 ? [] : await ask(next, 1)
		if (!recording) return say('No further row in this direction.')
		const key = keyOf(recording)
		bring(term ? rows.find(key, state.active) : next)
		actions.openRow(key)
	}),
	same: (term) => {
		set({ list: null, view: 'rows' })
		actions.searchStep(term)
	},
	/**
	 * Plays or pauses a sound, or plays a stretch of it: the one way to hear one. What is not kept
	 * is fetched first.
	 */
	async play(key, stretch = null) {
		const track = tracks.of(key)
		if (!track.sound && !mayChange(state)) {
			return say(notKept, null, ({ chosen }) => tracks.known(chosen)?.sound?.isPlaying)
		}
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
		if (state.queue === queueShown()) bring(rows.find(key, state.active))
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
		const { compare } = state
		const isFull = ({ compare, own }) => compare.length + own.length >= 4
		const isIn = compare.includes(key)
		if (!isIn && isFull(state)) {
			const hint = 'Take one away first.'
			return say('Four are compared already.', hint, (state) => !isFull(state))
		}
		set({ compare: isIn ? without(compare, key) : [...compare, key] }, 'replace')
		if (state.view === 'compare') askForCompared()
	},
	uncompare(key) {
		if (key === state.chosen) actions.silence()
		set({ own: without(state.own, key), compare: without(state.compare, key) }, 'replace')
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
		const first = state.view === 'compare' ? compared()[0]?.key : null
		const key = question()?.key ?? state.chosen ?? first
		if (key) actions.play(key)
	},
	/** Remembers the first row in sight. */
	rest: (at) => at !== state.at && set({ at }, 'replace'),
	settings: (settings) => set({ settings }),
	view(track, view) {
		track.view = view
		set({})
	},
	sharedView: (view) => set({ sharedView: view }),
	moveDetailMap: (viewport) => set({ details: { ...state.details, viewport } }),
	moveMap(viewport, mapBox) {
		set({ viewport, mapBox }, 'replace')
		resting.start()
	},
	box(box) {
		const rest = answeredSearch(state).replace(/(^|\s)box:\S+/g, '')
		set({ ...wholeMap, isBoxing: false })
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

/** Brings a row into sight, with the keyboard's mark; none if the position is -1. */
const bring = (position) => position >= 0 && set({ active: position, brought: position })

/** A load when it has ended. */
async function endOf(load) {
	set({ loads: [...state.loads, load] })
	follower.follow()
	const now = () => state.loads.find((other) => other.load === load.load)
	while (now()?.state === 'running') await new Promise((resume) => setTimeout(resume, 200))
	return now()
}

/** What Learn asks, if that is in sight. */
function question() {
	const { view, lesson } = state
	const isAsked = view === 'learn' && ['asking', 'answered'].includes(lesson?.phase)
	return isAsked ? lesson.round[lesson.index] : null
}

actions.lesson = new Learning({
	state: () => state, set, tracks, choose, play: actions.play, failed,
})

/** Which of what is compared is heard. */
const heard = () => Math.max(0, compared().findIndex(({ key }) => key === state.chosen))

const compared = () => [...state.compare, ...state.own].slice(0, 4).map((key) => tracks.of(key))

// MARK: Drawing

/** The sign and the name of ▶ of a row. */
function signOf(recording) {
	const { sound, status } = tracks.known(keyOf(recording)) ?? {}
	return playSign({
		isPlaying: sound?.isPlaying,
		isFetching: status === 'fetching',
		isKept: recording.audio || sound,
		mayFetch: mayChange(state),
		seconds: recording.mediaDuration,
	})
}

const gridOf = (rows) => ({ rows, kept: tracks.kept, soundOf: signOf })
const table = () =>
	h('div.table', { key: 'table' },
		gridView(state, gridOf(rows), actions),
		emptyView(state, actions))

function lesson() {
	const asked = question()
	return learnView(state, asked && tracks.of(asked.key), actions)
}

const known = (view) => unknownView(state, actions) ?? view()

const views = {
	rows: table,
	map: () => known(() => mapView(state, gridOf(mapRows), actions)),
	charts: () => known(() => chartsView(state, actions)),
	compare: () => compareView(state, compared(), heard(), actions),
	learn: () => (isRound(state.lesson) ? lesson() : known(lesson)),
}

function drawPage() {
	const { row, chosen, compare, own, lesson } = state
	const name = state.list?.query ?? (state.search || 'Everything stored')
	document.title = `${name} – chirper`
	draw(document.getElementById('page'), [
		skipLink(actions),
		searchBar(state, actions),
		listsView(state, actions),
		h('main', { id: 'content', tabIndex: -1 },
			h('h1.unseen', name),
			tools(state, actions),
			filtersView(state, actions),
			views[state.view](),
			footer(state, actions)),
		row && recordingPane(state, tracks.of(row), actions),
		chosen && barView(state, tracks.of(chosen), actions),
		panel(state, actions) ?? notice(state, actions),
	])
	const dialog = document.querySelector('dialog')
	if (dialog && !dialog.open) dialog.showModal()
	const asked = lesson?.round?.[lesson.index]?.key
	tracks.keepOnly(new Set([row, chosen, asked, ...compare, ...own]))
}

// MARK: Beginning

whenBusy((isCrowded) => isCrowded !== state.isCrowded && set({ isCrowded }))
const follower = new Follower(
	({ queries, loads, version = null }) => {
		// The link was opened in a different tab.
		if (state.needsLink) return begin()
		tracks.follow(loads)
		const isSame = JSON.stringify([queries, version])
			=== JSON.stringify([state.queries, state.version])
		const hasChanged = state.queries && !isSame
		const before = loadOf(state, state.list)
		set({ queries, loads, version })
		if (hasChanged) rows.refresh()
		// A load that finds nothing changes neither lists nor the store.
		const hasLoaded = loadOf(state, state.list)?.state !== before?.state
		// The words were the name of a taxon, whose list can be stored under a different text.
		const now = loads.find(({ load }) => load === before?.load)
		if (now && !isList(now)(before)) actions.open(now)
		else if (state.count === null && (hasChanged || hasLoaded)) select()
		if (now?.notes && !before.notes) say(`${now.notes.join('. ')}.`)
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
	const points = before.view === 'map' ? before.points : null
	set({ ...fromAddress(location.search, location.pathname), panel: null, points })
	const selected = (state) => toAddress({ ...state, row: null, view: 'rows', at: 0 })
	const listOf = ({ list }) => list && listText(list)
	if (selected(before) !== selected(state)) select({ clears: listOf(before) !== listOf(state) })
	else askForView()
	askForOpen()
})
addEventListener('hashchange', () => begin())

/** Asks for what is open apart from the rows. */
function askForOpen() {
	askForDetails()
	if (state.view === 'compare') askForCompared()
}

async function begin() {
	// Drawn while the server answers.
	setTimeout(set, 0, {})
	await takeSession().catch((error) => {
		if (error.kind === 'wrong-token') say(error.message, error.hint)
		else failed(error)
	})
	await attempt(async () => set({ ...(await accessOfPage()), needsLink: false, codeFault: null }))
	follower.poll()
	select()
	askForOpen()
	attempt(askForCatalogues)
}

async function askForCatalogues() {
	const answer = await get('catalogues').catch(() => ({ catalogues: [] }))
	const { catalogues, nameLanguages = [], names: usualNames = null } = answer
	const source = catalogues.find(({ usual }) => usual)?.source
	set({ catalogues, source, nameLanguages, usualNames })
	const language = kept('names')
	// A language that no list has any more is not asked for.
	const isKnown = ['', ...nameLanguages].includes(language)
	const isOther = language === null ? usualNames : isKnown && language !== (usualNames ?? '')
	if (!isOther) return
	showNames(language)
	select()
	askForDetails()
}
begin()
