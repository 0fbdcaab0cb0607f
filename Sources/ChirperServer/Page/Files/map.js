// The map: coasts, borders and recordings on a canvas, without tiles and without a network.

import { get } from './api.js'
import { startCanvas, within } from './canvas.js'
import { coast } from './coast.js'
import { heardFields, titleOf } from './columns.js'
import { button, draw, h, island, quiet, signButton } from './dom.js'
import { keyOf, selection, toAddress, unsorted } from './state.js'
import { clock, joined, number } from './text.js'

const cellSize = 40

/** How much shorter a degree of longitude is than one of latitude. */
const squeezeAt = (latitude) => Math.max(0.3, Math.cos((latitude * Math.PI) / 180))

/**
 * Where a point of the earth is on the canvas. Degrees are as long as at the middle, so that shapes
 * there look right.
 */
export function projection([latitude, longitude, zoom], width, height) {
	const scale = 2 ** zoom
	const squeeze = squeezeAt(latitude)
	return {
		scale,
		squeeze,
		x: (value) => width / 2 + (value - longitude) * scale * squeeze,
		y: (value) => height / 2 - (value - latitude) * scale,
		longitude: (x) => longitude + (x - width / 2) / scale / squeeze,
		latitude: (y) => latitude - (y - height / 2) / scale,
	}
}

/**
 * The centre and zoom that show all points: `[latitude, longitude, zoom]`, the zoom in doublings of
 * a pixel for each degree.
 */
export function fitting(points, width, height) {
	if (points.length === 0) {
		return [15, 10, Math.log2(Math.max(0.5, Math.min(width / 340, height / 150)))]
	}
	let south = 90
	let north = -90
	let west = 180
	let east = -180
	for (const [latitude, longitude] of points) {
		south = Math.min(south, latitude)
		north = Math.max(north, latitude)
		west = Math.min(west, longitude)
		east = Math.max(east, longitude)
	}
	const middle = (south + north) / 2
	const across = (width * 0.9) / Math.max(0.05, (east - west) * squeezeAt(middle))
	const upright = (height * 0.88) / Math.max(0.05, north - south)
	const zoom = Math.log2(Math.min(across, upright))
	return [middle, (west + east) / 2, within(zoom, -1, 9)]
}

/**
 * Points that are near each other as one: `{x, y, count, point}` for each cell of 40 px that has
 * some. A point may be several.
 */
export function clusters(points, at) {
	const cells = new Map()
	for (const point of points) {
		const x = at.x(point[1])
		const y = at.y(point[0])
		const key = `${Math.floor(x / cellSize)},${Math.floor(y / cellSize)}`
		const cell = cells.get(key) ?? { x, y, count: 0, point }
		const count = point[4] ?? 1
		cell.count += count
		cell.x += ((x - cell.x) * count) / cell.count
		cell.y += ((y - cell.y) * count) / cell.count
		cells.set(key, cell)
	}
	return [...cells.values()]
}

const metresPerDegree = 111_320

/** A coordinate within the earth, where the canvas goes on. */
const onEarth = (value, most) => Number(within(value, -most, most).toFixed(3))

/** The box [south, west, north, east] between two corners of the canvas. */
const boxOf = (at, x, y, toX, toY) => [
	onEarth(at.latitude(Math.max(y, toY)), 90),
	onEarth(at.longitude(Math.min(x, toX)), 180),
	onEarth(at.latitude(Math.min(y, toY)), 90),
	onEarth(at.longitude(Math.max(x, toX)), 180),
]

function drawCoast(context, at) {
	context.lineWidth = 1
	context.lineJoin = 'round'
	context.beginPath()
	for (const line of coast) {
		line.forEach(([longitude, latitude], index) => {
			if (index === 0) context.moveTo(at.x(longitude), at.y(latitude))
			else context.lineTo(at.x(longitude), at.y(latitude))
		})
	}
	context.stroke()
}

/** Draws a place that is not exact as a circle of its uncertainty. */
function drawUncertainty(context, at, width, [latitude, longitude, uncertainty]) {
	const radius = ((uncertainty ?? 0) / metresPerDegree) * at.scale
	if (radius < 6 || radius > 4 * width) return
	const parallel = Math.max(0.05, Math.cos((latitude * Math.PI) / 180))
	const across = radius * Math.max(0.1, at.squeeze / parallel)
	context.globalAlpha = 0.07
	context.beginPath()
	context.ellipse(at.x(longitude), at.y(latitude), across, radius, 0, 0, 2 * Math.PI)
	context.fill()
	context.globalAlpha = 0.5
	context.stroke()
	context.globalAlpha = 1
}

function circle(context, x, y, radius) {
	context.beginPath()
	context.arc(x, y, radius, 0, 2 * Math.PI)
}

function drawPoint(context, at, shown, point) {
	const [latitude, longitude, uncertainty, key, , isDoubtful] = point
	const x = at.x(longitude)
	const y = at.y(latitude)
	const radius = key && key === shown ? 6 : 3.5
	if (isDoubtful) return drawCross(context, x, y, radius)
	circle(context, x, y, radius)
	if (uncertainty && (uncertainty / metresPerDegree) * at.scale >= 6) context.stroke()
	else context.fill()
}

/** Draws a place that the catalogue doubts. */
function drawCross(context, x, y, radius) {
	context.beginPath()
	for (const up of [-radius, radius]) {
		context.moveTo(x - radius, y - up)
		context.lineTo(x + radius, y + up)
	}
	context.stroke()
}

/** Draws several places as a circle with their number. */
function drawNumber(context, paper, { x, y, count }) {
	const text = number(count)
	const accent = context.fillStyle
	context.globalAlpha = 0.9
	circle(context, x, y, Math.max(9, 5 + 3 * text.length))
	context.fill()
	context.globalAlpha = 1
	context.fillStyle = paper
	context.fillText(text, x, y + 0.5)
	context.fillStyle = accent
}

function drawBox(context, [x, y, toX, toY]) {
	context.globalAlpha = 0.12
	context.fillRect(x, y, toX - x, toY - y)
	context.globalAlpha = 1
	context.strokeRect(x, y, toX - x, toY - y)
}

/** A map in an element, with what moves it. */
class EarthMap {
	drag = null
	fingers = new Map()

	constructor(element, values) {
		const canvas = startCanvas(element, (context, density) => this.#draw(context, density))
		Object.assign(this, { element, now: values, ...canvas })
		this.#listen(element, canvas.canvas)
		this.#addButtons()
		this.drawNow()
	}

	#listen(element, canvas) {
		canvas.onpointerdown = (event) => this.#press(event)
		canvas.onpointermove = (event) => this.#move(event)
		canvas.onpointerup = (event) => this.#release(event)
		canvas.onpointercancel = (event) => this.#leave(event)
		canvas.onwheel = (event) => {
			event.preventDefault()
			this.#zoom(-event.deltaY / 300, event.offsetX, event.offsetY)
		}
		element.onkeydown = (event) => this.#key(event)
	}

	update(next) {
		this.now = next
		this.redraw()
	}

	get size() {
		const { clientWidth, clientHeight } = this.element
		return [clientWidth, clientHeight]
	}

	get viewport() {
		const { viewport, bounds, points } = this.now
		if (viewport) return viewport
		const [south, west, north, east] = bounds ?? []
		return fitting(bounds ? [[south, west], [north, east]] : points, ...this.size)
	}

	#at(viewport = this.viewport) {
		return projection(viewport, ...this.size)
	}

	#addButtons() {
		const tools = document.createElement('span')
		tools.className = 'joined'
		this.element.append(tools)
		const zoom = (by) => () => this.#zoom(by, ...this.size.map((length) => length / 2))
		draw(tools, [signButton('−', 'Zoom out', zoom(-1)), signButton('+', 'Zoom in', zoom(1))])
	}

	#draw(context, density) {
		const { element, canvas, drag, now: { label, points, shown } } = this
		const [width, height] = this.size
		const at = this.#at()
		const style = getComputedStyle(element)
		canvas.setAttribute('aria-label', label)
		context.scale(density, density)
		context.strokeStyle = style.getPropertyValue('--coast')
		drawCoast(context, at)

		context.fillStyle = context.strokeStyle = style.getPropertyValue('--accent')
		const seen = points.filter(([latitude, longitude]) => {
			const x = at.x(longitude)
			const y = at.y(latitude)
			return x > -40 && y > -40 && x < width + 40 && y < height + 40
		})
		for (const point of seen) drawUncertainty(context, at, width, point)
		context.textAlign = 'center'
		context.textBaseline = 'middle'
		context.font = '600 11px system-ui, sans-serif'
		const paper = style.getPropertyValue('--paper')
		for (const cell of clusters(seen, at)) {
			if (cell.count === 1) drawPoint(context, at, shown, cell.point)
			else drawNumber(context, paper, cell)
		}
		if (drag?.box) drawBox(context, drag.box)
	}

	#show([latitude, longitude, zoom]) {
		const east = ((((longitude + 180) % 360) + 360) % 360) - 180
		const viewport = [within(latitude, -85, 85), east, within(zoom, -1, 11)]
		this.update({ ...this.now, viewport })
		const [width, height] = this.size
		// A little more than what is in sight, for the next step.
		const margin = [-0.2 * width, -0.2 * height, 1.2 * width, 1.2 * height]
		this.now.onMove(viewport, boxOf(this.#at(), ...margin))
	}

	#zoom(by, x, y) {
		const [latitude, longitude, before] = this.viewport
		const at = this.#at()
		const after = this.#at([latitude, longitude, within(before + by, -1, 11)])
		this.#show([
			latitude + at.latitude(y) - after.latitude(y),
			longitude + at.longitude(x) - after.longitude(x),
			before + by,
		])
	}

	#press(event) {
		const { button, shiftKey, pointerId, offsetX: x, offsetY: y } = event
		const { canvas, fingers, now, viewport } = this
		if (button !== 0) return
		canvas.setPointerCapture(pointerId)
		fingers.set(pointerId, event)
		const isBox = now.isBoxing || shiftKey
		this.drag = fingers.size > 1 ? null : { x, y, viewport, isBox }
	}

	#move(event) {
		this.#pinch(event)
		const { drag } = this
		if (!drag) return
		const right = event.offsetX - drag.x
		const down = event.offsetY - drag.y
		if (Math.abs(right) + Math.abs(down) > 4) drag.isMoved = true
		if (!drag.isMoved) return
		if (drag.isBox) {
			drag.box = [drag.x, drag.y, event.offsetX, event.offsetY]
			return this.redraw()
		}
		const [latitude, longitude, zoom] = drag.viewport
		const { scale, squeeze } = this.#at(drag.viewport)
		this.#show([latitude + down / scale, longitude - right / scale / squeeze, zoom])
	}

	/** Zooms when two fingers move. */
	#pinch(event) {
		const { fingers } = this
		const before = fingers.get(event.pointerId)
		const other = before && [...fingers.values()].find((finger) => finger !== before)
		if (!other) return
		const { offsetX: x, offsetY: y } = other
		const distance = (finger) => Math.hypot(finger.offsetX - x, finger.offsetY - y) || 1
		const by = Math.log2(distance(event) / distance(before))
		this.#zoom(by, (event.offsetX + x) / 2, (event.offsetY + y) / 2)
		fingers.set(event.pointerId, event)
	}

	#leave({ pointerId }) {
		this.fingers.delete(pointerId)
		this.drag = null
	}

	#release(event) {
		const { drag, now } = this
		this.#leave(event)
		if (!drag) return
		if (drag.box) now.onBox(boxOf(this.#at(), ...drag.box))
		else if (!drag.isMoved) this.#click(event.offsetX, event.offsetY)
		this.redraw()
	}

	#click(x, y) {
		const { points, onOpen } = this.now
		const isNear = (cell) => Math.hypot(cell.x - x, cell.y - y) < 14
		const near = clusters(points, this.#at()).find(isNear)
		if (near?.count === 1 && near.point[3]) onOpen(near.point[3])
		else if (near) this.#zoom(1.5, near.x, near.y)
	}

	#key(event) {
		const { key, target } = event
		if (target !== this.element || event.ctrlKey || event.metaKey || event.altKey) return
		const { isBoxing, onBox } = this.now
		if (key === 'Enter' && isBoxing) onBox(boxOf(this.#at(), 0, 0, ...this.size))
		const [latitude, longitude, level] = this.viewport
		const step = 60 / 2 ** level
		const to = {
			ArrowUp: [latitude + step, longitude, level],
			ArrowDown: [latitude - step, longitude, level],
			ArrowLeft: [latitude, longitude - step, level],
			ArrowRight: [latitude, longitude + step, level],
			'+': [latitude, longitude, level + 0.5],
			'-': [latitude, longitude, level - 0.5],
		}[key]
		if (!to) return
		event.preventDefault()
		this.#show(to)
	}
}

/**
 * Draws into an element. Of the values, `points` are [latitude, longitude, uncertainty or null,
 * key, how many if several, whether the place is doubted], `bounds` and boxes [south, west, north,
 * east], and `shown` is the key of the open recording.
 */
export const startMap = (element, values) => new EarthMap(element, values)

/** The rows below the map. */
const mostMapped = 50

/**
 * Asks for the places within what the map shows; each of at most 2,000, else how many are near each
 * other.
 */
export async function askForPoints(state, set, signal) {
	const { mapBox: box } = state
	const answer = await get('map', unsorted(state), box ? { box } : {}, signal)
	const { placed, bounds, points, cells } = answer
	set({ points: { placed, bounds, points: points?.map(onePoint) ?? cells.map(somePoints) } })
	const listed = selection(state, { ranked: true })
	listed.append('q', box ? `box:${box}` : 'lat:any')
	const window = { columns: `${heardFields},locality,country`, limit: mostMapped }
	set({ mapped: await get('rows', listed, window, signal) })
}

/** What the map has of a recording, and of several. */
const onePoint = ([latitude, longitude, uncertainty, , catalogue, id, isDoubtful]) =>
	[latitude, longitude, uncertainty, `${catalogue}/${id}`, 1, isDoubtful]
const somePoints = ([latitude, longitude, count]) => [latitude, longitude, null, null, count]

/** The map, and a list of what is in sight. `signOf` returns the sign and the name of a row's ▶. */
export function mapView(state, signOf, actions) {
	const { isBoxing, viewport, row, mapped } = state
	const { points = [], bounds, placed = 0 } = state.points ?? {}
	return h('div.mapped', { key: 'map' },
		h('div.toolbar',
			button('Draw a box', () => actions.set({ isBoxing: !isBoxing }), {
				'aria-pressed': Boolean(isBoxing),
			}),
			button('Show all', () => actions.moveMap(null, null)),
			h('p.quiet', { role: 'status' }, mapWords(state))),
		island('div.map', 'map', mapProperties, startMap, {
			points, bounds, viewport, isBoxing,
			shown: row,
			label: `Map of ${number(placed)} recordings`,
			onMove: actions.moveMap,
			onBox: actions.box,
			onOpen: actions.openRow,
		}),
		mapped?.rows > 0 && mappedView(state, signOf, actions))
}

const mapProperties = {
	tabIndex: 0, role: 'group', 'aria-label': 'Map. Arrow keys move it, plus and minus zoom.',
}

function mapWords({ isBoxing, points, count }) {
	if (isBoxing) return 'Drag a box, or press Enter in the map for all of it.'
	if (!points) return 'Loading the places…'
	const missing = count === null ? 0 : count - points.placed
	const rest = missing > 0 ? `, ${number(missing)} without one` : ''
	return `${number(points.placed)} with a place${rest}.`
}

/** What is in sight on the map, to be heard. */
function mappedView(state, signOf, actions) {
	const { rows: count, recordings } = state.mapped
	const first = count > recordings.length ? `The first ${number(recordings.length)} of ` : ''
	return h('section.places', { 'aria-label': 'Recordings on the map' },
		h('p.quiet', `${first}${number(count)} in sight or near it:`),
		h('ol', recordings.map((recording) => {
			const { mediaDuration, locality, country } = recording
			const key = keyOf(recording)
			const sign = signOf(recording)
			const play = () => actions.playRow(recording)
			return h('li', { key },
				sign && signButton(...sign, play, { class: 'play small' }), ' ',
				h('a', {
					href: toAddress({ ...state, row: key }),
					onclick: (event) => actions.followRow(event, key),
				}, titleOf(recording)),
				quiet(` ${joined([clock(mediaDuration), locality, country])}`))
		})))
}
