// What can be played: ▶, what there is to say of a sound, its time and its sonogram.

import { choice, draw, h, island, quiet, signButton } from './dom.js'
import { bands, shifted, startSonogram, zoomed } from './sonogram.js'
import { clock, number, size } from './text.js'

/** Said where a sound would have to be fetched by somebody who only reads. */
export const notKept = 'This sound is not kept here.'

/** The sign and the name of ▶ of a sound; `null` if it cannot be heard: readers fetch nothing. */
export function playSign({ isPlaying, isFetching, isKept, mayFetch, seconds }) {
	if (isPlaying) return ['❚❚', 'Pause']
	if (isFetching) return ['…', 'Fetching the sound']
	if (isKept) return ['▶', 'Play']
	return mayFetch ? ['▷', `Play, ${fetchesFirst(seconds)}`] : null
}

const fetchesFirst = (seconds) =>
	`fetches the sound first${seconds ? ` (${clock(seconds)})` : ''}`

/** ▶ of a track: nothing if it cannot be heard. */
export function playButton(track, { mayFetch, seconds, onPlay }) {
	const { sound, status } = track
	const sign = playSign({
		isPlaying: sound?.isPlaying,
		isFetching: status === 'fetching',
		isKept: sound,
		mayFetch, seconds,
	})
	return sign && signButton(...sign, onPlay, { class: 'play' })
}

/** Why a sound is not heard yet, or cannot be; `null` if it can. */
export function soundState(track, { mayFetch, seconds }) {
	const { sound, status, fault } = track
	const said = (text) => h('span.fault', { role: 'status' }, text)
	if (status === 'fetching') return fetching(track)
	if (fault) return said(`${fault.message} ${fault.hint ?? 'Try again.'}`)
	if (sound) return sound.fault && said(sound.fault)
	return quiet(mayFetch ? `▷ ${fetchesFirst(seconds)}, and keeps it.` : notKept)
}

/** How much of a sound has been fetched, if its size is known. */
const fetching = ({ bytes, received }) =>
	h('span.fetching', { role: 'status' },
		h('progress', {
			'aria-label': 'Fetching the audio',
			...(bytes && { value: String(received / bytes), max: 1 }),
		}),
		quiet(bytes ? `${size(received)} of ${size(bytes)}` : 'Fetching the audio…'))

/** The time, and a bar to move it. */
export function startTime(element, values) {
	draw(element, [
		h('input', { type: 'range', min: '0', step: '0.01', 'aria-label': 'Time' }),
		h('output'),
	])
	const [bar, text] = element.children
	let now = values
	let frame = 0
	const show = () => {
		const { sound, duration } = now
		cancelAnimationFrame(frame)
		bar.max = String(duration || 1)
		bar.value = String(sound.time)
		bar.setAttribute('aria-valuetext', `${clock(sound.time)} of ${clock(duration)}`)
		const words = `${clock(sound.time)} / ${clock(duration)}`
		if (text.textContent !== words) text.textContent = words
		if (sound.isPlaying) frame = requestAnimationFrame(show)
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

/**
 * A sonogram of a track; `values` are those of `startSonogram`. Sonograms that are compared share
 * `view`, `longest` and `sound`. Without a `view` it moves with the sound.
 */
export function sonogram(track, values) {
	const { key, name, note, analysis, sound } = track
	if (note) return h('p.quiet', { key: 'note' }, note)
	if (!analysis) {
		return sound && h('div', { class: 'sonogram waiting', key: 'waiting', role: 'status' },
			quiet('Computing the sonogram…'))
	}
	const all = { sound, view: null, longest: analysis.duration, annotations: null, ...values }
	return island('div.sonogram', `${key} sonogram ${all.view ? '' : 'moves'}`, {}, startSonogram, {
		...all, analysis, stretch: all.sound?.stretch ?? null, label: `Sonogram of ${name}`,
	})
}

/** How sonograms are drawn: frequencies, size of the transform, range, contrast, zoom. */
export function sonogramSettings(settings, onSettings, view, longest, onView) {
	const change = (values) => onSettings({ ...settings, ...values })
	const setting = (label, ...values) => h('label', h('span', label), choice(...values))
	const one = (name, label, options) =>
		setting(label, settings[name], options, (value) => change({ [name]: Number(value) }))
	return h('div.settings',
		timeButtons(view, longest, onView),
		setting('Frequencies', bandOf(settings), bandOptions, (index) => {
			const [, low, high] = bands[index]
			change({ low, high })
		}),
		edges(settings, change),
		one('size', 'Window', [256, 512, 1024, 2048].map((size) => [size, number(size)])),
		one('range', 'Range', [50, 65, 80, 100].map((range) => [range, `${range} dB`])),
		one('contrast', 'Contrast', [[0.7, 'low'], [1, 'usual'], [1.5, 'high'], [2.2, 'highest']]))
}

const bandOptions = [...bands.map(([name], index) => [index, name]), [-1, 'other', true]]
const bandOf = (settings) =>
	bands.findIndex(([, low, high]) => low === settings.low && high === settings.high)

function timeButtons(view, longest, onView) {
	const { start, end } = view
	const zoom = (factor) => () => onView(zoomed(view, factor, (start + end) / 2, longest))
	const shift = (part) => () => onView(shifted(view, part, longest))
	return h('span.joined',
		signButton('−', 'Zoom out in time', zoom(2), { disabled: end - start >= longest - 0.001 }),
		signButton('+', 'Zoom in in time', zoom(0.5)),
		signButton('‹', 'Earlier', shift(-0.8), { disabled: start <= 0 }),
		signButton('›', 'Later', shift(0.8), { disabled: end >= longest - 0.001 }))
}

/** The lowest and highest frequency, to be typed. */
function edges({ low, high }, change) {
	const edge = (label, value, changed) =>
		h('input', {
			type: 'number', min: '0', step: '0.5', value: String(value ?? ''),
			'aria-label': `${label}, in kHz`,
			onchange: ({ target }) => change(changed(target.value ? Number(target.value) : null)),
		})
	return h('label',
		edge('From', low, (value) => ({ low: value ?? 0 })), '–',
		edge('To', high, (value) => ({ high: value && Math.max(low + 1, value) })), 'kHz')
}
