// Sound: plays a file, a stretch of it again and again, slower or faster with the pitch kept; and
// decodes it for the sonogram.

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

	/**
	 * `onChange()` is called when something other than the time is different, `onEnd()` when it was
	 * played to its end.
	 */
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
		const isKnown = this.isPlaying && this.#shown?.frame === frame
		if (!isKnown) this.#shown = { frame, time: this.time }
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
		const isOutside = this.time < start || this.time >= end
		if (isOutside || this.audio.ended) this.audio.currentTime = start
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

	seek(seconds) {
		const most = Number.isFinite(this.duration) ? this.duration : seconds
		this.audio.currentTime = Math.max(0, Math.min(seconds, most))
		this.#onChange()
	}

	/** Plays a stretch from one second to another again and again; `null`: the whole file once. */
	loop(stretch) {
		const [start, end] = stretch ?? [0, 0]
		this.#isOnce = false
		this.stretch = end - start > 0.02 ? stretch : null
		const isOutside = this.time < start || this.time > end
		if (this.stretch && isOutside) this.audio.currentTime = start
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
 * The bytes of an answer. While they arrive, `onPart(bytes)` is called with those that are there,
 * each time that there are half as many again. What arrives within a moment is not shown in parts.
 */
export async function arriving(answer, onPart) {
	const reader = answer.body.getReader()
	let bytes = new Uint8Array(Number(answer.headers.get('Content-Length')) || 1 << 20)
	let length = 0
	let shown = 16_384
	let time = performance.now()
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
		shown = length
		time = performance.now()
		onPart(bytes.slice(0, length).buffer)
	}
}

const defaultRate = 48_000

/** The sample rate in the head of a WAVE, FLAC, Ogg or MP3 file; 48,000 for others. */
export function sampleRate(bytes) {
	const view = new DataView(bytes)
	if (bytes.byteLength < 64) return defaultRate
	const begins = (text) => textAt(view, 0, text.length) === text
	if (begins('RIFF')) return rateOfWave(view)
	if (begins('fLaC')) return view.getUint32(18) >>> 12
	if (!begins('OggS')) return rateOfMP3(view, begins('ID3'))
	return textAt(view, 29, 6) === 'vorbis' ? view.getUint32(40, true) : defaultRate
}

const textAt = ({ buffer }, offset, length) =>
	String.fromCharCode(...new Uint8Array(buffer, offset, length))

function rateOfWave(view) {
	let offset = 12
	while (offset + 16 < view.byteLength) {
		if (textAt(view, offset, 4) === 'fmt ') return view.getUint32(offset + 12, true)
		const length = view.getUint32(offset + 4, true)
		offset += 8 + length + (length & 1)
	}
	return defaultRate
}

function rateOfMP3(view, hasTags) {
	const part = (index) => view.getUint8(6 + index) & 127
	const tags = 10 + ((part(0) << 21) | (part(1) << 14) | (part(2) << 7) | part(3))
	const start = hasTags ? tags : 0
	const end = Math.min(view.byteLength - 4, start + 65_536)
	for (let offset = start; offset < end; offset++) {
		const head = view.getUint32(offset)
		const version = (head >>> 19) & 3
		const layer = (head >>> 17) & 3
		const rate = (head >>> 10) & 3
		// Eleven bits that are set, and a version, layer 3 and a sample rate that exist.
		const isHead = head >>> 21 === 0x7ff && layer === 1 && version !== 1 && rate !== 3
		if (isHead) return [44_100, 48_000, 32_000][rate] / { 3: 1, 2: 2, 0: 4 }[version]
	}
	return defaultRate
}

/** The seconds, when the head of the file is read; 0 if that takes longer than two seconds. */
export function durationOf(audio) {
	if (Number.isFinite(audio.duration)) return audio.duration
	return new Promise((resolve) => {
		audio.addEventListener('loadedmetadata', () => resolve(audio.duration), { once: true })
		audio.addEventListener('error', () => resolve(0), { once: true })
		setTimeout(() => resolve(0), 2000)
	})
}

/** The samples of a file, or of its first seconds, at its own rate, its channels mixed. */
export async function decode(bytes, seconds = Infinity) {
	const rate = Math.max(8_000, Math.min(384_000, sampleRate(bytes)))
	const buffer = await new OfflineAudioContext(1, 1, rate).decodeAudioData(bytes)
	const { numberOfChannels, sampleRate: ownRate } = buffer
	const samples = new Float32Array(Math.min(buffer.length, seconds * ownRate))
	for (let channel = 0; channel < numberOfChannels; channel++) {
		const from = buffer.getChannelData(channel)
		for (let n = 0; n < samples.length; n++) samples[n] += from[n] / numberOfChannels
	}
	return { samples, rate: ownRate, duration: samples.length / ownRate }
}
