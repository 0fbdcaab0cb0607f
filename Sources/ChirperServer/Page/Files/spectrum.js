// The spectrum of a short stretch of sound: a Hann window and a fast Fourier transform.

/**
 * A function that computes spectra of one size, a power of two. It is given samples and where to
 * start, and returns the power of each frequency from 0 to half the sample rate, `size / 2 + 1`
 * values, in an array that it uses again. Samples before the first and after the last are silence.
 */
export function spectra(size) {
	// A real signal of `size` is transformed as a complex one of half the size.
	const half = size / 2
	const angles = Float64Array.from({ length: size }, (_, n) => (2 * Math.PI * n) / size)
	const window = Float32Array.from(angles, (angle) => 0.5 - 0.5 * Math.cos(angle))
	const cosines = angles.map(Math.cos)
	const sines = angles.map((angle) => -Math.sin(angle))
	const order = bitsReversed(half)
	const real = new Float64Array(half)
	const imaginary = new Float64Array(half)
	const powers = new Float32Array(half + 1)

	return (samples, start) => {
		const isWhole = start >= 0 && start + size <= samples.length
		for (let n = 0; n < half; n++) {
			const even = start + 2 * n
			const odd = even + 1
			const target = order[n]
			real[target] = (isWhole ? samples[even] : samples[even] ?? 0) * window[2 * n]
			imaginary[target] = (isWhole ? samples[odd] : samples[odd] ?? 0) * window[2 * n + 1]
		}
		transform(real, imaginary, cosines, sines)
		// The transform of the real signal, from that of its even samples and that of its odd ones.
		for (let k = 0; k <= half; k++) {
			const a = k % half
			const b = (half - k) % half
			const evenX = (real[a] + real[b]) / 2
			const evenY = (imaginary[a] - imaginary[b]) / 2
			const oddX = (imaginary[a] + imaginary[b]) / 2
			const oddY = (real[b] - real[a]) / 2
			const cosine = k === half ? -1 : cosines[k]
			const sine = k === half ? 0 : sines[k]
			const x = evenX + oddX * cosine - oddY * sine
			const y = evenY + oddX * sine + oddY * cosine
			powers[k] = x * x + y * y
		}
		return powers
	}
}

/** The order in which the transform takes its samples: by the bits of their index, reversed. */
function bitsReversed(length) {
	const bits = Math.log2(length)
	return Uint16Array.from({ length }, (_, n) => {
		let turned = 0
		for (let bit = 0; bit < bits; bit++) turned |= ((n >> bit) & 1) << (bits - 1 - bit)
		return turned
	})
}

/** Transforms complex values, which are in the order of their reversed bits, in place. */
function transform(real, imaginary, cosines, sines) {
	for (let span = 1; span < real.length; span *= 2) {
		const step = real.length / span
		for (let first = 0; first < real.length; first += 2 * span) {
			for (let k = 0, turn = 0; k < span; k++, turn += step) {
				const cosine = cosines[turn]
				const sine = sines[turn]
				const a = first + k
				const b = a + span
				const x = real[b] * cosine - imaginary[b] * sine
				const y = real[b] * sine + imaginary[b] * cosine
				real[b] = real[a] - x
				imaginary[b] = imaginary[a] - y
				real[a] += x
				imaginary[a] += y
			}
		}
	}
}
