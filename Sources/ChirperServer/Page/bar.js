// The bar at the bottom of the page: the page's one player, which plays what was chosen to be heard.

import { choice, h, island, signButton } from './dom.js'
import { playButton, playSign, sonogram, soundState, startTime } from './player.js'

const speeds = [[0.25, '¼×'], [0.5, '½×'], [0.75, '¾×'], [1, '1×'], [1.5, '1½×'], [2, '2×']]

const followings = [['off', 'then stop'], ['next', 'then the next'], ['random', 'then any']]

/** `address` is that of the recording; `null` for a sound that has none. */
export function barView({ state, track, address, mayFetch, actions }) {
	const { key, sound, seconds } = track
	const { previous, next } = state.beside
	const duration = Number.isFinite(sound?.duration) ? sound.duration : 0
	const step = (sign, word, recording) => {
		const play = recording && playSign({ isKept: recording.audio, mayFetch, seconds: recording.mediaDuration })
		return signButton(sign, play ? `${word}: ${play[1]}` : `${word}: none`, () => actions.playFrom(recording), { disabled: !play })
	}
	return h('section.player', { key: 'player', 'aria-label': 'Player' },
		h('div.controls', null,
			h('span.joined', null,
				step('‹', 'Previous', previous),
				playButton(track, { mayFetch, seconds, onPlay: () => actions.play(key) }),
				step('›', 'Next', next)),
			address ? h('a.title', { href: address, onclick: (event) => actions.followRow(event, key) }, track.name) : h('span.title', null, track.name),
			soundState(track, { mayFetch, seconds }),
			sound && !sound.fault && island('span.time', `${key} time`, {}, startTime, { sound, duration }),
			h('span.settings', null,
				sound && signButton('↻', sound.stretch ? 'Loop off' : 'Loop: drag over the sonogram for a stretch',
					() => sound.loop(sound.stretch ? null : [0, duration]), { 'aria-pressed': Boolean(sound.stretch) }),
				choice(state.speed, speeds, (value) => actions.speed(Number(value)), { 'aria-label': 'Speed, pitch kept', title: 'Speed, pitch kept' }),
				choice(state.follows, followings, actions.follows, { 'aria-label': 'Then, by itself', title: 'What plays by itself then, of what is kept' })),
			signButton('×', 'Close the player', actions.silence, { class: 'end' })),
		sonogram(track, {
			settings: state.settings, view: null, longest: track.analysis?.duration ?? 0, sound, label: `Sonogram of ${track.name}`,
			onView: () => {}, onSeek: (moment) => sound.seek(moment), onStretch: (stretch) => sound.loop(stretch),
		}))
}
