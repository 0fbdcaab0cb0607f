// Export of the selection: its licences first, then a file of any format, written by the server.

import { button, checkbox, choice, h, table } from './dom.js'
import { mayChange, selection } from './state.js'
import { formats } from './tables.js'
import { number, plural } from './text.js'

/** The most ticked rows: their ids are in an address, of which the server takes 16 kB. */
const mostPicked = 400

/** Whether the ticked rows are exported in place of the selection. */
const areTicked = ({ picked, isOfTicked }) => isOfTicked && picked.size > 0 && picked.size <= mostPicked

/** What is exported: the selection or the rows that were ticked, of these what may be used. */
export function exported(state, sorted = true) {
	const parameters = selection(state, { sorted, ...(areTicked(state) && { search: '' }) })
	if (areTicked(state)) for (const key of state.picked) parameters.append('id', key.replace('/', ':'))
	if (state.uses.length > 0) parameters.set('for', state.uses.join(','))
	return parameters
}

/** The panel. `state.licences` is the server's count by licence of what is exported; `null` until it came. */
export function exportView(state, actions) {
	const { format, licences, isTidy, isOfAnnotations } = state
	const file = exported(state)
	file.set('format', format)
	const canBeTidy = formats.find(({ id }) => id === format).canBeTidy
	if (canBeTidy && isOfAnnotations) file.set('annotations', 'true')
	else if (canBeTidy && isTidy) file.set('tidy', 'true')
	const canPick = state.picked.size <= mostPicked
	const count = licences?.recordings ?? (areTicked(state) ? state.picked.size : state.count)
	return [
		state.picked.size > 0 && h('p', null,
			checkbox(`Only the ${plural(state.picked.size, 'ticked row')}`, areTicked(state), (isOfTicked) => actions.exporting({ isOfTicked }), !canPick),
			!canPick && h('span.quiet', null, ' More than 400 cannot be exported one by one: search for them.')),
		h('p', null, h('label', null, 'Format ', choice(format, formats.map(({ id, title }) => [id, title]), (format) => actions.exporting({ format })))),
		canBeTidy && h('p', null, checkbox('Tidy columns, the same for every catalogue', Boolean(isTidy), (isTidy) => actions.exporting({ isTidy }), isOfAnnotations)),
		canBeTidy && h('p', null, checkbox('Their annotations in place of the recordings, a row each', Boolean(isOfAnnotations), (isOfAnnotations) => actions.exporting({ isOfAnnotations }))),
		h('h3', null, 'Licences'),
		h('p', null, 'Only what allows ', [['commercial', 'commercial use'], ['derivatives', 'changes']].map(([use, words]) =>
			[checkbox(words, state.uses.includes(use), (isOn) =>
				actions.exporting({ uses: isOn ? [...state.uses, use] : state.uses.filter((other) => other !== use) })), ' '])),
		!licences ? h('p.quiet', null, 'Counting…')
			: table({ class: 'licences' }, ['Licence', 'Recordings', 'Allows'], [
					...licences.counts.map((row) => [row.licence, number(row.recordings), allows(row.licence)]),
					...(licences.missing.licence > 0 ? [['unknown licence', number(licences.missing.licence), 'listening only']] : []),
				]),
		h('p.quiet', null, 'Name recordist, number and licence: the Credits list them. This is not legal advice.'),
		h('p.tools', null, count > 0 ? h('a', { class: 'button strong', href: `/api/chirper/export?${file}`, download: '' }, `Export ${canBeTidy && isOfAnnotations ? 'the annotations of ' : ''}${plural(count, 'recording')}`)
			: 'No recording allows all of this.'),
		count > 0 && sounds(state, count, actions),
	]
}

/** The most sounds that are fetched at a time. */
export const mostSounds = 400

/** The sounds of what is exported, in a zip file; those that are not kept are fetched first, if somebody wants that. */
function sounds(state, count, actions) {
	const { keptSounds: kept, keeping } = state
	if (kept === null) return null
	const missing = count - kept
	return [
		h('h3', null, 'Sounds'),
		h('p', { role: 'status' }, keeping ? `Fetching sound ${number(keeping.done + 1)} of ${number(keeping.of)}…`
			: `${missing > 0 ? `${number(kept)} of ${plural(count, 'sound')} ${kept === 1 ? 'is' : 'are'} kept here` : `${count === 1 ? 'The sound is' : `All ${number(count)} sounds are`} kept here`}.`),
		h('p.tools', null,
			keeping ? button('Stop', actions.stopKeeping)
				: missing > 0 && mayChange(state) && (missing <= mostSounds ? button(`Fetch the other ${number(missing)}`, actions.keepSounds) : h('span.quiet', null, 'More than 400 are missing: choose fewer, or fetch them with chirper export --audio.')),
			kept > 0 && h('a', { class: 'button', href: `/api/chirper/audio?${exported(state)}`, download: '' }, `Zip file of ${plural(kept, 'sound')}`)),
	]
}

/** What a licence of Creative Commons allows, by its parts. */
function allows(name) {
	if (/^(CC0|Public domain|PD)/i.test(name)) return 'everything'
	if (!/^CC BY/i.test(name)) return 'see its text'
	const has = (part) => name.includes(part)
	return [!has('NC') && 'commercial use', has('ND') ? 'sharing as it is' : `changes${has('SA') ? ' under this licence' : ''}`, has('NC') && 'no commercial use'].filter(Boolean).join(', ')
}
