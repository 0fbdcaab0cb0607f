// The bar at the bottom of the page: the page's one player, which plays what was chosen to be heard.

import { choice, h, island, signButton } from './dom.js'
import { playButton, sonogram, soundState, startTime } from './player.js'

const speeds = [[0.25, '¼×'], [0.5, '½×'], [0.75, '¾×'], [1, '1×'], [1.5, '1½×'], [2, '2×']]

/** `address` is that of the recording; `null` for a sound that has none. */
export function barView({ track, seconds, address, settings, speed, mayFetch, actions }) {
	const { key, sound } = track
	const duration = Number.isFinite(sound?.duration) ? sound.duration : 0
	return h('section.player', { key: 'player', 'aria-label': 'Player' },
		h('div.controls', null,
			playButton(track, { mayFetch, seconds, onPlay: () => actions.play(key) }),
			address ? h('a.title', { href: address, onclick: (event) => actions.followRow(event, key) }, track.name) : h('span.title', null, track.name),
			soundState(track, { mayFetch, seconds }),
			sound && !sound.fault && island('span.time', `${key} time`, {}, startTime, { sound, duration }),
			h('span.joined', null,
				choice(speed, speeds, (value) => actions.speed(Number(value)), { 'aria-label': 'Speed, pitch kept', title: 'Speed, pitch kept' }),
				sound && signButton('↻', sound.stretch ? 'Loop off' : 'Loop: drag over the sonogram for a stretch',
					() => sound.loop(sound.stretch ? null : [0, duration]), { 'aria-pressed': Boolean(sound.stretch) })),
			signButton('×', 'Close the player', actions.silence, { class: 'end' })),
		sonogram(track, {
			settings, view: null, longest: track.analysis?.duration ?? 0, sound, label: `Sonogram of ${track.name}`,
			onView: () => {}, onSeek: (moment) => sound.seek(moment), onStretch: (stretch) => sound.loop(stretch),
		}))
}
