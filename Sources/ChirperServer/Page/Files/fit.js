// How wide columns are: as wide as the texts of the rows need on two lines, and as many columns as
// fit.

import { usualColumns, wideColumns } from './tables.js'

const pen = document.createElement('canvas').getContext('2d')

/**
 * A function of the width of a text in pixels. It measures each letter once. `font` is as in a
 * style sheet.
 */
function ruler(font) {
	const widths = new Map()
	const letterWidth = (letter) => {
		pen.font = font
		// The page's figures have one width.
		const width = pen.measureText(/\d/.test(letter) ? '0' : letter).width
		widths.set(letter, width)
		return width
	}
	return (text) => {
		let sum = 0
		for (const letter of text) sum += widths.get(letter) ?? letterWidth(letter)
		return sum
	}
}

let known = null
/** The rulers of names, of other texts, of what is below a name, and of headings. */
function rulers() {
	if (known) return known
	const family = getComputedStyle(document.documentElement).fontFamily
	known = {
		large: ruler(`14px ${family}`),
		small: ruler(`12px ${family}`),
		slanted: ruler(`italic 12px ${family}`),
		heading: ruler(`600 12px ${family}`),
	}
	return known
}

/** The least width at which a text takes two lines. */
function folded(text, width) {
	const whole = width(text)
	let least = whole
	let before = 0
	for (const word of text.split(/(?<=[ \u200b]|-(?!\d))/)) {
		before += width(word)
		least = Math.min(least, Math.max(before, whole - before))
	}
	return least
}

/** A cell's padding, the arrow of a heading that sorts, and the width of a text that is cut. */
const padding = 11
const arrow = ' ↑'
const most = 320

/** The widths that a text of a column needs on two lines, and on one. */
function needs(column, recording) {
	const { large, small, slanted } = rulers()
	const text = column.text(recording)
	const second = column.second?.(recording)
	const width = column.isLarge ? large : small
	const whole = width(text)
	const both = Math.max(whole, second ? slanted(second) : 0)
	const two = column.isWhole || second ? both : folded(text, width)
	return [two, Math.max(two, whole)].map((need) => Math.min(most, need))
}

/** The part of the texts of a usual column that can be cut before a column is left out. */
const cuttable = .2
const ranks = [...usualColumns, ...wideColumns]

/**
 * The columns that fit into a width, and the width of each. Of the program's usual columns, the
 * last are left out where not all fit; others stay. `sorted` is the column whose heading has an
 * arrow.
 */
export function fitted(columns, rows, available, sorted) {
	const { heading } = rulers()
	let shown = columns.map((column) => {
		const least = heading(column.heading + (column.id === sorted ? arrow : ''))
		const found = rows.map((recording) => needs(column, recording))
		const widest = (index) => [least, ...found.map((need) => Math.max(least, need[index]))]
			.sort((a, b) => b - a)
		return { column, rank: ranks.indexOf(column.id), two: widest(0), one: widest(1)[0] }
	})
	let widths
	while (!(widths = widthsWithin(available, shown, (rows.length + 1) * cuttable))) {
		const last = lastRank(shown)
		shown = shown.filter(({ rank }) => rank !== last)
	}
	// What is left brings texts from two lines to one, and then is shared by all.
	const lacks = shown.map(({ one }, index) => one + padding - widths[index])
	const spare = Math.max(0, available - sum(widths))
	const wanted = sum(lacks)
	const share = wanted > 0 ? Math.min(1, spare / wanted) : 1
	const more = Math.max(0, spare - wanted) / shown.length
	return shown.map(({ column }, index) => ({
		column, width: Math.floor(widths[index] + lacks[index] * share + more),
	}))
}

const sum = (values) => values.reduce((sum, value) => sum + value, 0)

const lastRank = (columns) => Math.max(...columns.map(({ rank }) => rank))

/**
 * The widths of columns on two lines: those at which all texts are whole, or as few as possible are
 * cut; `null` if a column is to be left out.
 */
function widthsWithin(available, columns, mostCut) {
	const cut = columns.map(() => 0)
	const widths = () => columns.map(({ two }, index) => Math.ceil(two[cut[index]]) + padding)
	while (sum(widths()) > available) {
		const { index, next } = nextCut(columns, cut, mostCut)
		const last = lastRank(columns)
		if (last > 0 && (last >= usualColumns.length || !next)) return null
		if (!next) break
		cut[index] = next
	}
	return widths()
}

/** The next texts to be cut: those that save most for each. */
function nextCut(columns, cut, mostCut) {
	let best = { saved: 0 }
	columns.forEach(({ two }, index) => {
		for (let next = cut[index] + 1; next < Math.min(two.length, mostCut); next++) {
			const saved = (two[cut[index]] - two[next]) / (next - cut[index])
			if (saved > best.saved) best = { saved, index, next }
		}
	})
	return best
}

/** What is beside the place on a card, and how much more is beside its type and its recordist. */
const besidePlace = 48
const figures = 96

/**
 * The number of lines, of three to six, that a card has below its name: type, place with country,
 * recordist.
 */
export function cardLines(columns, recording, width) {
	const { small } = rulers()
	const lines = (place, room) => {
		const { onCard, text } = columns.find(({ narrow }) => narrow === place) ?? {}
		return text && small((onCard ?? text)(recording)) > room ? 2 : 1
	}
	const room = width - besidePlace
	return lines('type', room - figures) + lines('place', room) + lines('recordist', room - figures)
}
