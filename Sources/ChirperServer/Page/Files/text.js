// Numbers, ages and lengths in words, as people read them. The page is in English, as the program
// is.

/** 12,345 or 0.125. `Intl` would take longer to begin than the server for rows. */
export function number(value) {
	const [whole, decimals] = String(Number(Number(value).toFixed(3))).split('.')
	return joined([whole.replace(/\B(?=(\d{3})+$)/g, ','), decimals], '.')
}

/** Texts with commas, without those that are missing. */
export const joined = (texts, comma = ', ') => texts.filter(Boolean).join(comma)

/** `1 row`, `2 rows` */
export const plural = (count, word, words = `${word}s`) =>
	`${number(count)} ${count === 1 ? word : words}`

/** 2:05, 1:02:05 */
export function clock(seconds) {
	if (!Number.isFinite(seconds)) return '–'
	const hours = Math.floor(seconds / 3600)
	const minutes = Math.floor(seconds / 60) % 60
	const two = (value) => String(value).padStart(2, '0')
	const rest = two(Math.floor(seconds) % 60)
	return hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`
}

const units = [
	[86400 * 365, 'year'], [86400 * 30, 'month'], [86400, 'day'], [3600, 'hour'], [60, 'minute'],
]

/** How long ago an ISO date was: `3 minutes ago`. */
export function age(date, now = Date.now()) {
	const seconds = Math.max(0, (now - Date.parse(date)) / 1000)
	if (!Number.isFinite(seconds)) return ''
	const unit = units.find(([length]) => seconds >= length)
	return unit ? `${plural(Math.floor(seconds / unit[0]), unit[1])} ago` : 'just now'
}

/** 1.2 MB */
export function size(bytes) {
	if (bytes < 1e3) return `${bytes} B`
	return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** A cell: several values with commas, booleans as words. */
export function cell(value) {
	if (value == null) return ''
	if (Array.isArray(value)) return value.join(', ')
	if (value === true) return 'yes'
	if (value === false) return 'no'
	return String(value)
}

/** A value of the search language, in quotes if it needs them. */
export const quoted = (value) => (/^[\p{L}\p{N}.]+$/u.test(value) ? value : inQuotes(value))

export const inQuotes = (value) => `"${value.replace(/["\\]/g, '\\$&')}"`

/** The terms of a search; what is in quotes stays together. */
const terms = (search) => search.match(/(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g) ?? []

/** The terms of a search that `isOne(term)` finds, and the search without these. */
export const termsWith = (search, isOne) => terms(search).filter(isOne)
export const withoutTerms = (search, isOne) => termsWith(search, (term) => !isOne(term)).join(' ')

/** A search with a term added, or taken away if it is there. */
export function toggled(search, term) {
	const words = ` ${search.trim()} `
	const part = ` ${term} `
	return (words.includes(part) ? words.replace(part, ' ') : words + term).trim()
}
