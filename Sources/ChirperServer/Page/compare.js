// Two to four sounds side by side, on one scale and with one cursor: is this the same bird?

import { button, h, signButton } from './dom.js'
import { playButton, sonogram, sonogramSettings, soundState } from './player.js'

/** `heard` is the index of the one that sounds. */
export function compareView({ tracks, heard, view, settings, mayFetch, actions }) {
	const longest = Math.max(1, ...tracks.map((track) => track.analysis?.duration ?? 0))
	const shared = view ?? { start: 0, end: Math.min(longest, 30) }
	const sounding = tracks[heard]?.sound ?? null
	return h('div.compare', null,
		h('div.toolbar', null,
			h('p.quiet', null, tracks.length < 2 ? 'Choose two to four recordings (key c in the table, or Compare in a recording), or open a file of your own.'
				: 'One scale, one cursor. Keys 1 to 4 switch the sound; the space bar plays.'),
			h('label.button', null, 'Open a file of your own',
				h('input', { type: 'file', class: 'unseen', accept: 'audio/*,.wav,.mp3,.flac,.ogg,.m4a', disabled: tracks.length >= 4,
					onchange: (event) => {
						if (event.target.files[0]) actions.own(event.target.files[0])
						event.target.value = ''
					} }))),
		tracks.some((track) => track.analysis) && sonogramSettings(settings, actions.settings, shared, longest, actions.sharedView),
		tracks.map((track, index) =>
			h('section', { key: track.key, class: `compared${index === heard ? ' heard' : ''}`, 'aria-label': track.name },
				h('header', null,
					button(index + 1, () => actions.hear(index), { 'aria-pressed': index === heard, 'aria-label': `Hear ${track.name}` }),
					playButton(track, { mayFetch, onPlay: () => actions.playCompared(index) }),
					h('h2', null, track.name),
					track.isOwn && h('span.quiet', null, 'your file; it stays in this page'),
					signButton('×', `Take ${track.name} away`, () => actions.uncompare(track.key), { class: 'small' })),
				soundState(track, { mayFetch }),
				sonogram(track, {
					settings, view: shared, longest, sound: sounding, label: `Sonogram of ${track.name}`, onView: actions.sharedView,
					onSeek: (seconds) => actions.hear(index, seconds), onStretch: (stretch) => actions.hear(index, stretch[0], stretch),
				}))))
}
