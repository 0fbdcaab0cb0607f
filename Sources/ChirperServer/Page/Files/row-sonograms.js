// The small sonograms in the rows of kept sounds. The page of whoever runs chirper draws each once,
// and the server keeps it beside its sound.

import { audioPath, send, sonogramPath } from './api.js'
import { Delayed } from './dom.js'
import { picture } from './sonogram.js'
import { decode, durationOf } from './sound.js'
import { keyOf } from './state.js'
import { longestDecoded, smallSonogram } from './tables.js'

/** How many seconds of a sound are drawn. */
const shown = 10
/** In how many shades; in fewer if that is too large. */
const shades = [16, 8, 4, 2]

/** The recordings whose one is drawn now, or cannot be. */
const tried = new Set()

export class RowSonograms {
	#wanted = []
	#isDrawing = false
	#resting = new Delayed(1000, () => this.#drawAll())
	#onDrawn

	/** `onDrawn()` is called when a recording has one more. */
	constructor(onDrawn) {
		this.#onDrawn = onDrawn
	}

	/**
	 * Draws those of these recordings that lack one, when no others were wanted for a second. Those
	 * that were wanted before are dropped.
	 */
	want(recordings) {
		const isMissing = (recording) => !recording.hasSonogram && !tried.has(keyOf(recording))
		this.#wanted = recordings.filter(isMissing)
		if (this.#wanted.length > 0) this.#resting.start()
	}

	/** Ends it: what is being drawn is kept, and not told. */
	stop() {
		this.#wanted = []
		this.#resting.stop()
		this.#onDrawn = () => {}
	}

	async #drawAll() {
		if (this.#isDrawing) return
		this.#isDrawing = true
		while (this.#wanted.length > 0 && !document.hidden) {
			const recording = this.#wanted.shift()
			tried.add(keyOf(recording))
			// One that this browser cannot decode has none.
			recording.hasSonogram = await keepSonogram(recording).catch(() => false)
			if (!recording.hasSonogram) continue
			tried.delete(keyOf(recording))
			this.#onDrawn()
		}
		this.#isDrawing = false
	}
}

/** Draws the sonogram of a recording and sends it to the server; whether that has it then. */
async function keepSonogram(recording) {
	const key = keyOf(recording)
	const src = audioPath(key)
	const head = () => Object.assign(new Audio(), { preload: 'metadata', src })
	if ((recording.mediaDuration ?? (await durationOf(head()))) > longestDecoded) return false
	const answer = await fetch(src)
	if (!answer.ok) return false
	// Some more, so that the last moments are not those of a sound that is cut.
	const decoded = await decode(await answer.arrayBuffer(), shown + 1)
	const draw = picture(decoded, shown, smallSonogram)
	for (const count of shades) {
		const png = await draw(count)
		if (png.size > smallSonogram.mostBytes) continue
		await send('PUT', sonogramPath(key), png)
		return true
	}
	return false
}
