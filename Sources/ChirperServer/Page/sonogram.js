// A sonogram with its axes: drawn from tiles that a worker computes for the stretch in sight, with a cursor in step with the sound.

import { startCanvas, within } from './canvas.js'

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
	['0–12 kHz', 0, 12], ['0–15 kHz', 0, 15], ['0–22 kHz', 0, 22], ['all', 0, null], ['bats, 10–120 kHz', 10, 120],
]

/** Workers without a sound: the next one needs no network to begin. */
const idle = []
let lastNumber = 0
const newWorker = () => new Worker(policy ? policy.createScriptURL(workerAddress) : workerAddress, { type: 'module' })

/** Waits until a worker runs, which then needs no network. Without one, sounds have no sonogram. */
export const prepareWorker = () => new Promise((resolve) => {
	if (idle.length > 0) return resolve()
	const worker = newWorker()
	worker.onmessage = () => {
		idle.push(worker)
		resolve()
	}
	worker.onerror = resolve
	worker.postMessage({ number: 0, start: 0, perPixel: 1, width: 1, height: 1, size: 256, low: 0, high: 1000, range: 80 })
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

	/** The sound as far as it has arrived, after a part of it. Its tiles stay until they are computed anew: more can be louder. */
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

	/** The tiles that are there; those that are missing are computed, and `redraw` is called. What it wanted before is dropped. */
	tiles(wanted, redraw) {
		this.#wanted.set(redraw, wanted.filter(this.#isMissing))
		this.#next()
		return wanted.map(({ key }) => {
			const tile = this.#tiles.get(key)
			// Those in use are the last to go.
			if (tile) this.#tiles.delete(key), this.#tiles.set(key, tile)
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

/** The pixels of a tile, dark on light, which are kept with it. */
function pixelsOf(tile, contrast) {
	if (tile.contrast === contrast) return tile.pixels
	const pixels = new ImageData(tile.width, tile.height)
	const shades = Uint8Array.from({ length: 256 }, (_, level) => 255 * (1 - Math.min(1, (level / 255) * contrast)))
	for (let n = 0; n < tile.levels.length; n++) {
		const shade = shades[tile.levels[n]]
		pixels.data[4 * n] = pixels.data[4 * n + 1] = pixels.data[4 * n + 2] = shade
		pixels.data[4 * n + 3] = 255
	}
	return Object.assign(tile, { contrast, pixels }).pixels
}

/** Round steps of an axis, so that labels have `room` px each. */
function steps(from, to, length, room) {
	const rough = ((to - from) / Math.max(1, length)) * room
	const ten = 10 ** Math.floor(Math.log10(rough))
	const step = [1, 2, 5, 10].map((factor) => factor * ten).find((value) => value >= rough)
	const values = []
	for (let index = Math.ceil(from / step - 1e-9); index * step <= to + 1e-9; index++) values.push(Number((index * step).toPrecision(12)))
	return values
}

const [left, below, above] = [44, 22, 6]

/** Of a picture that moves with the sound. */
const pixelsPerSecond = 70
const isStill = matchMedia('(prefers-reduced-motion: reduce)')

/**
 * Draws into an element. Of the values, `view` is {start, end} in seconds, or `null` for a picture that moves with the sound, `stretch`
 * [from, to] or `null`, and `annotations` are those of a recording, or `null`; a click on one calls `onAnnotation`.
 */
export function startSonogram(element, values) {
	let now = values
	let frame = 0
	let boxes = []

	const area = () => ({ width: Math.max(10, element.clientWidth - left), height: Math.max(10, element.clientHeight - below - above) })
	const xOf = (seconds, { start, end } = viewNow()) => left + ((seconds - start) / (end - start)) * area().width
	const secondsAt = (x, { start, end } = viewNow()) => start + ((x - left) / area().width) * (end - start)
	let drag = null
	let drawn = null

	/** What is in sight: around the moment that is heard if no view is given. It rests while somebody drags. */
	const viewNow = () => {
		if (now.view) return now.view
		if (drag) return drag.view
		const length = Math.min(now.longest, within(area().width / pixelsPerSecond, 4, 20))
		const time = now.sound?.frameTime ?? 0
		return beginning(isStill.matches ? Math.floor(time / length) * length : time - length / 2, length, now.longest)
	}

	const { canvas, drawNow, redraw, stop } = startCanvas(element, (context, density) => {
		const { width, height } = area()
		const [columns, lines] = [Math.round(width * density), Math.round(height * density)]
		const style = getComputedStyle(element)
		context.fillStyle = '#fff'
		context.fillRect(left * density, above * density, columns, lines)

		const { settings, analysis } = now
		const view = (drawn = viewNow())
		const high = (settings.high ?? analysis.rate / 2000) * 1000
		const low = Math.min(settings.low * 1000, high - 1000)
		// Without the last digits, which differ as a view moves.
		const perPixel = Number(((view.end - view.start) / columns).toPrecision(9))
		const wanted = []
		for (let index = Math.floor(view.start / perPixel / tileWidth); index * tileWidth * perPixel < view.end; index++) {
			const start = index * tileWidth * perPixel
			if (start >= analysis.duration) break
			const spec = { start, perPixel, width: tileWidth, height: lines, size: settings.size, low, high, range: settings.range }
			wanted.push({ ...spec, key: Object.values(spec).join(), index })
		}
		const tiles = analysis.tiles(wanted, redraw)
		tiles.forEach((tile, index) => {
			if (!tile) return
			const pixels = pixelsOf(tile, settings.contrast)
			const x = Math.round((wanted[index].start - view.start) / perPixel)
			const from = Math.max(0, -x)
			const shown = Math.min(tile.width, columns - x) - from
			if (shown > 0) context.putImageData(pixels, left * density + x, above * density, from, 0, shown, tile.height)
		})
		element.dataset.tiles = String(wanted.length - tiles.filter((tile) => tile && !tile.isOld).length)

		context.scale(density, density)
		context.font = '11px system-ui, sans-serif'
		context.fillStyle = context.strokeStyle = style.color
		context.textBaseline = 'middle'
		context.textAlign = 'right'
		const tick = (x, y, width, height) => {
			context.globalAlpha = 0.35
			context.fillRect(x, y, width, height)
			context.globalAlpha = 1
		}
		const hertz = steps(low / 1000, high / 1000, height, 26)
		for (const value of hertz) {
			const y = above + height - ((value * 1000 - low) / (high - low)) * height
			tick(left - 4, Math.round(y) - 0.5, 4, 1)
			context.fillText(value === hertz.at(-1) ? `${value} kHz` : String(value), left - 6, Math.max(above + 5, y))
		}
		context.textBaseline = 'alphabetic'
		context.textAlign = 'center'
		for (const value of steps(view.start, view.end, width, 56)) {
			const x = xOf(value)
			tick(Math.round(x) - 0.5, above + height, 1, 4)
			if (x < left + width - 12) context.fillText(`${value} s`, Math.max(left + 8, x), above + height + 16)
		}
		if (now.stretch) {
			const [from, to] = now.stretch.map((value) => within(xOf(value), left, left + width))
			context.globalAlpha = 0.16
			context.fillStyle = style.getPropertyValue('--accent')
			context.fillRect(from, above, to - from, height)
			context.globalAlpha = 1
		}
		const yOf = (hertz) => above + height - within((hertz - low) / (high - low), 0, 1) * height
		boxes = []
		context.strokeStyle = context.fillStyle = style.getPropertyValue('--accent')
		context.textAlign = 'left'
		for (const annotation of now.annotations ?? []) {
			const { startTime: start, endTime: end, freqLow, freqHigh } = annotation
			if (start == null || end == null || end < view.start || start > view.end || freqLow > high || freqHigh < low) continue
			const [from, to] = [start, end].map((value) => within(xOf(value), left, left + width))
			const [top, bottom] = [yOf(freqHigh ?? high), yOf(freqLow ?? low)]
			boxes.push({ from, to: Math.max(to, from + 2), top, bottom: Math.max(bottom, top + 2), annotation })
			context.strokeRect(from + 0.5, top + 0.5, Math.max(1, to - from - 1), Math.max(1, bottom - top - 1))
			if (to - from > 24) context.fillText(heardIn(annotation), from + 3, Math.max(above + 10, top - 3), to - from)
		}
		element.dataset.boxes = String(boxes.length)
		canvas.setAttribute('aria-label', now.label)
		follow()
	})
	const cursor = document.createElement('div')
	cursor.className = 'cursor'
	element.append(cursor)

	const follow = () => {
		cancelAnimationFrame(frame)
		const { width, height } = area()
		const view = viewNow()
		if (view.start !== drawn.start || view.end !== drawn.end) redraw()
		const x = xOf(now.sound?.frameTime ?? 0, view)
		cursor.hidden = !now.sound || x < left - 1 || x > left + width + 1
		cursor.style.transform = `translateX(${x}px)`
		cursor.style.top = `${above}px`
		cursor.style.height = `${height}px`
		if (now.sound?.isPlaying) {
			if (now.view && x > left + width && !now.stretch && now.view.end < now.analysis.duration - 0.01) now.onView(shifted(now.view, 1, now.longest))
			frame = requestAnimationFrame(follow)
		}
	}

	/** The smallest box at that place. */
	const boxAt = (x, y) => {
		const size = (box) => (box.to - box.from) * (box.bottom - box.top)
		const there = boxes.filter((box) => x >= box.from - 1 && x <= box.to + 1 && y >= box.top - 1 && y <= box.bottom + 1)
		return there.reduce((least, box) => (least && size(least) <= size(box) ? least : box), null)
	}

	canvas.onpointerdown = (event) => {
		if (event.button !== 0 || event.offsetX < left) return
		canvas.setPointerCapture(event.pointerId)
		drag = { from: event.offsetX, view: viewNow() }
	}
	canvas.onpointermove = (event) => {
		if (!drag || Math.abs(event.offsetX - drag.from) <= 5) return
		const edges = [secondsAt(drag.from, drag.view), secondsAt(event.offsetX, drag.view)].sort((a, b) => a - b)
		drag.stretch = edges.map((value) => within(value, 0, now.analysis.duration))
		now = { ...now, stretch: drag.stretch }
		redraw()
	}
	canvas.onpointerup = (event) => {
		if (!drag) return
		const box = boxAt(event.offsetX, event.offsetY)
		const { stretch, view } = drag
		drag = null
		if (stretch) now.onStretch(stretch)
		else if (box) now.onAnnotation(box.annotation)
		else now.onSeek(Math.max(0, secondsAt(event.offsetX, view)))
	}
	canvas.onpointercancel = () => (drag = null)
	canvas.onwheel = (event) => {
		if (!now.view) return
		if (event.ctrlKey || event.metaKey) now.onView(zoomed(now.view, event.deltaY > 0 ? 1.3 : 1 / 1.3, secondsAt(event.offsetX), now.longest))
		else if (event.deltaX) now.onView(shifted(now.view, event.deltaX / area().width, now.longest))
		else return
		event.preventDefault()
	}

	drawNow()

	return {
		update(next) {
			const isSame = next.analysis === now.analysis && next.settings === now.settings && next.view === now.view && next.stretch === now.stretch && next.annotations === now.annotations
			now = next
			if (isSame) follow()
			else redraw()
		},
		stop() {
			stop()
			cancelAnimationFrame(frame)
			now.analysis.leave(redraw)
		},
	}
}

/** What is heard in an annotation, in a few words. */
export const heardIn = ({ scientificName, behavior }) => [scientificName, ...behavior].filter(Boolean).join(', ')

/** A view with another length, around a moment that stays where it is. */
export function zoomed(view, factor, around, longest) {
	const length = within((view.end - view.start) * factor, 0.2, Math.max(0.2, longest))
	return beginning(around - ((around - view.start) / (view.end - view.start)) * length, length, longest)
}

/** A view of the same length, later by a part of it. */
export const shifted = ({ start, end }, part, longest) => beginning(start + part * (end - start), end - start, longest)

function beginning(wanted, length, longest) {
	const start = Math.max(0, Math.min(wanted, longest - length))
	return { start, end: start + length }
}
