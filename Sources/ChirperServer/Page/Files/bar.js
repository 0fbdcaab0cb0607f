// The bar at the bottom of the page: its one player, which plays what was chosen to be heard.

import { get } from './api.js'
import { heardFields } from './columns.js'
import { choice, h, island, signButton } from './dom.js'
import { playButton, playSign, sonogram, soundState, startTime } from './player.js'
import { positionOf } from './rows.js'
import { keyOf, mayChange, toAddress } from './state.js'

const speeds = [[0.25, '¼×'], [0.5, '½×'], [0.75, '¾×'], [1, '1×'], [1.5, '1½×'], [2, '2×']]

const followings = [['off', 'then stop'], ['next', 'then the next'], ['random', 'then any']]

export function barView(state, track, actions) {
	const { key, name, sound, seconds, isOwn } = track
	const { previous, next } = state.beside
	const href = toAddress({ ...state, row: key })
	const mayFetch = mayChange(state)
	const duration = Number.isFinite(sound?.duration) ? sound.duration : 0
	const step = (sign, word, recording) => {
		const play = recording
			&& playSign({ isKept: recording.audio, mayFetch, seconds: recording.mediaDuration })
		const label = `${word}: ${play ? play[1] : 'none'}`
		return signButton(sign, label, () => actions.playFrom(recording), { disabled: !play })
	}
	const open = (event) => actions.followRow(event, key)
	return h('section.player', { key: 'player', 'aria-label': 'Player' },
		h('div.controls',
			h('span.joined',
				step('‹', 'Previous', previous),
				playButton(track, { mayFetch, seconds, onPlay: () => actions.play(key) }),
				step('›', 'Next', next)),
			isOwn ? h('span.title', name) : h('a.title', { href, onclick: open }, name),
			soundState(track, { mayFetch, seconds }),
			sound && !sound.fault
				&& island('span.time', `${key} time`, {}, startTime, { sound, duration }),
			h('span.settings', sound && loopButton(sound, duration), ...settings(state, actions)),
			signButton('×', 'Close the player', actions.silence, { class: 'end' })),
		!isDrawn(state, key) && sonogram(track, {
			settings: state.settings,
			onView: () => {},
			onSeek: (moment) => sound.seek(moment),
			onStretch: (stretch) => sound.loop(stretch),
		}))
}

/** Whether the sonogram of a recording is on the screen already. */
const isDrawn = ({ row, view, compare }, key) =>
	key === row || (view === 'compare' && compare.includes(key))

function loopButton(sound, duration) {
	const isOn = Boolean(sound.stretch)
	const label = isOn ? 'Loop off' : 'Loop: drag over the sonogram for a stretch'
	const turn = () => sound.loop(sound.stretch ? null : [0, duration])
	return signButton('↻', label, turn, { 'aria-pressed': isOn })
}

const settings = ({ speed, follows }, actions) => [
	choice(speed, speeds, (value) => actions.speed(Number(value)), {
		'aria-label': 'Speed, pitch kept', title: 'Speed, pitch kept',
	}),
	choice(follows, followings, actions.follows, {
		'aria-label': 'Then, by itself', title: 'What plays by itself then, of what is kept',
	}),
]

/** Rows of a queue; with `isKept` those of it whose audio is here. */
async function queued(queue, isKept, offset, limit) {
	const parameters = new URLSearchParams(queue)
	if (isKept) parameters.append('q', 'audio:yes')
	return get('rows', parameters, { columns: heardFields, offset, limit })
}

/** What comes before and after a recording in its queue. `near` is its position; -1 if unknown. */
export async function besideOf(key, queue, isKept, near = -1) {
	const ask = async (offset, limit) => (await queued(queue, isKept, offset, limit)).recordings
	const position = near >= 0 ? near : await positionOf(key, ask)
	if (position < 0) return {}
	const found = await ask(Math.max(0, position - 1), 3)
	const index = found.findIndex((recording) => keyOf(recording) === key)
	return index < 0 ? {} : { previous: found[index - 1], next: found[index + 1] }
}

/** Any recording of a queue whose audio is here, apart from one. */
export async function anyBut(key, queue) {
	const { rows: count } = await queued(queue, true, 0, 0)
	const first = Math.floor(Math.random() * Math.max(1, count - 1))
	const { recordings } = await queued(queue, true, first, 2)
	return recordings.find((recording) => keyOf(recording) !== key)
}
