// Export of the selection: its licences first, then a file of any format, written by the server.

import { get } from './api.js'
import { keyFields } from './columns.js'
import { button, checkbox, choice, h, quiet, table } from './dom.js'
import { learnable } from './learn.js'
import { keyOf, mayChange, selection } from './state.js'
import { formats } from './tables.js'
import { joined, number, plural, size } from './text.js'

/** The most ticked rows: their ids are in an address, of which the server takes 16 kB. */
const mostPicked = 400

/** Whether the ticked rows are exported in place of the selection. */
const areTicked = ({ picked: { size }, isOfTicked }) =>
	isOfTicked && size > 0 && size <= mostPicked

/** The sounds that Learn asks, if it is in sight and an address can have them all. */
function learned({ view, lesson }) {
	const found = view === 'learn' ? lesson?.found ?? [] : []
	return found.length > mostPicked ? [] : found.map(keyOf)
}

/**
 * What is exported: of the selection, of the rows that were ticked, or of what Learn asks, what may
 * be used.
 */
export function exported(state, sorted = true) {
	const isTicked = areTicked(state)
	const keys = isTicked ? [...state.picked] : learned(state)
	// A round that somebody else has had is of no list.
	const list = isTicked || keys.length === 0 ? state.list : null
	const named = keys.length > 0 && { search: '' }
	const parameters = selection({ ...state, list }, { sorted, ...named })
	for (const key of keys) parameters.append('id', key.replace('/', ':'))
	if (!named && state.view === 'learn') parameters.append('q', learnable)
	if (state.uses.length > 0) parameters.set('for', state.uses.join(','))
	return parameters
}

const formOf = ({ format }) => formats.find(({ id }) => id === format)

/** The size of a deck, while it is not known. */
const uncounted = { deck: null }

/** Counts what is exported, by licence, how many of its sounds are kept, and the size of a deck. */
export async function askForExport(state, signal) {
	const none = { columns: 'id', limit: 0 }
	const [licences, { rows: keptSounds }, { deck }] = await Promise.all([
		get('stats', exported(state, false), { by: 'licence' }, signal),
		get('rows', soundsOf(state, 'audio:yes', false), none, signal),
		formOf(state).isDeck
			? get('rows', exported(state, false), { ...none, deck: true }, signal)
			: uncounted,
	])
	return { licences, keptSounds, deck }
}

/** The recordings of what is exported whose sounds are not kept. */
export async function soundsToFetch(state) {
	const window = { columns: keyFields, limit: mostSounds }
	return (await get('rows', soundsOf(state, 'audio:no', true), window)).recordings
}

function soundsOf(state, term, sorted) {
	const parameters = exported(state, sorted)
	parameters.append('q', term)
	return parameters
}

/**
 * The panel. `state.licences` is the server's count by licence of what is exported; `null` until it
 * came.
 */
export function exportView(state, actions) {
	const { format, licences, picked } = state
	const { canBeTidy } = formOf(state)
	const count = licences?.recordings ?? (areTicked(state) ? picked.size : state.count)
	return [
		picked.size > 0 && tickedChoice(state, actions),
		h('p', h('label', 'Format ',
			choice(format, formats.map(({ id, title }) => [id, title]),
				(format) => actions.exporting({ format, ...(formOf({ format }).isDeck && uncounted) })))),
		canBeTidy && columnChoices(state, actions),
		h('h3', 'Licences'),
		h('p', 'Only what allows ',
			useChoice('commercial', 'commercial use', state, actions), ' ',
			useChoice('derivatives', 'changes', state, actions), ' '),
		licences ? licenceTable(licences) : h('p.quiet', 'Counting…'),
		h('p.quiet',
			'Name recordist, number and licence: the Credits list them. This is not legal advice.'),
		h('p.tools', count > 0
			? fileLink(state, count)
			: 'No recording allows all of this.'),
		count > 0 && sounds(state, count, actions),
	]
}

function tickedChoice(state, actions) {
	const { size } = state.picked
	const tick = (isOfTicked) => actions.exporting({ isOfTicked })
	const words = `Only the ${plural(size, 'ticked row')}`
	return h('p',
		checkbox(words, areTicked(state), tick, size > mostPicked),
		size > mostPicked
			&& quiet(' More than 400 cannot be exported one by one: search for them.'))
}

const columnChoices = ({ isTidy, isOfAnnotations }, { exporting }) => [
	h('p', checkbox('Tidy columns, the same for every catalogue', isTidy,
		(isTidy) => exporting({ isTidy }), isOfAnnotations)),
	h('p', checkbox('Their annotations in place of the recordings, a row each', isOfAnnotations,
		(isOfAnnotations) => exporting({ isOfAnnotations }))),
]

function useChoice(use, words, { uses }, actions) {
	const others = uses.filter((other) => other !== use)
	return checkbox(words, uses.includes(use), (isOn) =>
		actions.exporting({ uses: isOn ? [...others, use] : others }))
}

function licenceTable({ counts, missing }) {
	const rows = counts.map(({ licence, recordings }) =>
		[licence, number(recordings), allows(licence)])
	if (missing.licence > 0) {
		rows.push(['unknown licence', number(missing.licence), 'listening only'])
	}
	return table(['Licence', 'Recordings', 'Allows'], rows, { class: 'licences' })
}

function fileLink(state, count) {
	const { canBeTidy, isDeck } = formOf(state)
	if (isDeck) return deckLink(state)
	const recordings = plural(count, 'recording')
	if (canBeTidy && state.isOfAnnotations) {
		return exportLink(state, `Export the annotations of ${recordings}`, 'annotations')
	}
	return exportLink(state, `Export ${recordings}`, canBeTidy && state.isTidy && 'tidy')
}

/** A link to the file in the format that is chosen; `option` is one that is switched on, if any. */
function exportLink(state, words, option) {
	const file = exported(state)
	file.set('format', state.format)
	if (option) file.set(option, 'true')
	const href = `/api/chirper/export?${file}`
	return h('a', { class: 'button strong', href, download: '' }, words)
}

/** A deck has the kept sounds that may be passed on, as they are. */
function deckLink(state) {
	const { deck } = state
	if (!deck) return quiet('Counting…')
	if (deck.cards === 0) return 'No sound is kept here whose licence lets others pass it on.'
	return exportLink(state, `Export ${plural(deck.cards, 'card')}, ${size(deck.bytes)}`)
}

/** The most sounds that are fetched at a time. */
export const mostSounds = 400

/** The sounds of what is exported, in a zip file. Missing ones are fetched if somebody asks. */
function sounds(state, count, actions) {
	const { keptSounds: kept, keeping } = state
	if (kept === null) return null
	return [
		h('h3', 'Sounds'),
		h('p', { role: 'status' }, keeping
			? `Fetching sound ${number(keeping.done + 1)} of ${number(keeping.of)}…`
			: `${keptWords(kept, count)} kept here.`),
		h('p.tools',
			keeping
				? button('Stop', actions.stopKeeping)
				: mayChange(state) && fetchButton(count - kept, actions),
			kept > 0 && h('a', {
				class: 'button', href: `/api/chirper/audio?${exported(state)}`, download: '',
			}, `Zip file of ${plural(kept, 'sound')}`)),
	]
}

function keptWords(kept, count) {
	if (kept < count) {
		return `${number(kept)} of ${plural(count, 'sound')} ${kept === 1 ? 'is' : 'are'}`
	}
	return count === 1 ? 'The sound is' : `All ${number(count)} sounds are`
}

function fetchButton(missing, actions) {
	if (missing <= 0) return null
	if (missing > mostSounds) {
		return quiet(
			'More than 400 are missing: choose fewer, or fetch them with chirper export --audio.')
	}
	return button(`Fetch the other ${number(missing)}`, actions.keepSounds)
}

/** What a licence of Creative Commons allows, by its parts. */
function allows(name) {
	if (/^(CC0|Public domain|PD)/i.test(name)) return 'everything'
	if (!/^CC BY/i.test(name)) return 'see its text'
	const has = (part) => name.includes(part)
	const changes = `changes${has('SA') ? ' under this licence' : ''}`
	return joined([
		!has('NC') && 'commercial use',
		has('ND') ? 'sharing as it is' : changes,
		has('NC') && 'no commercial use',
	])
}
