// A sonogram with its axes: drawn from tiles that a worker computes for the stretch in sight, with
// a cursor in step with the sound.

import { startCanvas, within } from './canvas.js'
import { joined } from './text.js'

const policy = globalThis.trustedTypes?.createPolicy('chirper', {
	// The only script of the page that is started by its address.
	createScriptURL: (address) => {
		if (address !== workerAddress) throw new TypeError('not a script of this page')
		return address
	},
})
const workerAddress = new URL('sonogram-worker.js', import.meta.url).href

const tileWidth = 256

/** How sonograms are computed and drawn; frequencies in kHz, the range in decibels. */
export const defaultSettings = { size: 512, high: 12, low: 0, range: 80, contrast: 1 }

/** Frequencies to choose from; up to `null` is up to half the sample rate. */
export const bands = [
	['0–12 kHz', 0, 12],
	['0–15 kHz', 0, 15],
	['0–22 kHz', 0, 22],
	['all', 0, null],
	['bats, 10–120 kHz', 10, 120],
]

/** Workers without a sound: the next one needs no network to begin. */
const idle = []
let lastNumber = 0
const newWorker = () =>
	new Worker(policy?.createScriptURL(workerAddress) ?? workerAddress, { type: 'module' })

/** Waits until a worker runs, which then needs no network. Without one, sounds have no sonogram. */
export const prepareWorker = () => new Promise((resolve) => {
	if (idle.length > 0) return resolve()
	const worker = newWorker()
	worker.onmessage = () => {
		idle.push(worker)
		resolve()
	}
	worker.onerror = resolve
	worker.postMessage({
		number: 0, start: 0, perPixel: 1, width: 1, height: 1,
		size: 256, low: 0, high: 1000, range: 80,
	})
})

/** The sound of a sonogram: a worker that has the samples, and the tiles that it computed last. */
export class Analysis {
	#worker = idle.pop() ?? newWorker()
	/** What each picture of the sound lacks, by the function that draws it. */
	#wanted = new Map()
	#running = null
	#tiles = new Map()

	constructor(decoded) {
		this.#worker.onmessage = ({ data }) => this.#take(data)
		this.take(decoded)
	}

	/**
	 * Takes the sound as far as it has arrived, after a part of it. Its tiles stay until they are
	 * computed anew: more can be louder.
	 */
	take({ samples, rate, duration }) {
		this.rate = rate
		this.duration = duration
		this.#worker.postMessage({ samples, rate }, [samples.buffer])
		for (const tile of [...this.#tiles.values(), this.#running]) if (tile) tile.isOld = true
		for (const redraw of this.#wanted.keys()) redraw()
	}

	#isMissing = ({ key }) => {
		const tile = this.#tiles.get(key)
		return !tile || Boolean(tile.isOld)
	}

	/**
	 * The tiles that are there; those that are missing are computed, and `redraw` is called. What
	 * it wanted before is dropped.
	 */
	tiles(wanted, redraw) {
		this.#wanted.set(redraw, wanted.filter(this.#isMissing))
		this.#next()
		return wanted.map(({ key }) => {
			const tile = this.#tiles.get(key)
			// Those in use are the last to go.
			if (!tile) return tile
			this.#tiles.delete(key)
			this.#tiles.set(key, tile)
			return tile
		})
	}

	/** Computes nothing for a picture any more. */
	leave(redraw) {
		this.#wanted.delete(redraw)
	}

	#next() {
		const tile = !this.#running && [...this.#wanted.values()].flat().find(this.#isMissing)
		if (!tile) return
		this.#running = { ...tile, number: ++lastNumber }
		this.#worker.postMessage(this.#running)
	}

	#take({ number, levels }) {
		if (this.#running?.number !== number) return
		const { key, width, height, isOld } = this.#running
		this.#tiles.set(key, { levels, width, height, isOld })
		this.#running = null
		for (const key of this.#tiles.keys()) {
			if (this.#tiles.size <= 64) break
			this.#tiles.delete(key)
		}
		this.#next()
		for (const redraw of this.#wanted.keys()) redraw()
	}

	stop() {
		this.#worker.onmessage = null
		idle.push(this.#worker)
	}
}

/**
 * A function of the number of shades that returns the picture of a sound's first seconds, black on
 * nothing, as a PNG of a size in pixels. A shorter sound takes less of it.
 */
export function picture(decoded, seconds, { width, height }) {
	const analysis = new Analysis(decoded)
	const { size, range, low, high } = defaultSettings
	const wanted = {
		key: '', start: 0, perPixel: seconds / width, width, height, size, range,
		low: low * 1000, high: high * 1000,
	}
	const levels = new Promise((resolve) => {
		const look = () => {
			const [tile] = analysis.tiles([wanted], look)
			if (tile) resolve(tile.levels)
		}
		look()
	}).finally(() => analysis.stop())
	return async (count) => {
		const step = 255 / (count - 1)
		const pixels = new ImageData(width, height)
		for (const [n, level] of (await levels).entries()) {
			pixels.data[4 * n + 3] = Math.round(level / step) * step
		}
		const canvas = Object.assign(document.createElement('canvas'), { width, height })
		canvas.getContext('2d').putImageData(pixels, 0, 0)
		return new Promise((resolve) => canvas.toBlob(resolve))
	}
}

/** Where the page is dark, so are sonograms. */
const isDark = matchMedia('(prefers-color-scheme: dark)')
const paper = () => (isDark.matches ? 16 : 255)
const ink = () => (isDark.matches ? 245 : 0)

/** The pixels of a tile in ink on paper, which are kept with it. */
function pixelsOf(tile, contrast) {
	const [from, to] = [paper(), ink()]
	if (tile.contrast === contrast && tile.ink === to) return tile.pixels
	const pixels = new ImageData(tile.width, tile.height)
	const shades = Uint8Array.from({ length: 256 }, (_, level) =>
		from + (to - from) * Math.min(1, (level / 255) * contrast))
	for (let n = 0; n < tile.levels.length; n++) {
		const shade = shades[tile.levels[n]]
		pixels.data[4 * n] = pixels.data[4 * n + 1] = pixels.data[4 * n + 2] = shade
		pixels.data[4 * n + 3] = 255
	}
	return Object.assign(tile, { contrast, ink: to, pixels }).pixels
}

/** Round steps of an axis, so that labels have `room` px each. */
function steps(from, to, length, room) {
	const rough = ((to - from) / Math.max(1, length)) * room
	const ten = 10 ** Math.floor(Math.log10(rough))
	const step = [1, 2, 5, 10].map((factor) => factor * ten).find((value) => value >= rough)
	const values = []
	for (let index = Math.ceil(from / step - 1e-9); index * step <= to + 1e-9; index++) {
		values.push(Number((index * step).toPrecision(12)))
	}
	return values
}

/** The room for the axes, in pixels. */
const left = 44
const below = 22
const above = 6

/** Of a picture that moves with the sound. */
const pixelsPerSecond = 70
const isStill = matchMedia('(prefers-reduced-motion: reduce)')

/** Where a time is in a picture. */
const xOf = (seconds, { start, end }, width) => left + ((seconds - start) / (end - start)) * width

/** Where times and frequencies are in a picture. */
function scalesOf(view, { width, height }, settings, rate) {
	const high = (settings.high ?? rate / 2000) * 1000
	const low = Math.min(settings.low * 1000, high - 1000)
	const x = (seconds) => xOf(seconds, view, width)
	return {
		view, width, height, low, high, x,
		inside: (seconds) => within(x(seconds), left, left + width),
		y: (hertz) => above + height * (1 - within((hertz - low) / (high - low), 0, 1)),
	}
}

/** The tiles of a stretch: each of a length, so that they stay the same as a view moves. */
function wantedTiles({ start, end }, perPixel, duration, spec) {
	const length = tileWidth * perPixel
	const wanted = []
	for (let index = Math.floor(start / length); index * length < end; index++) {
		const tile = { start: index * length, perPixel, width: tileWidth, ...spec }
		if (tile.start >= duration) break
		wanted.push({ ...tile, key: Object.values(tile).join() })
	}
	return wanted
}

/** Draws the tiles that are there; returns how many are missing. */
function drawTiles(context, density, { view, width, height, low, high }, values, redraw) {
	const { analysis, settings: { size, range, contrast } } = values
	const columns = Math.round(width * density)
	const lines = Math.round(height * density)
	context.fillStyle = `rgb(${paper()} ${paper()} ${paper()})`
	context.fillRect(left * density, above * density, columns, lines)
	// Without the last digits, which differ as a view moves.
	const perPixel = Number(((view.end - view.start) / columns).toPrecision(9))
	const spec = { height: lines, size, low, high, range }
	const wanted = wantedTiles(view, perPixel, analysis.duration, spec)
	const tiles = analysis.tiles(wanted, redraw)
	tiles.forEach((tile, index) => {
		if (!tile) return
		const pixels = pixelsOf(tile, contrast)
		const x = Math.round((wanted[index].start - view.start) / perPixel)
		const from = Math.max(0, -x)
		const shown = Math.min(tile.width, columns - x) - from
		if (shown <= 0) return
		context.putImageData(
			pixels, left * density + x, above * density, from, 0, shown, tile.height)
	})
	return tiles.filter((tile) => !tile || tile.isOld).length
}

function drawAxes(context, colour, { view, width, height, low, high, x, y }) {
	const tick = (x, y, width, height) => {
		context.globalAlpha = 0.35
		context.fillRect(x, y, width, height)
		context.globalAlpha = 1
	}
	context.font = '11px system-ui, sans-serif'
	context.fillStyle = colour
	context.textBaseline = 'middle'
	context.textAlign = 'right'
	const kilohertz = steps(low / 1000, high / 1000, height, 26)
	for (const value of kilohertz) {
		const top = y(value * 1000)
		const label = value === kilohertz.at(-1) ? `${value} kHz` : String(value)
		tick(left - 4, Math.round(top) - 0.5, 4, 1)
		context.fillText(label, left - 6, Math.max(above + 5, top))
	}
	context.textBaseline = 'alphabetic'
	context.textAlign = 'center'
	const end = left + width
	const bottom = above + height
	for (const value of steps(view.start, view.end, width, 56)) {
		const middle = x(value)
		tick(Math.round(middle) - 0.5, bottom, 1, 4)
		if (middle >= end - 12) continue
		context.fillText(`${value} s`, Math.max(left + 8, middle), bottom + 16)
	}
}

function drawStretch(context, [from, to], { inside, height }) {
	context.globalAlpha = 0.16
	context.fillRect(inside(from), above, inside(to) - inside(from), height)
	context.globalAlpha = 1
}

/** Draws the annotations in sight; returns their boxes. */
function drawAnnotations(context, annotations, { view, low, high, inside, y }) {
	const boxes = []
	context.textAlign = 'left'
	for (const annotation of annotations) {
		const { startTime: start, endTime: end, freqLow, freqHigh } = annotation
		if (start == null || end == null || end < view.start || start > view.end) continue
		if (freqLow > high || freqHigh < low) continue
		const from = inside(start)
		const to = inside(end)
		const top = y(freqHigh ?? high)
		const bottom = y(freqLow ?? low)
		const width = to - from
		boxes.push({
			from, to: Math.max(to, from + 2), top, bottom: Math.max(bottom, top + 2), annotation,
		})
		context.strokeRect(
			from + 0.5, top + 0.5, Math.max(1, width - 1), Math.max(1, bottom - top - 1))
		if (width <= 24) continue
		context.fillText(heardIn(annotation), from + 3, Math.max(above + 10, top - 3), width)
	}
	return boxes
}

/** A sonogram in an element, with what moves it. */
class Sonogram {
	cursor = document.createElement('div')
	frame = 0
	/** The boxes of annotations in sight. */
	boxes = []
	drag = null
	/** The view that was drawn. */
	drawn = null

	constructor(element, values) {
		const { cursor } = this
		const started = startCanvas(element, (context, density) => this.#draw(context, density))
		const { canvas, drawNow, redraw, stop: stopDrawing } = started
		Object.assign(this, { element, now: values, canvas, redraw, stopDrawing })
		cursor.className = 'cursor'
		element.append(cursor)
		canvas.onpointerdown = (event) => this.#press(event)
		canvas.onpointermove = (event) => this.#move(event)
		canvas.onpointerup = (event) => this.#release(event)
		canvas.onpointercancel = () => (this.drag = null)
		canvas.onwheel = (event) => this.#wheel(event)
		isDark.addEventListener('change', redraw)
		drawNow()
	}

	update(next) {
		const names = ['analysis', 'settings', 'view', 'stretch', 'annotations']
		const isSame = names.every((name) => next[name] === this.now[name])
		this.now = next
		if (isSame) this.#follow()
		else this.redraw()
	}

	stop() {
		const { frame, now, redraw } = this
		this.stopDrawing()
		isDark.removeEventListener('change', redraw)
		cancelAnimationFrame(frame)
		now.analysis.leave(redraw)
	}

	get area() {
		const { clientWidth, clientHeight } = this.element
		return {
			width: Math.max(10, clientWidth - left),
			height: Math.max(10, clientHeight - below - above),
		}
	}

	/**
	 * What is in sight: around the moment that is heard if no view is given. It rests while
	 * somebody drags.
	 */
	get view() {
		const { now: { view, longest, sound }, drag, area } = this
		if (view) return view
		if (drag) return drag.view
		const length = Math.min(longest, within(area.width / pixelsPerSecond, 4, 20))
		const time = sound?.frameTime ?? 0
		const page = Math.floor(time / length) * length
		return beginning(isStill.matches ? page : time - length / 2, length, longest)
	}

	#secondsAt(x, { start, end } = this.view) {
		return start + ((x - left) / this.area.width) * (end - start)
	}

	#draw(context, density) {
		const { element, now, canvas, redraw, area, view } = this
		const { settings, analysis, stretch, annotations, label } = now
		const style = getComputedStyle(element)
		const scales = scalesOf(view, area, settings, analysis.rate)
		this.drawn = view
		element.dataset.tiles = String(drawTiles(context, density, scales, now, redraw))
		context.scale(density, density)
		drawAxes(context, style.color, scales)
		context.strokeStyle = context.fillStyle = style.getPropertyValue('--accent')
		if (stretch) drawStretch(context, stretch, scales)
		this.boxes = drawAnnotations(context, annotations ?? [], scales)
		element.dataset.boxes = String(this.boxes.length)
		canvas.setAttribute('aria-label', label)
		this.#follow()
	}

	/** Moves the cursor, and what is in sight, with the sound. */
	#follow() {
		const { frame, view: shown, drawn, cursor, area: { width, height } } = this
		const { view, sound, stretch, analysis, longest, onView } = this.now
		cancelAnimationFrame(frame)
		if (shown.start !== drawn.start || shown.end !== drawn.end) this.redraw()
		const x = xOf(sound?.frameTime ?? 0, shown, width)
		const end = left + width
		const { style } = cursor
		cursor.hidden = !sound || x < left - 1 || x > end + 1
		style.transform = `translateX(${x}px)`
		style.top = `${above}px`
		style.height = `${height}px`
		if (!sound?.isPlaying) return
		const isPast = view && x > end && !stretch && view.end < analysis.duration - 0.01
		if (isPast) onView(shifted(view, 1, longest))
		this.frame = requestAnimationFrame(() => this.#follow())
	}

	/** The smallest box at a place. */
	#boxAt(x, y) {
		const size = ({ from, to, top, bottom }) => (to - from) * (bottom - top)
		const isAt = ({ from, to, top, bottom }) =>
			x >= from - 1 && x <= to + 1 && y >= top - 1 && y <= bottom + 1
		return this.boxes.filter(isAt).sort((a, b) => size(a) - size(b))[0]
	}

	#press({ button, offsetX: from, pointerId }) {
		if (button !== 0 || from < left) return
		this.canvas.setPointerCapture(pointerId)
		this.drag = { from, view: this.view }
	}

	#move({ offsetX: to }) {
		const { drag, now } = this
		if (!drag) return
		const { from, view } = drag
		if (Math.abs(to - from) <= 5) return
		const edges = [from, to].sort((a, b) => a - b)
		const { duration } = now.analysis
		const stretch = edges.map((x) => within(this.#secondsAt(x, view), 0, duration))
		drag.stretch = stretch
		this.now = { ...now, stretch }
		this.redraw()
	}

	#release({ offsetX: x, offsetY: y }) {
		if (!this.drag) return
		const { onStretch, onAnnotation, onSeek } = this.now
		const box = this.#boxAt(x, y)
		const { stretch, view } = this.drag
		this.drag = null
		if (stretch) onStretch(stretch)
		else if (box) onAnnotation(box.annotation)
		else onSeek(Math.max(0, this.#secondsAt(x, view)))
	}

	#wheel(event) {
		const { view, longest, onView } = this.now
		if (!view) return
		if (event.ctrlKey || event.metaKey) {
			const factor = event.deltaY > 0 ? 1.3 : 1 / 1.3
			onView(zoomed(view, factor, this.#secondsAt(event.offsetX), longest))
		} else if (event.deltaX) {
			onView(shifted(view, event.deltaX / this.area.width, longest))
		} else return
		event.preventDefault()
	}
}

/**
 * Draws into an element. Of the values, `view` is {start, end} in seconds, or `null` for a picture
 * that moves with the sound, `stretch` [from, to] or `null`, and `annotations` are those of a
 * recording, or `null`; a click on one calls `onAnnotation`.
 */
export const startSonogram = (element, values) => new Sonogram(element, values)

/** What is heard in an annotation, in a few words. */
export const heardIn = ({ scientificName, behavior }) => joined([scientificName, ...behavior])

/** A view with a different length, around a moment that stays where it is. */
export function zoomed({ start, end }, factor, around, longest) {
	const before = end - start
	const length = within(before * factor, 0.2, Math.max(0.2, longest))
	return beginning(around - ((around - start) / before) * length, length, longest)
}

/** A view of the same length, later by a part of it. */
export const shifted = ({ start, end }, part, longest) =>
	beginning(start + part * (end - start), end - start, longest)

function beginning(wanted, length, longest) {
	const start = Math.max(0, Math.min(wanted, longest - length))
	return { start, end: start + length }
}
