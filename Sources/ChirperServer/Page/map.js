// The map: coasts, borders and recordings on a canvas, without tiles and without a network.

import { coast } from './coast.js'
import { number } from './text.js'

const cellSize = 40

/** Where a point of the earth is on the canvas. Degrees are as long as they are at the middle, so that shapes there look right. */
export function projection([latitude, longitude, zoom], width, height) {
	const scale = 2 ** zoom
	const squeeze = Math.max(0.3, Math.cos((latitude * Math.PI) / 180))
	return {
		scale,
		squeeze,
		x: (value) => width / 2 + (value - longitude) * scale * squeeze,
		y: (value) => height / 2 - (value - latitude) * scale,
		longitude: (x) => longitude + (x - width / 2) / scale / squeeze,
		latitude: (y) => latitude - (y - height / 2) / scale,
	}
}

/** The place and zoom that show all points: `[latitude, longitude, zoom]`, the zoom in doublings of a pixel for each degree. */
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
	const squeeze = Math.max(0.3, Math.cos((middle * Math.PI) / 180))
	const zoom = Math.log2(Math.min((width * 0.9) / Math.max(0.05, (east - west) * squeeze), (height * 0.88) / Math.max(0.05, north - south)))
	return [middle, (west + east) / 2, Math.max(-1, Math.min(zoom, 9))]
}

/** Points that are near each other as one: `{x, y, count, point}` for each cell of 40 px that has some. A point may be several. */
export function clusters(points, at) {
	const cells = new Map()
	for (const point of points) {
		const [x, y] = [at.x(point[1]), at.y(point[0])]
		const key = `${Math.floor(x / cellSize)},${Math.floor(y / cellSize)}`
		const cell = cells.get(key)
		if (cell) {
			cell.count += point[5] ?? 1
			cell.x += ((x - cell.x) * (point[5] ?? 1)) / cell.count
			cell.y += ((y - cell.y) * (point[5] ?? 1)) / cell.count
		} else {
			cells.set(key, { x, y, count: point[5] ?? 1, point })
		}
	}
	return [...cells.values()]
}

const metresPerDegree = 111_320

/**
 * Draws into an element. Values: `points` ([latitude, longitude, uncertainty or null, key, is obscured,
 * how many if several]), `bounds` (south, west, north, east of all), `place`, `shown` (the
 * key of the recording that is looked at), `isBoxing`, `label`, and what happens: `onPlace(place, box)`, `onBox([south, west, north,
 * east])`, `onOpen(key)`.
 */
export function startMap(element, values) {
	const canvas = document.createElement('canvas')
	canvas.setAttribute('role', 'img')
	element.append(canvas)
	let now = values
	let drag = null
	let isDrawing = false

	const place = () => {
		const [south, west, north, east] = now.bounds ?? []
		return now.place ?? fitting(now.bounds ? [[south, west], [north, east]] : now.points, element.clientWidth, element.clientHeight)
	}

	const draw = () => {
		isDrawing = false
		const [width, height] = [element.clientWidth, element.clientHeight]
		const density = Math.min(2, devicePixelRatio || 1)
		canvas.width = Math.round(width * density)
		canvas.height = Math.round(height * density)
		const context = canvas.getContext('2d')
		context.scale(density, density)
		const style = getComputedStyle(element)
		const at = projection(place(), width, height)
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
				const [latitude, longitude, uncertainty, key] = cell.point
				context.beginPath()
				context.arc(at.x(longitude), at.y(latitude), key && key === now.shown ? 6 : 3.5, 0, 2 * Math.PI)
				if (uncertainty && (uncertainty / metresPerDegree) * at.scale >= 6) context.stroke()
				else context.fill()
			} else {
				const text = number(cell.count)
				const radius = Math.max(9, 5 + 3 * text.length)
				context.globalAlpha = 0.9
				context.beginPath()
				context.arc(cell.x, cell.y, radius, 0, 2 * Math.PI)
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
	}

	const redraw = () => {
		if (isDrawing) return
		isDrawing = true
		requestAnimationFrame(draw)
	}

	const show = ([latitude, longitude, zoom]) => {
		now = { ...now, place: [Math.max(-85, Math.min(85, latitude)), ((((longitude + 180) % 360) + 360) % 360) - 180, Math.max(-1, Math.min(11, zoom))] }
		redraw()
		const [width, height] = [element.clientWidth, element.clientHeight]
		const at = projection(now.place, width, height)
		const [limitY, limitX] = [(value) => Math.max(-90, Math.min(90, value)), (value) => Math.max(-180, Math.min(180, value))]
		// A little more than what is in sight, for the next step.
		now.onPlace(now.place, [limitY(at.latitude(1.2 * height)), limitX(at.longitude(-0.2 * width)), limitY(at.latitude(-0.2 * height)), limitX(at.longitude(1.2 * width))].map((value) => Number(value.toFixed(4))))
	}

	const zoom = (by, x = element.clientWidth / 2, y = element.clientHeight / 2) => {
		const [latitude, longitude, before] = place()
		const [width, height] = [element.clientWidth, element.clientHeight]
		const at = projection([latitude, longitude, before], width, height)
		const after = projection([latitude, longitude, Math.max(-1, Math.min(11, before + by))], width, height)
		show([latitude + at.latitude(y) - after.latitude(y), longitude + at.longitude(x) - after.longitude(x), before + by])
	}

	canvas.onpointerdown = (event) => {
		if (event.button !== 0) return
		canvas.setPointerCapture(event.pointerId)
		drag = { x: event.offsetX, y: event.offsetY, place: place(), isBox: now.isBoxing || event.shiftKey }
	}
	canvas.onpointermove = (event) => {
		if (!drag) return
		const [right, down] = [event.offsetX - drag.x, event.offsetY - drag.y]
		if (Math.abs(right) + Math.abs(down) > 4) drag.isMoved = true
		if (!drag.isMoved) return
		if (drag.isBox) {
			drag.box = [drag.x, drag.y, event.offsetX, event.offsetY]
			redraw()
		} else {
			const at = projection(drag.place, element.clientWidth, element.clientHeight)
			show([drag.place[0] + down / at.scale, drag.place[1] - right / at.scale / at.squeeze, drag.place[2]])
		}
	}
	canvas.onpointerup = (event) => {
		const ended = drag
		drag = null
		if (!ended) return
		const at = projection(place(), element.clientWidth, element.clientHeight)
		if (ended.box) {
			const [x, toX] = [ended.box[0], ended.box[2]].sort((a, b) => a - b)
			const [y, toY] = [ended.box[1], ended.box[3]].sort((a, b) => a - b)
			// The canvas goes on where the earth ends.
			const within = (value, most) => Number(Math.max(-most, Math.min(most, value)).toFixed(3))
			now.onBox([within(at.latitude(toY), 90), within(at.longitude(x), 180), within(at.latitude(y), 90), within(at.longitude(toX), 180)])
		} else if (!ended.isMoved) {
			const near = clusters(now.points, at).find((cell) => Math.hypot(cell.x - event.offsetX, cell.y - event.offsetY) < 14)
			if (near?.count === 1 && near.point[3]) now.onOpen(near.point[3])
			else if (near) zoom(1.5, near.x, near.y)
		}
		redraw()
	}
	canvas.onpointercancel = () => (drag = null)
	canvas.addEventListener(
		'wheel',
		(event) => {
			event.preventDefault()
			zoom(-event.deltaY / 300, event.offsetX, event.offsetY)
		},
		{ passive: false },
	)
	element.onkeydown = (event) => {
		const [latitude, longitude, level] = place()
		const step = 60 / 2 ** level
		const to = {
			ArrowUp: [latitude + step, longitude, level], ArrowDown: [latitude - step, longitude, level],
			ArrowLeft: [latitude, longitude - step, level], ArrowRight: [latitude, longitude + step, level],
			'+': [latitude, longitude, level + 0.5], '-': [latitude, longitude, level - 0.5],
		}[event.key]
		if (!to || event.ctrlKey || event.metaKey || event.altKey) return
		event.preventDefault()
		show(to)
	}

	const watcher = new ResizeObserver(redraw)
	watcher.observe(element)
	draw()
	return {
		update(next) {
			now = next
			redraw()
		},
		stop: () => watcher.disconnect(),
	}
}
