// Two to four sounds side by side, on one scale and with one cursor: is this the same bird?

import { button, h, quiet, signButton } from './dom.js'
import { mayChange } from './state.js'
import { playButton, sonogram, sonogramSettings, soundState } from './player.js'

/** `heard` is the index of the one that sounds. */
export function compareView(state, tracks, heard, actions) {
	const { sharedView: view, settings } = state
	const mayFetch = mayChange(state)
	const longest = Math.max(1, ...tracks.map((track) => track.analysis?.duration ?? 0))
	const shared = view ?? { start: 0, end: Math.min(longest, 30) }
	const sound = tracks[heard]?.sound ?? null
	return h('div.comparison', { key: 'compare' }, h('div.compare',
		h('div.toolbar',
			h('p.quiet', tracks.length < 2
				? 'Choose two to four recordings (key c in the table, or Compare in a recording), '
					+ 'or open a file of your own.'
				: 'One scale, one cursor. Keys 1 to 4 switch the sound; the space bar plays.'),
			fileButton(tracks, actions)),
		tracks.some((track) => track.analysis)
			&& sonogramSettings(settings, actions.settings, shared, longest, actions.sharedView),
		tracks.map((track, index) =>
			h('section', {
				key: track.key,
				class: `compared${index === heard ? ' heard' : ''}`,
				'aria-label': track.name,
			},
				heading(track, index, heard, mayFetch, actions),
				soundState(track, { mayFetch }),
				sonogram(track, {
					settings, view: shared, longest, sound,
					onView: actions.sharedView,
					onSeek: (seconds) => actions.hear(index, seconds),
					onStretch: (stretch) => actions.hear(index, stretch[0], stretch),
				})))))
}

const fileButton = (tracks, actions) =>
	h('label.button', 'Open a file of your own',
		h('input', {
			type: 'file', class: 'unseen', accept: 'audio/*,.wav,.mp3,.flac,.ogg,.m4a',
			disabled: tracks.length >= 4,
			onchange: ({ target }) => {
				if (target.files[0]) actions.own(target.files[0])
				target.value = ''
			},
		}))

function heading(track, index, heard, mayFetch, actions) {
	const { name } = track
	const takeAway = () => actions.uncompare(track.key)
	return h('header',
		button(index + 1, () => actions.hear(index), {
			'aria-pressed': index === heard, 'aria-label': `Hear ${name}`,
		}),
		playButton(track, { mayFetch, onPlay: () => actions.playCompared(index) }),
		h('h2', name),
		track.isOwn && quiet('your file; it stays in this page'),
		signButton('×', `Take ${name} away`, takeAway, { class: 'small' }))
}
