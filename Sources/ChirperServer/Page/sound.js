// Sound: plays a file, a stretch of it again and again, slower or faster with the pitch kept; and decodes it for the sonogram.

/** Longer sounds are not decoded: a quarter of an hour takes 170 MB. */
export const longestDecoded = 15 * 60

let sounding = null
let speed = 1

/** From now on, every sound of the page is as fast; the pitch is kept. */
export function playAt(factor) {
	speed = factor
	if (sounding) sounding.audio.playbackRate = speed
}

/** One file that can be played. Of all sounds of the page one plays at a time. */
export class Sound {
	audio = new Audio()
	stretch = null
	#isOnce = false
	#onChange
	#frame = 0
	#shown

	/** `onChange()` when something other than the time is different, `onEnd()` when it was played to its end. */
	constructor(address, onChange, onEnd = () => {}) {
		this.#onChange = onChange
		this.audio.preload = 'metadata'
		this.audio.preservesPitch = true
		this.audio.src = address
		for (const name of ['play', 'pause', 'loadedmetadata', 'ended', 'seeked', 'error']) {
			this.audio.addEventListener(name, () => this.#onChange())
		}
		this.audio.addEventListener('play', () => this.#watch())
		this.audio.addEventListener('ended', onEnd)
	}

	get isPlaying() {
		return !this.audio.paused && !this.audio.ended
	}

	get time() {
		return this.audio.currentTime
	}

	/** The time, the same for all cursors of a frame. */
	get frameTime() {
		const frame = document.timeline.currentTime
		if (!this.isPlaying || this.#shown?.frame !== frame) this.#shown = { frame, time: this.time }
		return this.#shown.time
	}

	get duration() {
		return this.audio.duration
	}

	/** Why it cannot be played; `null` if it can. */
	get fault() {
		if (!this.audio.error) return null
		return this.audio.error.code === 2
			? 'The file could not be read. Is the server running? Then try again.'
			: 'This browser cannot play the file. Keep it, and open it in another player.'
	}

	async play() {
		if (sounding && sounding !== this) sounding.pause()
		sounding = this
		this.audio.playbackRate = speed
		const [start, end] = this.stretch ?? [0, Infinity]
		if (this.time < start || this.time >= end || this.audio.ended) this.audio.currentTime = start
		try {
			await this.audio.play()
		} catch (error) {
			// Another sound took its turn, or the fault is shown.
			if (error.name !== 'AbortError') this.#onChange()
		}
	}

	pause() {
		this.audio.pause()
	}

	toggle() {
		if (this.isPlaying) this.pause()
		else this.play()
	}

	seek(seconds) {
		const most = Number.isFinite(this.duration) ? this.duration : seconds
		this.audio.currentTime = Math.max(0, Math.min(seconds, most))
		this.#onChange()
	}

	/** A stretch from one second to another is played again and again; `null`: the whole file once. */
	loop(stretch) {
		this.#isOnce = false
		this.stretch = stretch && stretch[1] - stretch[0] > 0.02 ? stretch : null
		if (this.stretch && (this.time < this.stretch[0] || this.time > this.stretch[1])) this.audio.currentTime = this.stretch[0]
		this.#onChange()
	}

	/** Plays from one second to another, and stops there. */
	playOnce([start, end]) {
		this.loop([start, Math.max(end, start + 0.05)])
		this.#isOnce = true
		this.audio.currentTime = start
		return this.play()
	}

	stop() {
		this.pause()
		cancelAnimationFrame(this.#frame)
		if (sounding === this) sounding = null
		this.audio.removeAttribute('src')
		this.audio.load()
	}

	#watch() {
		cancelAnimationFrame(this.#frame)
		if (!this.isPlaying) return
		if (this.stretch && this.time >= this.stretch[1]) {
			if (this.#isOnce) {
				this.pause()
				return this.loop(null)
			}
			this.audio.currentTime = this.stretch[0]
		}
		this.#frame = requestAnimationFrame(() => this.#watch())
	}
}

/**
 * The bytes of an answer. While they arrive, `onPart(bytes)` is called with those that are there, each time that there are half as many again.
 * What arrives within a moment is not shown in parts.
 */
export async function arriving(answer, onPart) {
	const reader = answer.body.getReader()
	let bytes = new Uint8Array(Number(answer.headers.get('Content-Length')) || 1 << 20)
	let [length, shown, time] = [0, 16_384, performance.now()]
	for (;;) {
		const { value, done } = await reader.read()
		if (done) return bytes.slice(0, length).buffer
		if (length + value.length > bytes.length) {
			const more = new Uint8Array(2 * (length + value.length))
			more.set(bytes)
			bytes = more
		}
		bytes.set(value, length)
		length += value.length
		if (length < 1.5 * shown || performance.now() - time < 300) continue
		;[shown, time] = [length, performance.now()]
		onPart(bytes.slice(0, length).buffer)
	}
}

/** The sample rate in the head of a WAVE, FLAC, Ogg or MP3 file; 48,000 if it is another, or not found. */
export function sampleRate(bytes) {
	const view = new DataView(bytes)
	const text = (offset, length) => String.fromCharCode(...new Uint8Array(bytes, offset, Math.min(length, bytes.byteLength - offset)))
	const defaultRate = 48_000
	if (bytes.byteLength < 64) return defaultRate
	if (text(0, 4) === 'RIFF') {
		for (let offset = 12; offset + 16 < bytes.byteLength; offset += 8 + view.getUint32(offset + 4, true) + (view.getUint32(offset + 4, true) & 1)) {
			if (text(offset, 4) === 'fmt ') return view.getUint32(offset + 12, true)
		}
		return defaultRate
	}
	if (text(0, 4) === 'fLaC') return view.getUint32(18) >>> 12
	if (text(0, 4) === 'OggS') return text(29, 6) === 'vorbis' ? view.getUint32(40, true) : defaultRate
	let offset = 0
	if (text(0, 3) === 'ID3') {
		const part = (index) => view.getUint8(6 + index) & 127
		offset = 10 + ((part(0) << 21) | (part(1) << 14) | (part(2) << 7) | part(3))
	}
	for (const end = Math.min(bytes.byteLength - 4, offset + 65_536); offset < end; offset++) {
		const head = view.getUint32(offset)
		// Eleven bits that are set, a version, layer 3 and a sample rate that exist.
		if (head >>> 21 !== 0x7ff || ((head >>> 17) & 3) !== 1 || ((head >>> 19) & 3) === 1 || ((head >>> 10) & 3) === 3) continue
		return [44_100, 48_000, 32_000][(head >>> 10) & 3] / { 3: 1, 2: 2, 0: 4 }[(head >>> 19) & 3]
	}
	return defaultRate
}

/** The samples of a file at its own rate, its channels mixed. */
export async function decode(bytes) {
	const rate = Math.max(8_000, Math.min(384_000, sampleRate(bytes)))
	const buffer = await new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes)
	const samples = new Float32Array(buffer.length)
	for (let channel = 0; channel < buffer.numberOfChannels; channel++) {
		const from = buffer.getChannelData(channel)
		for (let n = 0; n < samples.length; n++) samples[n] += from[n] / buffer.numberOfChannels
	}
	return { samples, rate: buffer.sampleRate, duration: buffer.duration }
}
