// The land and the borders below the map. They are loaded once a map is opened.

/** How many of its units land.json has for a degree. */
const perDegree = 50

let loading = null
/** The outlines of land and the borders: lines, each `{points, box}`. */
let land = { outlines: [], borders: [] }

/** Loads the land if it is not there. Without it, a map has its places alone. */
export function loadLand() {
	const address = new URL('land.json', import.meta.url)
	loading ??= fetch(address).then((answer) => answer.json()).then(([outlines, borders]) => {
		land = { outlines: decoded(outlines), borders: decoded(borders) }
		return land
	}).catch(() => (loading = null))
	return loading
}

/** Lines of points, from the differences that scripts/land writes. */
function decoded(lines) {
	let longitude = 0
	let latitude = 0
	return lines.map((differences) => {
		const points = []
		for (let index = 0; index < differences.length; index += 2) {
			longitude += differences[index]
			latitude += differences[index + 1]
			points.push([latitude / perDegree, longitude / perDegree])
		}
		return { points, box: boxAround(points) }
	})
}

/** The box [south, west, north, east] that has all points, which begin with their latitude. */
export function boxAround(points) {
	const box = [90, 180, -90, -180]
	for (const [latitude, longitude] of points) {
		box[0] = Math.min(box[0], latitude)
		box[1] = Math.min(box[1], longitude)
		box[2] = Math.max(box[2], latitude)
		box[3] = Math.max(box[3], longitude)
	}
	return box
}

/** Adds to the canvas's path those lines that are in sight. */
function trace(context, at, [width, height], lines) {
	context.beginPath()
	for (const { points, box: [south, west, north, east] } of lines) {
		const isAside = at.x(east) < 0 || at.x(west) > width
		if (isAside || at.y(south) < 0 || at.y(north) > height) continue
		let beforeX = at.x(points[0][1])
		let beforeY = at.y(points[0][0])
		context.moveTo(beforeX, beforeY)
		for (const [latitude, longitude] of points) {
			const x = at.x(longitude)
			const y = at.y(latitude)
			// What is nearer than that would cost time and show nothing.
			if (Math.abs(x - beforeX) + Math.abs(y - beforeY) < 1.5) continue
			context.lineTo(x, y)
			beforeX = x
			beforeY = y
		}
	}
}

/** Draws the land that is there; `colour` returns that of a CSS variable. */
export function drawLand(context, at, size, colour) {
	context.lineWidth = 1
	context.lineJoin = 'round'
	trace(context, at, size, land.outlines)
	context.fillStyle = colour('--land')
	// A lake is an outline, too.
	context.fill('evenodd')
	context.strokeStyle = colour('--coast')
	context.stroke()
	trace(context, at, size, land.borders)
	context.strokeStyle = colour('--border')
	context.stroke()
}
