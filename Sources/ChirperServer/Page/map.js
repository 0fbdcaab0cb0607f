// The map: coasts, borders and recordings on a canvas, without tiles and without a network.

import { startCanvas, within } from './canvas.js'
import { coast } from './coast.js'
import { draw, signButton } from './dom.js'
import { number } from './text.js'

const cellSize = 40

/** How much shorter a degree of longitude is than one of latitude. */
const squeezeAt = (latitude) => Math.max(0.3, Math.cos((latitude * Math.PI) / 180))

/** Where a point of the earth is on the canvas. Degrees are as long as at the middle, so that shapes there look right. */
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

/** The centre and zoom that show all points: `[latitude, longitude, zoom]`, the zoom in doublings of a pixel for each degree. */
export function fitting(points, width, height) {
	if (points.length === 0) return [15, 10, Math.log2(Math.max(0.5, Math.min(width / 340, height / 150)))]
	let [south, north, west, east] = [90, -90, 180, -180]
	for (const [latitude, longitude] of points) {
		south = Math.min(south, latitude)
		north = Math.max(north, latitude)
		west = Math.min(west, longitude)
		east = Math.max(east, longitude)
	}
	const middle = (south + north) / 2
	const zoom = Math.log2(Math.min((width * 0.9) / Math.max(0.05, (east - west) * squeezeAt(middle)), (height * 0.88) / Math.max(0.05, north - south)))
	return [middle, (west + east) / 2, within(zoom, -1, 9)]
}

/** Points that are near each other as one: `{x, y, count, point}` for each cell of 40 px that has some. A point may be several. */
export function clusters(points, at) {
	const cells = new Map()
	for (const point of points) {
		const [x, y] = [at.x(point[1]), at.y(point[0])]
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

/**
 * Draws into an element. Of the values, `points` are [latitude, longitude, uncertainty or null, key, how many if several, whether the place is doubted], `bounds` and
 * boxes [south, west, north, east], and `shown` is the key of the open recording.
 */
export function startMap(element, values) {
	let now = values
	let drag = null
	const fingers = new Map()

	const size = () => [element.clientWidth, element.clientHeight]

	const viewport = () => {
		const [south, west, north, east] = now.bounds ?? []
		return now.viewport ?? fitting(now.bounds ? [[south, west], [north, east]] : now.points, ...size())
	}

	const project = (viewport) => projection(viewport, ...size())

	const { canvas, drawNow, redraw, stop } = startCanvas(element, (context, density) => {
		const [width, height] = size()
		context.scale(density, density)
		const style = getComputedStyle(element)
		const at = project(viewport())
		canvas.setAttribute('aria-label', now.label)

		context.strokeStyle = style.getPropertyValue('--coast')
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

		const accent = style.getPropertyValue('--accent')
		const seen = now.points.filter(([latitude, longitude]) => {
			const [x, y] = [at.x(longitude), at.y(latitude)]
			return x > -40 && y > -40 && x < width + 40 && y < height + 40
		})
		context.fillStyle = context.strokeStyle = accent
		const circle = (x, y, radius) => {
			context.beginPath()
			context.arc(x, y, radius, 0, 2 * Math.PI)
		}
		// A place that is not exact is a circle of its uncertainty.
		for (const [latitude, longitude, uncertainty] of seen) {
			const radius = ((uncertainty ?? 0) / metresPerDegree) * at.scale
			if (radius < 6 || radius > 4 * width) continue
			const wide = Math.max(0.1, at.squeeze / Math.max(0.05, Math.cos((latitude * Math.PI) / 180)))
			context.globalAlpha = 0.07
			context.beginPath()
			context.ellipse(at.x(longitude), at.y(latitude), radius * wide, radius, 0, 0, 2 * Math.PI)
			context.fill()
			context.globalAlpha = 0.5
			context.stroke()
		}
		context.globalAlpha = 1
		context.textAlign = 'center'
		context.textBaseline = 'middle'
		context.font = '600 11px system-ui, sans-serif'
		for (const cell of clusters(seen, at)) {
			if (cell.count === 1) {
				const [latitude, longitude, uncertainty, key, , isDoubtful] = cell.point
				const [x, y, radius] = [at.x(longitude), at.y(latitude), key && key === now.shown ? 6 : 3.5]
				if (isDoubtful) {
					// A place that the catalogue doubts is a cross.
					context.beginPath()
					for (const up of [-radius, radius]) {
						context.moveTo(x - radius, y - up)
						context.lineTo(x + radius, y + up)
					}
					context.stroke()
					continue
				}
				circle(x, y, radius)
				if (uncertainty && (uncertainty / metresPerDegree) * at.scale >= 6) context.stroke()
				else context.fill()
			} else {
				const text = number(cell.count)
				const radius = Math.max(9, 5 + 3 * text.length)
				context.globalAlpha = 0.9
				circle(cell.x, cell.y, radius)
				context.fill()
				context.globalAlpha = 1
				context.fillStyle = style.getPropertyValue('--paper')
				context.fillText(text, cell.x, cell.y + 0.5)
				context.fillStyle = accent
			}
		}
		if (drag?.box) {
			const [x, y, toX, toY] = drag.box
			context.globalAlpha = 0.12
			context.fillRect(x, y, toX - x, toY - y)
			context.globalAlpha = 1
			context.strokeRect(x, y, toX - x, toY - y)
		}
	})

	/** A box within the earth: the canvas goes on where it ends. */
	const box = (at, west, north, east, south) =>
		[[at.latitude(south), 90], [at.longitude(west), 180], [at.latitude(north), 90], [at.longitude(east), 180]]
			.map(([value, most]) => Number(within(value, -most, most).toFixed(3)))

	const show = ([latitude, longitude, zoom]) => {
		now = { ...now, viewport: [within(latitude, -85, 85), ((((longitude + 180) % 360) + 360) % 360) - 180, within(zoom, -1, 11)] }
		redraw()
		const [width, height] = size()
		// A little more than what is in sight, for the next step.
		now.onMove(now.viewport, box(project(now.viewport), -0.2 * width, -0.2 * height, 1.2 * width, 1.2 * height))
	}

	const zoom = (by, x, y) => {
		const [latitude, longitude, before] = viewport()
		const at = project([latitude, longitude, before])
		const after = project([latitude, longitude, within(before + by, -1, 11)])
		show([latitude + at.latitude(y) - after.latitude(y), longitude + at.longitude(x) - after.longitude(x), before + by])
	}

	const leave = ({ pointerId }) => {
		fingers.delete(pointerId)
		drag = null
	}
	canvas.onpointerdown = (event) => {
		if (event.button !== 0) return
		canvas.setPointerCapture(event.pointerId)
		fingers.set(event.pointerId, event)
		drag = fingers.size > 1 ? null : { x: event.offsetX, y: event.offsetY, viewport: viewport(), isBox: now.isBoxing || event.shiftKey }
	}
	canvas.onpointermove = (event) => {
		const before = fingers.get(event.pointerId)
		const other = before && [...fingers.values()].find((finger) => finger !== before)
		if (other) {
			// Two fingers zoom.
			const distance = (finger) => Math.hypot(finger.offsetX - other.offsetX, finger.offsetY - other.offsetY) || 1
			zoom(Math.log2(distance(event) / distance(before)), (event.offsetX + other.offsetX) / 2, (event.offsetY + other.offsetY) / 2)
			fingers.set(event.pointerId, event)
		}
		if (!drag) return
		const [right, down] = [event.offsetX - drag.x, event.offsetY - drag.y]
		if (Math.abs(right) + Math.abs(down) > 4) drag.isMoved = true
		if (!drag.isMoved) return
		if (drag.isBox) {
			drag.box = [drag.x, drag.y, event.offsetX, event.offsetY]
			redraw()
		} else {
			const at = project(drag.viewport)
			show([drag.viewport[0] + down / at.scale, drag.viewport[1] - right / at.scale / at.squeeze, drag.viewport[2]])
		}
	}
	canvas.onpointerup = (event) => {
		const ended = drag
		leave(event)
		if (!ended) return
		const at = project(viewport())
		if (ended.box) {
			const [x, toX] = [ended.box[0], ended.box[2]].sort((a, b) => a - b)
			const [y, toY] = [ended.box[1], ended.box[3]].sort((a, b) => a - b)
			now.onBox(box(at, x, y, toX, toY))
		} else if (!ended.isMoved) {
			const near = clusters(now.points, at).find((cell) => Math.hypot(cell.x - event.offsetX, cell.y - event.offsetY) < 14)
			if (near?.count === 1 && near.point[3]) now.onOpen(near.point[3])
			else if (near) zoom(1.5, near.x, near.y)
		}
		redraw()
	}
	canvas.onpointercancel = leave
	canvas.onwheel = (event) => {
		event.preventDefault()
		zoom(-event.deltaY / 300, event.offsetX, event.offsetY)
	}
	element.onkeydown = (event) => {
		const [latitude, longitude, level] = viewport()
		const step = 60 / 2 ** level
		const by = {
			ArrowUp: [step, 0, 0], ArrowDown: [-step, 0, 0], ArrowLeft: [0, -step, 0], ArrowRight: [0, step, 0], '+': [0, 0, 0.5], '-': [0, 0, -0.5],
		}[event.key]
		if (event.target !== element || event.ctrlKey || event.metaKey || event.altKey) return
		if (event.key === 'Enter' && now.isBoxing) now.onBox(box(project(viewport()), 0, 0, ...size()))
		if (!by) return
		event.preventDefault()
		show([latitude + by[0], longitude + by[1], level + by[2]])
	}

	const tools = document.createElement('span')
	tools.className = 'joined'
	element.append(tools)
	const step = (by) => () => zoom(by, ...size().map((length) => length / 2))
	draw(tools, [signButton('−', 'Zoom out', step(-1)), signButton('+', 'Zoom in', step(1))])

	drawNow()
	return {
		update(next) {
			now = next
			redraw()
		},
		stop,
	}
}
