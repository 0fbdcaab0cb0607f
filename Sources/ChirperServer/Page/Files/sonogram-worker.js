// Computes sonograms, so that the page stays responsive: it is given the samples once, and then
// asked for tiles.

import { spectra } from './spectrum.js'

let samples = new Float32Array(0)
let rate = 0
let loudest = new Map()

/**
 * The largest power at a frequency, against which decibels are measured. At most 6,000 moments are
 * looked at.
 */
function peak(size) {
	const known = loudest.get(size)
	if (known !== undefined) return known
	const spectrum = spectra(size)
	const frames = Math.max(1, Math.floor(samples.length / size))
	const step = Math.max(1, Math.ceil(frames / 6000)) * size
	let most = 1e-20
	for (let start = 0; start < samples.length; start += step) {
		const powers = spectrum(samples, start)
		for (let bin = 1; bin < powers.length; bin++) {
			if (powers[bin] > most) most = powers[bin]
		}
	}
	loudest.set(size, most)
	return most
}

/**
 * A tile: for each pixel the power of its frequency at its time, as a byte: 0 is `range` decibels
 * below the loudest of the recording or less, 255 is the loudest.
 */
function tile({ start, perPixel, width, height, size, low, high, range }) {
	const spectrum = spectra(size)
	const reference = peak(size)
	const levels = new Uint8Array(width * height)
	const perBin = rate / size
	const perLine = (high - low) / height
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
		for (let y = 0; y < height; y++) {
			// The upper edge of the tile is the highest frequency.
			const from = (low + (height - 1 - y) * perLine) / perBin
			const power = powerBetween(column, from, from + perLine / perBin)
			const level = 1 + (10 * Math.log10(power / reference + 1e-30)) / range
			levels[y * width + x] = Math.max(0, Math.min(1, level)) * 255
		}
	}
	return levels
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
		loudest = new Map()
	} else {
		const levels = tile(data)
		self.postMessage({ number: data.number, levels }, [levels.buffer])
	}
}
