// What the map and the sonogram share: a canvas as large as its element, which is drawn before the
// next frame after a change.

/** A number within limits. */
export const within = (value, low, high) => Math.max(low, Math.min(value, high))

/**
 * Adds a canvas to an element. `draw(context, density)` draws in the canvas's own pixels, of which
 * there are `density` for one of the page.
 */
export function startCanvas(element, draw) {
	const canvas = document.createElement('canvas')
	canvas.setAttribute('role', 'img')
	element.append(canvas)
	let frame = null
	const drawNow = () => {
		frame = null
		const density = Math.min(2, devicePixelRatio || 1)
		canvas.width = Math.round(element.clientWidth * density)
		canvas.height = Math.round(element.clientHeight * density)
		draw(canvas.getContext('2d'), density)
	}
	const redraw = () => (frame ??= requestAnimationFrame(drawNow))
	const watcher = new ResizeObserver(redraw)
	watcher.observe(element)
	return { canvas, drawNow, redraw, stop: () => watcher.disconnect() }
}
