// What can be played: ▶, what there is to say of a sound, its time and its sonogram.

import { choice, draw, h, island, signButton } from './dom.js'
import { bands, shifted, startSonogram, zoomed } from './sonogram.js'
import { clock, number, size } from './text.js'

/** Said where a sound would have to be fetched by somebody who only reads. */
export const notKept = 'This sound is not kept here.'

/** The sign and the name of ▶ of a sound; `null` if it cannot be heard: a reader fetches nothing. */
export function playSign({ isPlaying, isFetching, isKept, mayFetch, seconds }) {
	if (isPlaying) return ['❚❚', 'Pause']
	if (isFetching) return ['…', 'Fetching the sound']
	if (isKept) return ['▶', 'Play']
	return mayFetch ? ['▷', `Play, ${fetchesFirst(seconds)}`] : null
}

const fetchesFirst = (seconds) => `fetches the sound first${seconds ? ` (${clock(seconds)})` : ''}`

/** ▶ of a track: nothing if it cannot be heard. */
export function playButton(track, { mayFetch, seconds, onPlay }) {
	const { sound, status } = track
	const sign = playSign({ isPlaying: sound?.isPlaying, isFetching: status === 'fetching', isKept: Boolean(sound), mayFetch, seconds })
	return sign && signButton(...sign, onPlay, { class: 'play' })
}

/** Why a sound is not heard yet, or cannot be; `null` if it can. */
export function soundState(track, { mayFetch, seconds }) {
	const { sound, status, fault } = track
	if (status === 'fetching') {
		return h('span.fetching', { role: 'status' },
			h('progress', { 'aria-label': 'Fetching the audio', ...(track.bytes && { value: String(track.received / track.bytes), max: 1 }) }),
			h('span.quiet', null, track.bytes ? `${size(track.received)} of ${size(track.bytes)}` : 'Fetching the audio…'))
	}
	if (fault) return h('span.fault', { role: 'status' }, `${fault.message} ${fault.hint ?? 'Try again.'}`)
	if (sound) return sound.fault && h('span.fault', { role: 'status' }, sound.fault)
	return h('span.quiet', null, mayFetch ? `▷ ${fetchesFirst(seconds)}, and keeps it.` : notKept)
}

/** The time, and a bar to move it. */
export function startTime(element, values) {
	draw(element, [h('input', { type: 'range', min: '0', step: '0.01', 'aria-label': 'Time' }), h('output')])
	const [bar, text] = element.children
	let now = values
	let frame = 0
	const show = () => {
		cancelAnimationFrame(frame)
		bar.max = String(now.duration || 1)
		bar.value = String(now.sound.time)
		bar.setAttribute('aria-valuetext', `${clock(now.sound.time)} of ${clock(now.duration)}`)
		const words = `${clock(now.sound.time)} / ${clock(now.duration)}`
		if (text.textContent !== words) text.textContent = words
		if (now.sound.isPlaying) frame = requestAnimationFrame(show)
	}
	bar.oninput = () => now.sound.seek(Number(bar.value))
	show()
	return {
		update(next) {
			now = next
			show()
		},
		stop: () => cancelAnimationFrame(frame),
	}
}

/** A sonogram of a track. `view` and `longest` are shared by those that are compared; without a `view` it moves with the sound. */
export function sonogram(track, { settings, view, longest, sound, label, onView, onSeek, onStretch, annotations = null, onAnnotation }) {
	if (track.note) return h('p.quiet', { key: 'note' }, track.note)
	if (!track.analysis) return track.sound && h('div', { class: 'sonogram waiting', key: 'waiting', role: 'status' }, h('span.quiet', null, 'Computing the sonogram…'))
	return island('div.sonogram', `${track.key} sonogram ${view ? '' : 'moves'}`, {}, startSonogram, {
		analysis: track.analysis, settings, view, longest, sound, stretch: sound?.stretch ?? null, label, onView, onSeek, onStretch, annotations, onAnnotation,
	})
}

/** How sonograms are drawn: frequencies, size of the transform, range, contrast, zoom. */
export function sonogramSettings(settings, onSettings, view, longest, onView) {
	const change = (values) => onSettings({ ...settings, ...values })
	const middle = (view.start + view.end) / 2
	const band = bands.findIndex(([, low, high]) => low === settings.low && high === settings.high)
	const setting = (label, ...values) => h('label', null, h('span', null, label), choice(...values))
	const edge = (label, value, changed) =>
		h('input', { type: 'number', min: '0', step: '0.5', value: String(value ?? ''), 'aria-label': `${label}, in kHz`, onchange: (event) => change(changed(event.target.value ? Number(event.target.value) : null)) })
	return h('div.settings', null,
		h('span.joined', null,
			signButton('−', 'Zoom out in time', () => onView(zoomed(view, 2, middle, longest)), { disabled: view.end - view.start >= longest - 0.001 }),
			signButton('+', 'Zoom in in time', () => onView(zoomed(view, 0.5, middle, longest))),
			signButton('‹', 'Earlier', () => onView(shifted(view, -0.8, longest)), { disabled: view.start <= 0 }),
			signButton('›', 'Later', () => onView(shifted(view, 0.8, longest)), { disabled: view.end >= longest - 0.001 })),
		setting('Frequencies', band, [...bands.map(([name], index) => [index, name]), [-1, 'other', true]], (index) => change({ low: bands[index][1], high: bands[index][2] })),
		h('label', null, edge('From', settings.low, (low) => ({ low: low ?? 0 })), '–', edge('To', settings.high, (high) => ({ high: high && Math.max(settings.low + 1, high) })), 'kHz'),
		setting('Window', settings.size, [256, 512, 1024, 2048].map((size) => [size, number(size)]), (value) => change({ size: Number(value) })),
		setting('Range', settings.range, [50, 65, 80, 100].map((range) => [range, `${range} dB`]), (value) => change({ range: Number(value) })),
		setting('Contrast', settings.contrast, [[0.7, 'low'], [1, 'usual'], [1.5, 'high'], [2.2, 'highest']], (value) => change({ contrast: Number(value) })))
}
