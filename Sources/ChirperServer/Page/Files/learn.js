// Learn: a round of sounds whose names are hidden. All are in memory before it begins, and the
// answers stay in this browser.

import { audioPath, get, latestOnly } from './api.js'
import { nameForPeople, speciesOf } from './columns.js'
import { button, choice, h, instead, quiet, signButton } from './dom.js'
import { playButton } from './player.js'
import { prepareWorker } from './sonogram.js'
import { keep, kept, keyOf, listText, unsorted } from './state.js'
import { formats } from './tables.js'
import { joined, number, plural } from './text.js'

/** The sounds of a round, and the least with which one can begin. */
const roundLength = 20
const leastSounds = 4
/** Longer ones are not asked, because all of them are in memory. */
const longestAsked = 180
const isSuitable = 'also:none'
/** What it asks, as a search; where catalogues have no qualities, it asks more. */
export const learnable = `audio:yes ${isSuitable} q:A,B -len:>${longestAsked}`

const fields = 'id,catalogue,catalogNumber,vernacularName,acceptedVernacularName,scientificName,'
	+ 'genus,specificEpithet,recordedBy,quality,mediaDuration,audio'

const nameOf = (recording) => nameForPeople(recording) ?? speciesOf(recording)

/** A text without what does not matter in an answer: case, accents and hyphens. */
function plain(text) {
	const letters = (text ?? '').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
	return letters.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()
}

/** Rows that can be asked: of a catalogue that has qualities, only A and B. */
function suitable(recordings) {
	const withQuality = recordings.filter(({ quality }) => quality)
	const rated = new Set(withQuality.map(({ catalogue }) => catalogue))
	return recordings.filter((recording) => {
		const { catalogue, quality, mediaDuration } = recording
		return speciesOf(recording) && !(mediaDuration > longestAsked)
			&& (!rated.has(catalogue) || ['A', 'B'].includes(quality))
	})
}

function shuffled(all) {
	const some = [...all]
	for (let last = some.length - 1; last > 0; last--) {
		const other = Math.floor(Math.random() * (last + 1))
		;[some[last], some[other]] = [some[other], some[last]]
	}
	return some
}

/** A round of recordings in their order, with four names each of those that are `found`. */
function roundOf(recordings, found) {
	const names = [...new Set(found.map(nameOf))]
	return recordings.map((recording) => {
		const name = nameOf(recording)
		const others = shuffled(names.filter((other) => other !== name)).slice(0, 3)
		return { recording, name, names: shuffled([name, ...others]) }
	})
}

/**
 * A recording of each species in turn, and of a recordist who was not heard yet if there is one, as
 * many as a round has.
 */
function inTurn(recordings) {
	const species = new Map()
	for (const recording of shuffled(recordings)) {
		const name = speciesOf(recording)
		species.set(name, [...(species.get(name) ?? []), recording])
	}
	const heard = new Set()
	const chosen = []
	while (chosen.length < Math.min(roundLength, recordings.length)) {
		for (const own of shuffled(species.values())) {
			if (own.length === 0 || chosen.length === roundLength) continue
			const index = Math.max(0, own.findIndex(({ recordedBy }) => !heard.has(recordedBy)))
			const [recording] = own.splice(index, 1)
			heard.add(recording.recordedBy)
			chosen.push(recording)
		}
	}
	return chosen
}

/** Whether a text is one of the names of a recording's species. */
function isRight(text, recording) {
	const { vernacularName, acceptedVernacularName, scientificName } = recording
	const names = [
		nameOf(recording), vernacularName, acceptedVernacularName, scientificName,
		speciesOf(recording),
	]
	return plain(text) !== '' && names.map(plain).includes(plain(text))
}

/** Whether a round has begun, which goes on whatever is searched meanwhile. */
export const isRound = (lesson) =>
	['reading', 'asking', 'answered', 'done'].includes(lesson?.phase)

/** What the view does. `page` has the state, `set`, the tracks and the player. */
export class Learning {
	constructor(page) {
		Object.assign(this, page)
	}

	get #lesson() {
		return this.state().lesson
	}

	#change(changes) {
		this.set({ lesson: { ...this.#lesson, ...changes } })
	}

	look = latestOnly(async (signal) => {
		const asked = unsorted(this.state(), `audio:yes ${isSuitable}`)
		if (isRound(this.#lesson)) return
		this.set({ lesson: { phase: 'looking', isTyped: false, ...this.#lesson } })
		try {
			const { round, names } = this.state()
			if (round.length > 0) {
				const ids = new URLSearchParams(round.map((key) => ['id', key.replace('/', ':')]))
				if (names !== null) ids.append('names', names)
				const window = { columns: fields, limit: round.length }
				const { recordings } = await get('rows', ids, window, signal)
				const place = (recording) => round.indexOf(keyOf(recording))
				const found = recordings.sort((one, other) => place(one) - place(other))
				return this.#change({ phase: 'ready', found, isGiven: true })
			}
			const found = []
			for (let isMore = true; isMore && found.length < 5000; ) {
				const window = { columns: fields, offset: found.length, limit: 1000 }
				const { recordings, rows } = await get('rows', asked, window, signal)
				found.push(...recordings)
				isMore = recordings.length > 0 && found.length < rows
			}
			this.#change({ phase: 'ready', found: suitable(found), isGiven: false })
		} catch (error) {
			if (error.name !== 'AbortError') this.failed(error)
		}
	})

	/** Reads every sound of a round, and begins. Those that cannot be read are left out. */
	begin = async () => {
		const { found, isGiven } = this.#lesson
		const round = roundOf(isGiven ? found : shuffled(inTurn(found)), found)
		this.#change({ phase: 'reading', round: null, loaded: 0, wanted: round.length })
		const read = []
		for (const question of round) {
			const path = audioPath(keyOf(question.recording))
			const answer = await fetch(path).catch(() => null)
			const file = answer?.ok ? await answer.blob().catch(() => null) : null
			if (this.#lesson.phase !== 'reading') return
			if (file) read.push({ ...question, file })
			this.#change({ loaded: this.#lesson.loaded + 1 })
		}
		if (read.length === 0) {
			this.#change({ phase: 'ready' })
			return this.failed({ message: 'None of the sounds could be read.' })
		}
		await prepareWorker()
		this.#change({ round: read, right: 0 })
		this.set({ row: null })
		this.#ask(0)
	}

	/** Asks the question, and plays it. */
	#ask(index) {
		const { round, isTyped } = this.#lesson
		const { tracks, choose, play } = this
		const { key } = tracks.own(round[index].file, `Sound ${index + 1} of ${round.length}`)
		round[index].key = key
		this.#change({ phase: 'asking', index, text: '', answer: null, completions: [] })
		choose(key)
		play(key)
		if (isTyped) setTimeout(() => document.getElementById('answer')?.focus())
	}

	typed = (isTyped) => this.#change({ isTyped: isTyped === 'true' })

	type = async (text) => {
		this.#change({ text })
		const { completions } = await get('completions', { q: text }).catch(() => {
			// Without the network, the names that are asked have to do.
			const names = this.#lesson.round.map(({ name }) => name)
			return { completions: [...new Set(names)] }
		})
		if (this.#lesson.text === text) this.#change({ completions })
	}

	answer = (text) => {
		const { phase, right, round, index } = this.#lesson
		if (phase !== 'asking' || !text?.trim()) return
		const { recording, name } = round[index]
		const is = isRight(text, recording)
		Object.assign(round[index], { isRight: is, given: text })
		const known = kept('learned') ?? {}
		const [before = 0, asked = 0] = known[name] ?? []
		keep('learned', { ...known, [name]: [before + Number(is), asked + 1] })
		if (document.activeElement.closest('.choices')) {
			setTimeout(() => document.querySelector('.next')?.focus())
		}
		this.#change({ phase: 'answered', answer: text, isRight: is, right: right + Number(is) })
	}

	next = () => {
		const { phase, index, round } = this.#lesson
		if (phase !== 'answered') return
		if (index + 1 < round.length) return this.#ask(index + 1)
		this.choose(null)
		this.#change({ phase: 'done' })
	}

	/** Plays a sound of the round once more, with its name. */
	hear = ({ file, name }) => {
		const { key } = this.tracks.own(file, name)
		this.choose(key)
		this.play(key)
	}

	end = () => {
		this.choose(null)
		this.set({ lesson: { isTyped: this.#lesson.isTyped }, round: [] }, 'replace')
		this.look()
	}

	forget = () => {
		keep('learned', {})
		this.set({})
	}
}

/** A key of the view; whether it was one. */
export function learnKey(key, { phase, isTyped, round, index }, { answer, next }) {
	if (phase === 'asking' && !isTyped && /^[1-4]$/.test(key)) answer(round[index].names[key - 1])
	else if (phase === 'answered' && key === 'Enter') next()
	else return false
	return true
}

/** What fetches sounds for the selection, in a terminal. */
function command({ list, search }) {
	const inQuotes = (text) => `'${text.replaceAll("'", "'\\''")}'`
	const terms = joined([search.trim(), 'q:A,B', isSuitable], ' ')
	return joined([
		'chirper export', list && inQuotes(listText(list)),
		'--where', inQuotes(terms), '--audio sounds.zip',
	], ' ')
}

export function learnView(state, track, actions) {
	const phase = state.lesson?.phase ?? 'looking'
	const inside = { looking, ready, reading, asking, answered: asking, done }[phase]
	return h('div.learn', { key: 'learn' }, inside(state, track, actions.lesson, actions))
}

const looking = () => h('p.quiet', { role: 'status' }, 'Looking for sounds…')

const rules = `A round of ${roundLength} sounds of what is shown, without their names. It asks `
	+ 'only sounds that are kept here, of quality A or B, without other species in the background, '
	+ 'and of at most three minutes. Your answers stay in this browser.'

/** Opens the export of these sounds as a deck, to learn them on a phone. */
function toDeck({ set, panel }) {
	set({ format: formats.find(({ isDeck }) => isDeck).id })
	panel('export')
}

function ready(state, _, { begin, typed }, actions) {
	const { found, isTyped, isGiven } = state.lesson
	const sounds = found.length
	const species = new Set(found.map(speciesOf)).size
	const lacking = isGiven ? 0 : roundLength - sounds
	const is = (count) => (count === 1 ? 'is' : 'are')
	const which = `${plural(sounds, 'sound')} of ${plural(species, 'species', 'species')}`
	const answers = [['false', 'four names'], ['true', 'typing the name']]
	return [
		h('h2', 'Learn'),
		h('p', isGiven ? 'A round that somebody else has had, with the same sounds.' : rules),
		h('p', { role: 'status' },
			`${which} ${is(sounds)} suitable. `,
			lacking > 0 && `${number(lacking)} ${is(lacking)} lacking for a whole round. `,
			species === 1 && 'Two species are needed. '),
		(lacking > 0 || species < 2) && h('p',
			state.access === 'reader'
				? 'Whoever runs chirper can fetch more, with: '
				: 'To fetch more, type in a terminal: ',
			h('code', command(state))),
		h('p.toolbar',
			h('label', 'Answer by ', choice(String(isTyped), answers, typed)),
			button('Begin', begin, {
				class: 'strong', disabled: sounds < leastSounds || species < 2,
			}),
			button('Deck for Anki', () => toDeck(actions), { disabled: sounds === 0 })),
	]
}

const reading = ({ lesson: { loaded, wanted } }) => [
	h('p', 'Reading the sounds. After that, the round needs no network.'),
	h('p',
		h('progress', {
			'aria-label': 'Sounds that were read', value: String(loaded / wanted), max: 1,
		}),
		quiet(` ${loaded} of ${wanted}`)),
]

function asking({ lesson }, track, learning, actions) {
	const { round, index, isTyped, phase, right } = lesson
	const { recording, key } = round[index]
	const isAnswered = phase === 'answered'
	const onward = index + 1 === round.length ? 'To the end (Enter)' : 'Next (Enter)'
	return [
		h('div.toolbar',
			h('h2', `Which species is this? ${index + 1} of ${round.length}`),
			quiet(`${right} right so far`),
			button('End the round', learning.end, { class: 'small end' })),
		h('p.toolbar',
			playButton(track, { onPlay: () => actions.play(key) }),
			isAnswered
				? button(onward, learning.next, { class: 'strong next' })
				: quiet('Space plays and pauses.')),
		isTyped
			? answerForm(lesson, isAnswered, learning)
			: answerChoices(lesson, isAnswered, learning),
		h('div.answer', { role: 'status' }, isAnswered && verdict(lesson)),
		isAnswered && h('p.toolbar',
			button('Open the recording', () => actions.openRow(keyOf(recording)))),
	]
}

function answerForm({ text, completions }, isAnswered, { answer, type, next }) {
	const submit = instead(() => (isAnswered ? next() : answer(text)))
	return h('form.toolbar', { onsubmit: submit },
		h('input', {
			id: 'answer', type: 'search', value: text, 'aria-label': 'Name of the species',
			autocomplete: 'off', spellcheck: 'false', list: 'species',
			oninput: ({ target }) => isAnswered || type(target.value),
		}),
		h('datalist', { id: 'species' },
			completions.map((text) => h('option', { value: text, key: text }))),
		!isAnswered && h('button', { type: 'submit' }, 'Answer'))
}

function answerChoices({ round, index, answer: given }, isAnswered, { answer }) {
	const { name, names } = round[index]
	const colour = (one) => {
		if (one === name) return 'right'
		return one === given ? 'wrong' : ''
	}
	return h('ol.choices', names.map((one, position) =>
		h('li', { key: one },
			button([h('kbd', String(position + 1)), ` ${one}`], () => answer(one), {
				'aria-disabled': isAnswered ? 'true' : null,
				class: isAnswered ? colour(one) : '',
			}))))
}

function verdict({ round, index, isRight, answer }) {
	const { recording, name } = round[index]
	const { scientificName, recordedBy, catalogNumber, id } = recording
	return [
		h('p',
			h('strong', isRight ? 'Right: ' : `No, not ${answer}: `),
			`${name}, `, h('em', scientificName)),
		h('p.quiet', `recorded by ${recordedBy ?? 'somebody unknown'}, ${catalogNumber ?? id}`),
	]
}

function done({ lesson }, _, { end, forget, hear }) {
	const { right, round } = lesson
	const missed = round.filter(({ isRight }) => !isRight)
	const same = new URLSearchParams([
		['view', 'learn'], ...round.map(({ recording }) => ['round', keyOf(recording)]),
	])
	const learned = kept('learned') ?? {}
	const names = [...new Set(round.map(({ name }) => name))].sort()
	const score = ([right, asked]) => `${number(right)} of ${number(asked)}`
	return [
		h('div', { role: 'status' }, h('h2', `${right} of ${round.length} right.`)),
		missed.length > 0 && h('p.quiet', 'Wrong, to hear again:'),
		h('ul.missed', missed.map((question) =>
			h('li', { key: keyOf(question.recording) },
				signButton('▶', `Hear ${question.name}`, () => hear(question)),
				` ${question.name} `, quiet(`not ${question.given}`)))),
		h('p',
			'For others: ', h('a', { href: `/?${same}` }, 'the same round'),
			quiet(' Its address has the same sounds in the same order.')),
		h('p.quiet', 'How often each species was right in this browser, in all rounds:'),
		h('ul.learned', names.map((name) =>
			h('li', { key: name },
				`${name}: `, learned[name] ? score(learned[name]) : 'forgotten'))),
		h('p.toolbar',
			button('Another round', end, { class: 'strong' }),
			button('Forget the answers', forget)),
	]
}
