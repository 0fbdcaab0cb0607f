// Learn: a round of sounds whose names are hidden. All are in memory before it begins, and the answers stay in this browser.

import { audioPath, get, latestOnly } from './api.js'
import { nameForPeople } from './columns.js'
import { button, choice, h } from './dom.js'
import { playButton } from './player.js'
import { prepareWorker } from './sonogram.js'
import { keep, kept, keyOf, listText, selection } from './state.js'
import { number, plural } from './text.js'

/** The sounds of a round, and the least with which one can begin. */
const roundLength = 20
const leastSounds = 4
/** Longer ones are not asked, because all of them are in memory. */
const longestAsked = 180
const isSuitable = 'also:none'

const fields = 'id,catalogue,catalogNumber,vernacularName,acceptedVernacularName,scientificName,genus,specificEpithet,recordedBy,quality,mediaDuration,audio'

const speciesOf = ({ genus, specificEpithet, scientificName }) => [genus, specificEpithet].filter(Boolean).join(' ') || scientificName
const nameOf = (recording) => nameForPeople(recording) ?? speciesOf(recording)
const plain = (text) => (text ?? '').normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ').trim()

/** Rows that can be asked: of a catalogue that has qualities, only A and B. */
export function suitable(recordings) {
	const rated = new Set(recordings.filter(({ quality }) => quality).map(({ catalogue }) => catalogue))
	return recordings.filter((recording) => speciesOf(recording) && !(recording.mediaDuration > longestAsked)
		&& (!rated.has(recording.catalogue) || ['A', 'B'].includes(recording.quality)))
}

function shuffled(all) {
	const some = [...all]
	for (let last = some.length - 1; last > 0; last--) {
		const other = Math.floor(Math.random() * (last + 1))
		;[some[last], some[other]] = [some[other], some[last]]
	}
	return some
}

/** A round: a recording of each species in turn, and of a recordist who was not heard yet if there is one; with four names each. */
export function roundOf(recordings) {
	const species = new Map()
	for (const recording of shuffled(recordings)) species.set(speciesOf(recording), [...(species.get(speciesOf(recording)) ?? []), recording])
	const names = [...new Set(recordings.map(nameOf))]
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
	return shuffled(chosen).map((recording) => {
		const name = nameOf(recording)
		return { recording, name, names: shuffled([name, ...shuffled(names.filter((other) => other !== name)).slice(0, 3)]) }
	})
}

/** Whether a text is one of the names of a recording's species; case, accents and hyphens do not matter. */
export const isRight = (text, recording) =>
	plain(text) !== '' && [nameOf(recording), recording.vernacularName, recording.acceptedVernacularName, recording.scientificName, speciesOf(recording)].map(plain).includes(plain(text))

/** What the view does. `page` gives it the state, `set`, the tracks and the player. */
export function learning({ state, set, tracks, choose, play, failed }) {
	const change = (changes) => set({ lesson: { ...state().lesson, ...changes } })
	const current = () => state().lesson.round[state().lesson.index]

	const look = latestOnly(async (signal) => {
		const asked = selection(state(), { sorted: false })
		// A round goes on, whatever is searched meanwhile.
		if (['reading', 'asking', 'answered', 'done'].includes(state().lesson?.phase)) return
		set({ lesson: { phase: 'looking', isTyped: false, ...state().lesson } })
		asked.append('q', `audio:yes ${isSuitable}`)
		try {
			const found = []
			for (let isMore = true; isMore && found.length < 5000; ) {
				const { recordings, rows } = await get('rows', asked, { columns: fields, offset: found.length, limit: 1000 }, signal)
				found.push(...recordings)
				isMore = recordings.length > 0 && found.length < rows
			}
			change({ phase: 'ready', found: suitable(found) })
		} catch (error) {
			if (error.name !== 'AbortError') failed(error)
		}
	})

	/** Asks the question, and plays it. */
	function ask(index) {
		const { round, isTyped } = state().lesson
		const track = tracks.own(round[index].file, `Sound ${index + 1} of ${round.length}`)
		round[index].key = track.key
		change({ phase: 'asking', index, text: '', answer: null, completions: [] })
		choose(track.key)
		play(track.key)
		if (isTyped) setTimeout(() => document.getElementById('answer')?.focus())
	}

	return {
		look,
		/** Reads every sound of a round, and begins. Those that cannot be read are left out. */
		async begin() {
			const round = roundOf(state().lesson.found)
			change({ phase: 'reading', round: null, loaded: 0, wanted: round.length })
			const lesson = () => state().lesson
			const read = []
			for (const question of round) {
				const answer = await fetch(audioPath(keyOf(question.recording))).catch(() => null)
				const file = answer?.ok ? await answer.blob().catch(() => null) : null
				if (lesson().phase !== 'reading') return
				if (file) read.push({ ...question, file })
				change({ loaded: lesson().loaded + 1 })
			}
			if (read.length === 0) {
				change({ phase: 'ready' })
				return failed({ message: 'None of the sounds could be read.' })
			}
			await prepareWorker()
			change({ round: read, right: 0 })
			set({ row: null })
			ask(0)
		},
		typed: (isTyped) => change({ isTyped: isTyped === 'true' }),
		async type(text) {
			change({ text })
			// Without the network, the names that are asked have to do.
			const { completions } = await get('completions', { q: text }).catch(() => ({ completions: [...new Set(state().lesson.round.map(({ name }) => name))] }))
			if (state().lesson.text === text) change({ completions })
		},
		answer(text) {
			const { phase, right } = state().lesson
			if (phase !== 'asking' || !text?.trim()) return
			const { recording, name } = current()
			const is = isRight(text, recording)
			const known = kept('learned') ?? {}
			const [before = 0, asked = 0] = known[name] ?? []
			keep('learned', { ...known, [name]: [before + Number(is), asked + 1] })
			if (document.activeElement.closest('.choices')) setTimeout(() => document.querySelector('.next')?.focus())
			change({ phase: 'answered', answer: text, isRight: is, right: right + Number(is) })
		},
		next() {
			const { phase, index, round } = state().lesson
			if (phase !== 'answered') return
			if (index + 1 < round.length) return ask(index + 1)
			choose(null)
			change({ phase: 'done' })
		},
		end() {
			choose(null)
			set({ lesson: { isTyped: state().lesson.isTyped } })
			look()
		},
		forget() {
			keep('learned', {})
			set({})
		},
	}
}

/** A key of the view; whether it was one. */
export function learnKey(key, { phase, isTyped, round, index }, { answer, next }) {
	if (phase === 'asking' && !isTyped && /^[1-4]$/.test(key)) answer(round[index].names[key - 1])
	else if (phase === 'answered' && key === 'Enter') next()
	else return false
	return true
}

const inQuotes = (text) => `'${text.replaceAll("'", "'\\''")}'`

/** What fetches sounds for the selection, in a terminal. */
const command = ({ list, search }) =>
	`chirper export ${list ? `${inQuotes(listText(list))} ` : ''}--where ${inQuotes([search.trim(), 'q:A,B', isSuitable].filter(Boolean).join(' '))} --audio sounds.zip`

export function learnView(state, track, actions) {
	const { lesson } = state
	const inside = { looking, ready, reading, asking, answered: asking, done }[lesson?.phase ?? 'looking']
	return h('div.learn', { key: 'learn' }, inside(state, track, actions.lesson, actions))
}

const looking = () => h('p.quiet', { role: 'status' }, 'Looking for sounds…')

function ready(state, _, { begin, typed }) {
	const { found, isTyped } = state.lesson
	const species = new Set(found.map(speciesOf)).size
	const canBegin = found.length >= leastSounds && species > 1
	const lacking = roundLength - found.length
	return [
		h('h2', null, 'Learn'),
		h('p', null, `A round of ${roundLength} sounds of what is shown, without their names. It asks only sounds that are kept here, of quality A or B, without other species in the background, and of at most three minutes. Your answers stay in this browser.`),
		h('p', { role: 'status' }, `${plural(found.length, 'sound')} of ${plural(species, 'species', 'species')} ${found.length === 1 ? 'is' : 'are'} suitable. `,
			lacking > 0 && `${number(lacking)} ${lacking === 1 ? 'is' : 'are'} lacking for a whole round. `,
			species === 1 && 'Two species are needed. '),
		(lacking > 0 || species < 2) && h('p', null, state.access === 'reader' ? 'Whoever runs chirper can fetch more, with: ' : 'To fetch more, type in a terminal: ', h('code', null, command(state))),
		h('p.toolbar', null,
			h('label', null, 'Answer by ', choice(String(isTyped), [['false', 'four names'], ['true', 'typing the name']], typed)),
			button('Begin', begin, { class: 'strong', disabled: !canBegin })),
	]
}

const reading = ({ lesson: { loaded, wanted } }) => [
	h('p', null, 'Reading the sounds. After that, the round needs no network.'),
	h('p', null, h('progress', { 'aria-label': 'Sounds that were read', value: String(loaded / wanted), max: 1 }), h('span.quiet', null, ` ${loaded} of ${wanted}`)),
]

function asking({ lesson }, track, { answer, type, next, end }, actions) {
	const { round, index, isTyped, text, completions, phase, right } = lesson
	const { recording, name, names, key } = round[index]
	const isAnswered = phase === 'answered'
	const last = index + 1 === round.length
	return [
		h('div.toolbar', null,
			h('h2', null, `Which species is this? ${index + 1} of ${round.length}`),
			h('span.quiet', null, `${right} right so far`),
			button('End the round', end, { class: 'small end' })),
		h('p.toolbar', null, playButton(track, { onPlay: () => actions.play(key) }),
			isAnswered ? button(last ? 'To the end (Enter)' : 'Next (Enter)', next, { class: 'strong next' }) : h('span.quiet', null, 'Space plays and pauses.')),
		isTyped
			? h('form.toolbar', { onsubmit: (event) => (event.preventDefault(), isAnswered ? next() : answer(text)) },
				h('input', { id: 'answer', type: 'search', value: text, 'aria-label': 'Name of the species', autocomplete: 'off', spellcheck: 'false', list: 'species', oninput: (event) => isAnswered || type(event.target.value) }),
				h('datalist', { id: 'species' }, completions.map((text) => h('option', { value: text, key: text }))),
				!isAnswered && h('button', { type: 'submit' }, 'Answer'))
			: h('ol.choices', null, names.map((one, position) => h('li', { key: one },
				button([h('kbd', null, String(position + 1)), ` ${one}`], () => answer(one), {
					'aria-disabled': isAnswered ? 'true' : null, class: isAnswered && one === name ? 'right' : isAnswered && one === lesson.answer ? 'wrong' : '' })))),
		h('div.answer', { role: 'status' }, isAnswered && [
			h('p', null, h('strong', null, lesson.isRight ? 'Right: ' : `No, not ${lesson.answer}: `), `${name}, `, h('em', null, recording.scientificName)),
			h('p.quiet', null, ['recorded by ', recording.recordedBy ?? 'somebody unknown', ', ', recording.catalogNumber ?? recording.id].join('')),
		]),
		isAnswered && h('p.toolbar', null, button('Open the recording', () => actions.openRow(keyOf(recording)))),
	]
}

function done({ lesson }, _, { end, forget }) {
	const { right, round } = lesson
	const learned = kept('learned') ?? {}
	const names = [...new Set(round.map(({ name }) => name))].sort()
	return [
		h('div', { role: 'status' }, h('h2', null, `${right} of ${round.length} right.`)),
		h('p.quiet', null, 'How often each species was right in this browser, in all rounds:'),
		h('ul.learned', null, names.map((name) => h('li', { key: name }, `${name}: `, learned[name] ? `${number(learned[name][0])} of ${number(learned[name][1])}` : 'forgotten'))),
		h('p.toolbar', null, button('Another round', end, { class: 'strong' }), button('Forget the answers', forget)),
	]
}
