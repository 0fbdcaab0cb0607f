// Computes sonograms, so that the page stays responsive: it is given the samples once, and then
// asked for tiles.

import { spectra } from './spectrum.js'

let samples = new Float32Array(0)
let rate = 0
let levels = new Map()

/** What counts as noise: that part of the powers of a band, the smallest, and what is near it. */
const noisePart = 0.2
const aboveNoise = 12
/** The loudest decibels, which are black, and the least that are never taken for noise. */
const full = 10
const certain = 30

/**
 * The largest power at a frequency, against which decibels are measured, and that of the noise in
 * each band of a kilohertz. At most 6,000 moments are looked at, for the noise 400.
 */
function levelsOf(size) {
	const known = levels.get(size)
	if (known) return known
	const spectrum = spectra(size)
	const moments = Math.min(6000, Math.max(1, Math.floor(samples.length / size)))
	const step = Math.ceil(samples.length / size / moments) * size
	const width = Math.max(1, Math.round((1000 * size) / rate))
	const bands = Array.from({ length: Math.ceil((size / 2 + 1) / width) }, () => [])
	let loudest = 1e-20
	for (let moment = 0; moment * step < samples.length; moment++) {
		const powers = spectrum(samples, moment * step)
		const isKept = moment % Math.ceil(moments / 400) === 0
		for (let bin = 1; bin < powers.length; bin++) {
			if (powers[bin] > loudest) loudest = powers[bin]
			// Nothing at all is not noise: what is before a sound, or was cut away.
			if (isKept && powers[bin] > 1e-12) bands[Math.floor(bin / width)].push(powers[bin])
		}
	}
	const noise = bands.map((powers) =>
		Float32Array.from(powers).sort()[Math.floor(powers.length * noisePart)] ?? 0)
	const found = { loudest, width, noise: noise.map((power) => decibels(power, loudest)) }
	levels.set(size, found)
	return found
}

const decibels = (power, reference) => 10 * Math.log10(power / reference + 1e-30)

/** The decibels that are white at a place in the spectrum, between those of two bands. */
function whiteAt(bin, { noise, width }, range) {
	const place = Math.max(0, Math.min(noise.length - 1, bin / width - 0.5))
	const band = Math.floor(place)
	const next = noise[Math.min(noise.length - 1, band + 1)]
	const level = noise[band] + (next - noise[band]) * (place - band) + aboveNoise
	return Math.max(-range, Math.min(-certain, level))
}

/**
 * A tile: for each pixel the power of its frequency at its time, as a byte: 0 is the noise there,
 * or `range` decibels below the loudest of the recording, 255 is nearly the loudest.
 */
function tile({ start, perPixel, width, height, size, low, high, range }) {
	const spectrum = spectra(size)
	const measured = levelsOf(size)
	const pixels = new Uint8Array(width * height)
	const perBin = rate / size
	const perLine = (high - low) / height
	// The upper edge of the tile is the highest frequency.
	const lines = Array.from({ length: height }, (_, y) => {
		const from = (low + (height - 1 - y) * perLine) / perBin
		const to = from + perLine / perBin
		return { from, to, white: whiteAt((from + to) / 2, measured, range) }
	})
	// Windows overlap by three quarters or more; a pixel that spans several has the loudest of up
	// to four.
	const hops = Math.min(4, Math.max(1, Math.round((perPixel * rate) / (size / 4))))
	const column = new Float32Array(size / 2 + 1)
	for (let x = 0; x < width; x++) {
		column.fill(0)
		for (let hop = 0; hop < hops; hop++) {
			const time = start + (x + (hop + 0.5) / hops) * perPixel
			const middle = Math.round(time * rate)
			if (middle < 0 || middle >= samples.length) continue
			const powers = spectrum(samples, middle - size / 2)
			for (let bin = 0; bin < column.length; bin++) {
				if (powers[bin] > column[bin]) column[bin] = powers[bin]
			}
		}
		lines.forEach(({ from, to, white }, y) => {
			const level = decibels(powerBetween(column, from, to), measured.loudest)
			const part = (level - white) / (-full - white)
			pixels[y * width + x] = Math.max(0, Math.min(1, part)) * 255
		})
	}
	return pixels
}

/** The power between two places in a spectrum: the largest, or one between two values. */
function powerBetween(column, from, to) {
	if (to - from < 1) {
		const exact = (from + to) / 2
		const bin = Math.floor(exact)
		if (bin + 1 >= column.length) return 0
		return column[bin] + (column[bin + 1] - column[bin]) * (exact - bin)
	}
	let power = 0
	for (let bin = Math.ceil(from); bin < to && bin < column.length; bin++) {
		if (column[bin] > power) power = column[bin]
	}
	return power
}

self.onmessage = ({ data }) => {
	if (data.samples) {
		;({ samples, rate } = data)
		levels = new Map()
	} else {
		const pixels = tile(data)
		self.postMessage({ number: data.number, levels: pixels }, [pixels.buffer])
	}
}
