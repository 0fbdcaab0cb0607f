// The sounds that are open: of recordings whose audio is kept, and files of one's own, which never
// leave the page.

import { audioPath, send } from './api.js'
import { Analysis } from './sonogram.js'
import { arriving, decode, durationOf, Sound } from './sound.js'
import { longestDecoded } from './tables.js'

/** One sound with its sonogram. The values of `status`: none, fetching, ready, failed. */
class Track {
	status = 'none'
	load = null
	sound = null
	analysis = null
	fault = null
	note = null
	view = null
	playsWhenReady = false
	/** The stretch that is played then; `null`: all of it. */
	firstStretch = null

	constructor(key, name, onChange, onEnd) {
		Object.assign(this, { key, name, onChange, onEnd })
	}

	open(address, bytes) {
		this.status = 'ready'
		this.sound = new Sound(address, () => this.onChange(), () => this.onEnd(this))
		if (this.playsWhenReady) this.#play(this.firstStretch)
		this.playsWhenReady = false
		this.onChange()
		const fetched = async () => arriving(await fetch(address), (part) => this.#show(part))
		this.#analyse(bytes ?? fetched)
	}

	/** Does not play, nor when it is there. */
	rest() {
		this.playsWhenReady = false
		this.sound?.pause()
	}

	#play(stretch) {
		if (stretch) this.sound.playOnce(stretch)
		else this.sound.play()
	}

	/** Plays it, or a stretch of it, now or as soon as it is there; whether it is there. */
	playSoon(stretch) {
		if (this.status === 'ready') this.#play(stretch)
		else Object.assign(this, { playsWhenReady: true, firstStretch: stretch })
		return this.status === 'ready'
	}

	async #analyse(bytes) {
		try {
			if ((await durationOf(this.sound.audio)) > longestDecoded) {
				this.note = 'Longer than 15 minutes: no sonogram is computed of it.'
				return
			}
			const all = await bytes()
			this.isWhole = true
			this.#take(await decode(all))
		} catch {
			this.note = 'This browser cannot decode the sound, so it shows no sonogram.'
		} finally {
			this.onChange()
		}
	}

	/** Shows a part of the sound, if the browser can decode one of its kind. */
	async #show(part) {
		const decoded = await decode(part).catch(() => null)
		if (!decoded || this.isWhole) return
		this.#take({ ...decoded, duration: Math.max(decoded.duration, this.sound.duration || 0) })
		this.onChange()
	}

	#take(decoded) {
		if (this.isClosed) return
		const usualEnd = (sound) => Math.min(sound.duration, 60)
		const { start, end } = this.view ?? {}
		// A view that somebody has chosen stays.
		const isUsual = start === 0 && this.analysis && end === usualEnd(this.analysis)
		if (!this.view || isUsual) this.view = { start: 0, end: usualEnd(decoded) }
		if (this.analysis) this.analysis.take(decoded)
		else this.analysis = new Analysis(decoded)
	}

	close() {
		this.isClosed = true
		this.sound?.stop()
		this.analysis?.stop()
		if (this.address) URL.revokeObjectURL(this.address)
	}
}

export class Tracks {
	#tracks = new Map()
	#onChange
	#onEnd
	#own = 0

	/** `onEnd(track)` is called when one was played to its end. */
	constructor(onChange, onEnd) {
		this.#onChange = onChange
		this.#onEnd = onEnd
	}

	/** The track of a recording; opened if its audio is kept. */
	of(key, isKept) {
		let track = this.#tracks.get(key)
		if (!track) {
			track = new Track(key, key, this.#onChange, this.#onEnd)
			this.#tracks.set(key, track)
		}
		if (isKept && track.status === 'none') track.open(audioPath(key))
		return track
	}

	/** The track of a recording if there is one. */
	known = (key) => this.#tracks.get(key)

	/** A file of this machine. It is read here and sent nowhere. */
	own(file, name = file.name) {
		const track = new Track(`own/${++this.#own}`, name, this.#onChange, this.#onEnd)
		this.#tracks.set(track.key, track)
		track.isOwn = true
		track.address = URL.createObjectURL(file)
		track.open(track.address, () => file.arrayBuffer())
		return track
	}

	/**
	 * Fetches, keeps and plays the audio of a recording, or a stretch of it, and returns the number
	 * of the load; `null` if it is kept already.
	 */
	async keep(track, stretch = null) {
		if (track.playSoon(stretch)) return null
		if (track.status === 'fetching') return track.load
		Object.assign(track, { status: 'fetching', fault: null, received: 0, bytes: null })
		this.#onChange()
		try {
			const answer = await send('POST', audioPath(track.key))
			if (answer.kept) {
				track.open(audioPath(track.key))
				return null
			}
			track.load = answer.load
			return answer.load
		} catch (error) {
			Object.assign(track, { status: 'failed', fault: error, playsWhenReady: false })
			this.#onChange()
			return null
		}
	}

	/** What became of the loads of audio. */
	follow(loads) {
		for (const track of this.#tracks.values()) {
			if (track.status !== 'fetching') continue
			const found = loads.find(({ load }) => load === track.load)
			if (!found) continue
			const { state, received, bytes, error: fault } = found
			const status = state === 'failed' ? 'failed' : 'none'
			if (state === 'done') track.open(audioPath(track.key))
			else if (state === 'running') Object.assign(track, { received, bytes })
			else Object.assign(track, { status, fault, playsWhenReady: false })
		}
	}

	/** The recordings that were kept since the page was opened. */
	get kept() {
		const ready = [...this.#tracks.values()].filter(({ status }) => status === 'ready')
		return new Set(ready.map(({ key }) => key))
	}

	keepOnly(keys) {
		for (const [key, track] of this.#tracks) {
			if (keys.has(key) || track.sound?.isPlaying || track.status === 'fetching') continue
			track.close()
			this.#tracks.delete(key)
		}
	}
}
