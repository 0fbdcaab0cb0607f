// The map: land, borders and recordings on a canvas, without tiles and without a network.

import { get } from './api.js'
import { startCanvas, within } from './canvas.js'
import { fieldsOf } from './columns.js'
import { button, draw, h, island, signButton } from './dom.js'
import { boxAround, drawLand, loadLand } from './land.js'
import { gridView } from './rows.js'
import { selection, unsorted } from './state.js'
import { number } from './text.js'

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
	const [south, west, north, east] = boxAround(points)
	const middle = (south + north) / 2
	// One place is shown with 100 km around it.
	const across = (width * 0.9) / Math.max(2, (east - west) * squeezeAt(middle))
	const upright = (height * 0.88) / Math.max(2, north - south)
	const zoom = Math.log2(Math.min(across, upright))
	return [middle, (west + east) / 2, within(zoom, -1, 11)]
}

/** The radius of a circle: larger with its number, smaller for one recording. */
export const radiusOf = ({ count }) => (count === 1 ? 6 : Math.max(9, 5 + 3 * number(count).length))

/**
 * Points that are near each other as one: `{x, y, count, point}`, of which no two overlap. A point
 * may be several.
 */
export function clusters(points, at) {
	const cells = new Map()
	for (const point of points) {
		const x = at.x(point[1])
		const y = at.y(point[0])
		// Cells stay where they are on the earth while the map is moved.
		const place = [x - at.x(0), y - at.y(0)].map((length) => Math.floor(length / cellSize))
		const cell = { x, y, count: point[4] ?? 1, point }
		const key = place.join()
		if (cells.has(key)) join(cells.get(key), cell)
		else cells.set(key, cell)
	}
	return apart([...cells.values()])
}

/** Adds a circle to another, which moves between both. */
function join(cell, { x, y, count }) {
	cell.count += count
	cell.x += ((x - cell.x) * count) / cell.count
	cell.y += ((y - cell.y) * count) / cell.count
}

/** Joins circles that overlap, the smaller to the larger, until none do. */
function apart(cells) {
	const kept = []
	for (const cell of cells.sort((a, b) => b.count - a.count)) {
		const doOverlap = (other) =>
			Math.hypot(cell.x - other.x, cell.y - other.y) < radiusOf(cell) + radiusOf(other)
		const other = kept.find(doOverlap)
		if (other) join(other, cell)
		else kept.push(cell)
	}
	return kept.length < cells.length ? apart(kept) : kept
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
function drawNumber(context, paper, cell) {
	const { x, y, count } = cell
	const accent = context.fillStyle
	circle(context, x, y, radiusOf(cell))
	context.fill()
	context.fillStyle = paper
	context.fillText(number(count), x, y + 0.5)
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
	/** What was drawn last, of `clusters`. */
	cells = []

	constructor(element, values) {
		const canvas = startCanvas(element, (context, density) => this.#draw(context, density))
		Object.assign(this, { element, now: values, ...canvas })
		this.#listen(element, canvas.canvas)
		this.#addButtons()
		this.drawNow()
		loadLand().then(this.redraw)
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
		const { viewport, bounds } = this.now
		if (viewport) return viewport
		const [south, west, north, east] = bounds ?? []
		return fitting(bounds ? [[south, west], [north, east]] : [], ...this.size)
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
		canvas.setAttribute('aria-label', label)
		// It is not known yet where they are.
		if (!points) return
		const [width, height] = this.size
		const at = this.#at()
		const style = getComputedStyle(element)
		const colour = (name) => style.getPropertyValue(name)
		context.scale(density, density)
		drawLand(context, at, this.size, colour)

		context.fillStyle = context.strokeStyle = colour('--accent')
		const seen = points.filter(([latitude, longitude]) => {
			const x = at.x(longitude)
			const y = at.y(latitude)
			return x > -40 && y > -40 && x < width + 40 && y < height + 40
		})
		for (const point of seen) drawUncertainty(context, at, width, point)
		context.textAlign = 'center'
		context.textBaseline = 'middle'
		context.font = '600 11px system-ui, sans-serif'
		this.cells = clusters(seen, at)
		for (const cell of this.cells) {
			if (cell.count === 1) drawPoint(context, at, shown, cell.point)
			else drawNumber(context, colour('--paper'), cell)
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
		const distance = (cell) => Math.hypot(cell.x - x, cell.y - y)
		const isNear = (cell) => distance(cell) < radiusOf(cell) + 4
		const [near] = this.cells.filter(isNear).sort((a, b) => distance(a) - distance(b))
		if (near?.count === 1 && near.point[3]) this.now.onOpen(near.point[3])
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
 * key, how many if several, whether the place is doubted], or `null` until they are there, `bounds`
 * and boxes [south, west, north, east], and `shown` is the key of the open recording.
 */
export const startMap = (element, values) => new EarthMap(element, values)

/** What a map shows that was not moved since the rows were chosen. */
export const wholeMap = { viewport: null, mapBox: null }

/**
 * Asks for the places within what the map shows, each of at most 2,000, else how many are near each
 * other; and for their `rows`.
 */
export async function askForPoints(state, set, signal, rows) {
	const { mapBox: box } = state
	const asked = get('map', unsorted(state), box ? { box } : {}, signal)
	const listed = selection(state, { ranked: true })
	listed.append('q', box ? `box:${box}` : 'lat:any')
	rows.select(listed, fieldsOf(state.columns), 0)
	const { placed, bounds, points, cells } = await asked
	set({ points: { placed, bounds, points: points?.map(onePoint) ?? cells.map(somePoints) } })
}

/** What the map has of a recording, and of several. */
const onePoint = ([latitude, longitude, uncertainty, , catalogue, id, isDoubtful]) =>
	[latitude, longitude, uncertainty, `${catalogue}/${id}`, 1, isDoubtful]
const somePoints = ([latitude, longitude, count]) => [latitude, longitude, null, null, count]

/** The map, and the rows of what is in sight; `values` are those of the grid. */
export function mapView(state, values, actions) {
	const { isBoxing, viewport, row } = state
	const { points = null, bounds, placed = 0 } = state.points ?? {}
	return h('div.mapped', { key: 'map' },
		h('div.toolbar',
			button('Draw a box', () => actions.set({ isBoxing: !isBoxing }), {
				'aria-pressed': Boolean(isBoxing),
			}),
			button('Show all', () => actions.moveMap(null, null)),
			h('p.quiet', { role: 'status' }, mapWords(state))),
		h('div.sides',
			island('div.map', 'map', mapProperties, startMap, {
				points, bounds, viewport, isBoxing,
				shown: row,
				label: `Map of ${number(placed)} recordings`,
				onMove: actions.moveMap,
				onBox: actions.box,
				onOpen: actions.openRow,
			}),
			placesView(state, values, actions)))
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

/** The rows of what is in sight on the map. The mark of the keyboard is its own. */
function placesView(state, values, actions) {
	const { mapBox, mapActive, turn } = state
	const { count } = values.rows
	const own = { active: mapActive, at: 0, brought: undefined, turn: `${turn} ${mapBox}` }
	return h('section.places', { 'aria-label': 'Recordings on the map' },
		h('p.quiet', count === null ? '' : `${number(count)} in sight or near it`),
		h('div.table', gridView({ ...state, ...own }, values, {
			...actions,
			set: ({ active }) => actions.set({ mapActive: active }),
			rest() {},
			more() {},
		})))
}
