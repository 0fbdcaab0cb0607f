// The rows: a window of a table that can have a million of them. `Rows` asks the server for those
// in sight, by their position; `startGrid` draws them with a few dozen elements that move.

import { get, ServerError, sonogramPath } from './api.js'
import { within } from './canvas.js'
import { foundIn } from './columns.js'
import { button, Delayed, draw, h, island } from './dom.js'
import { cardLines, fitted } from './fit.js'
import { RowSonograms } from './row-sonograms.js'
import { answeredSearch, keyOf, mayChange, tableState } from './state.js'
import { number } from './text.js'

const blockSize = 100
const blocksKept = 40
/** Nothing is asked for while rows fly past. */
const rest = 60

/** The rows of a selection, in blocks, as far as they were asked for. */
export class Rows {
	count = null
	#parameters = null
	#fields = ''
	#blocks = new Map()
	#stale = new Set()
	#version = null
	#asking = new Map()
	#timer = 0
	#wanted = [0, 0]
	#onAnswer
	#onFault

	/**
	 * After each answer, `onAnswer` is called with {count, searched, unlisted, leftOut, otherNames,
	 * damage, isNew, version}; after a failure, `onFault(error)`.
	 */
	constructor(onAnswer, onFault) {
		this.#onAnswer = onAnswer
		this.#onFault = onFault
	}

	/** Shows another selection. The rows before stay until its first answer, unless `clears`. */
	select(parameters, fields, position, clears) {
		this.#abort()
		if (!this.#isFirst) {
			this.#before = [this.#parameters, this.#fields, this.#version, this.#stale]
		}
		if (clears) this.clear()
		this.#parameters = parameters
		this.#fields = fields
		this.#version = null
		this.#stale = new Set(this.#blocks.keys())
		this.#isFirst = true
		this.#isFailed = false
		this.#ask(Math.floor(position / blockSize))
	}

	/** Whether the rows are still those of the selection before. */
	get isWaiting() {
		return this.#isFirst
	}

	/** Shows nothing until a selection is shown. */
	clear() {
		this.#abort()
		this.#parameters = null
		this.#before = null
		this.#isFirst = true
		this.#blocks.clear()
		this.count = null
	}

	/** Shows the selection before again: what was asked for since is not a search yet. */
	back() {
		if (!this.#isFirst || !this.#before) return
		;[this.#parameters, this.#fields, this.#version, this.#stale] = this.#before
		this.#isFirst = false
		this.#isFailed = false
	}

	/** The parameters, fields, version and stale blocks of the last selection that was answered. */
	#before = null
	#isFirst = true
	/** After a failure nothing is asked for until the selection or the store is another. */
	#isFailed = false

	at(position) {
		return this.#blocks.get(Math.floor(position / blockSize))?.[position % blockSize]
	}

	/** Where a recording is among the rows that are known near a position; -1 if it is not. */
	find(key, near) {
		for (let distance = 0; distance <= 2 * blockSize; distance++) {
			for (const position of [near + distance, near - distance]) {
				const row = position >= 0 && this.at(position)
				if (row && keyOf(row) === key) return position
			}
		}
		return -1
	}

	/** The rows in sight are asked for when the scroll rests. */
	want(first, end) {
		this.#wanted = [first, end]
		clearTimeout(this.#timer)
		this.#timer = setTimeout(() => this.#askWanted(), rest)
	}

	/** Asks again for what is in sight, after a change of the store. It is shown until then. */
	refresh() {
		if (!this.#parameters) return
		this.#stale = new Set(this.#blocks.keys())
		this.#isFailed = false
		this.#askWanted()
	}

	#askWanted() {
		if (this.#isFailed || !this.#parameters) return
		const [first, end] = this.#wanted
		const blockOf = (position) => Math.floor(Math.max(0, position) / blockSize)
		const from = blockOf(first)
		const to = blockOf(end - 1)
		for (const [block, request] of this.#asking) {
			if (block >= from && block <= to) continue
			request.abort()
			this.#asking.delete(block)
		}
		for (let block = from; block <= to; block++) {
			const isNeeded = !this.#blocks.has(block) || this.#stale.has(block)
			const isThere = this.count === null || block === 0 || block * blockSize < this.count
			if (isNeeded && isThere && !this.#asking.has(block)) this.#ask(block)
		}
	}

	async #ask(block) {
		const request = new AbortController()
		this.#asking.set(block, request)
		// Half of what people type is not a search yet. It must not fill the browser's console with
		// errors.
		const window = {
			offset: block * blockSize,
			limit: blockSize,
			columns: this.#fields,
			soft: true,
			'found-in': this.#parameters.has('q'),
		}
		try {
			const answer = await get('rows', this.#parameters, window, request.signal)
			if (answer.error) throw new ServerError(200, answer.error)
			if (this.#asking.get(block) === request) this.#take(block, answer)
		} catch (error) {
			if (error.name === 'AbortError' || this.#asking.get(block) !== request) return
			this.#asking.delete(block)
			this.#isFailed = true
			this.#onFault(error)
		}
	}

	#take(block, answer) {
		this.#asking.delete(block)
		const isNew = this.#isFirst
		const isOther = answer.version !== this.#version
		this.#isFirst = false
		if (isNew) this.#blocks.clear()
		if (isNew || isOther) this.#stale = new Set(this.#blocks.keys())
		this.#version = answer.version
		this.count = answer.rows
		const pictured = new Set(answer.sonograms)
		for (const row of answer.recordings) row.hasSonogram = pictured.has(keyOf(row))
		this.#blocks.set(block, answer.recordings)
		this.#stale.delete(block)
		for (const old of this.#blocks.keys()) {
			if (this.#blocks.size <= blocksKept) break
			if (old !== block) this.#blocks.delete(old)
		}
		// A block past the end: rows have left since.
		if (isNew && answer.returned === 0 && answer.rows > 0) {
			this.#ask(Math.floor((answer.rows - 1) / blockSize))
		}
		const { searched, otherNames = [], damage = null, version } = answer
		this.#onAnswer({
			count: answer.rows,
			unlisted: answer.inNoList ?? 0,
			leftOut: answer.copies ?? 0,
			searched, otherNames, damage, isNew, version,
		})
		if (isOther && !isNew) this.#askWanted()
	}

	#abort() {
		clearTimeout(this.#timer)
		for (const request of this.#asking.values()) request.abort()
		this.#asking.clear()
	}
}

/** Where a recording is among rows; -1 if it is not among the first 20,000. */
export async function positionOf(key, ask) {
	for (let from = 0; from < 20_000; from += 1000) {
		const some = await ask(from, 1000)
		const index = some.findIndex((recording) => keyOf(recording) === key)
		if (index >= 0) return from + index
		if (some.length < 1000) break
	}
	return -1
}

/**
 * Half of the height that this browser grants to an element at this density and zoom, or 8 million
 * px if that is less.
 */
function longestSpace(layer) {
	const probe = document.createElement('div')
	probe.style.cssText = 'position:absolute;width:1px;height:40000000px;visibility:hidden'
	layer.append(probe)
	const granted = probe.getBoundingClientRect().height
	probe.remove()
	return Math.min(8_000_000, granted / 2)
}

/** The widths of the columns with marks, in pixels. */
const marks = [26, 30, 18]
/** The width of a column of small sonograms, and that of rows which have room for it. */
const picture = 132
const wide = 880
/** The heights of a row of two lines, and of a card's name, each line below it and its edges. */
const rowHeight = 42
const card = { name: 36, line: 16, edges: 10 }

const cellClass = ({ isNumber, isLarge, narrow }) =>
	`cell${isNumber ? ' number' : ''}${isLarge ? ' large' : ''}${narrow ? ` at-${narrow}` : ''}`

const meanings = {
	'≈': 'compared', '*': 'new', '•': 'audio is kept', '!': 'its catalogue doubts it',
}

/** The marks of a row. */
function marksOf(recording, { compare, freshKeys, kept }) {
	const key = keyOf(recording)
	const doubt = recording.issues?.length ? '!' : ''
	if (compare.includes(key)) return `≈${doubt}`
	if (freshKeys.has(key)) return `*${doubt}`
	return (recording.audio || kept.has(key) ? '•' : '') + doubt
}

/** An element that shows one row after the other. */
class RowElement {
	position = -1
	recording = undefined
	#look = ''
	#picture = ''

	constructor(name, columns) {
		this.row = document.createElement('div')
		Object.assign(this.row, { className: 'row', role: 'row', id: `row-${name}` })
		const cell = (name, ...content) => h('div', { class: name, role: 'gridcell' }, content)
		draw(this.row, [
			cell('cell mark', h('span.tick')),
			cell('cell mark'),
			columns.map((column, index) =>
				cell(cellClass(column), '', index === 0 && h('span.found'),
					column.second && h('span.second'))),
			cell('cell picture'),
			// The last, so that the name of a row is read before it.
			cell('cell listen', button('', null, { tabindex: -1 })),
		])
	}

	/** Shows the row at a position; returns whether its texts are different. */
	show(position, recording, grid) {
		const { picked, active, row: shown, soundOf } = grid.now
		const key = recording && keyOf(recording)
		const isPicked = picked.has(key)
		const mark = recording ? marksOf(recording, grid.now) : ''
		const sound = (recording && soundOf?.(recording)) ?? ['', '']
		const picture = recording?.hasSonogram ? sonogramPath(key) : ''
		const look = `${position === active}${isPicked}${mark}${key === shown}${sound}${picture}`
		const isSame = this.position === position && this.recording === recording
		if (isSame && this.#look === look) return false
		if (!isSame) this.#write(position, recording, grid)
		const { row } = this
		row.classList.toggle('waiting', !recording)
		row.classList.toggle('active', position === active)
		row.classList.toggle('shown', recording !== undefined && key === shown)
		row.setAttribute('aria-selected', String(isPicked))
		this.#sign(mark, sound)
		const isPictured = this.#showPicture(picture)
		const isOther = (this.recording !== recording && recording) || isPictured
		Object.assign(this, { position, recording })
		this.#look = look
		return isOther
	}

	#write(position, recording, { columns, isNarrow }) {
		const { row } = this
		row.setAttribute('aria-rowindex', String(position + 2))
		columns.forEach((column, index) => {
			const cell = row.children[index + 2]
			const written = (text) => (recording ? text(recording) : '')
			cell.firstChild.data = written(isNarrow && column.onCard ? column.onCard : column.text)
			if (column.second) cell.lastChild.textContent = written(column.second)
			if (index > 0) return
			if (!recording) cell.firstChild.data = number(position + 1)
			const found = written(() => foundIn(recording, columns, isNarrow))
			cell.children[0].textContent = found
			cell.classList.toggle('noted', found !== '')
		})
	}

	/** Shows a small sonogram; returns whether it is one that was not there. */
	#showPicture(src) {
		const cell = this.row.lastChild.previousSibling
		if (src === this.#picture) return false
		this.#picture = src
		// A new element: it never shows that of the recording before.
		draw(cell, src ? [h('img', { key: src, src, alt: '' })] : [])
		return src !== ''
	}

	#sign(mark, [sign, label]) {
		const [, cell] = this.row.children
		cell.textContent = mark
		cell.setAttribute('aria-label', [...mark].map((sign) => meanings[sign]).join(', '))
		const [play] = this.row.lastChild.children
		play.hidden = !sign
		play.textContent = sign
		play.title = play.ariaLabel = label
	}
}

/** The columns' headings, which sort. */
function headingView(columns, [sorted], onSort) {
	const cell = (column, name, content, sort) =>
		h('div', { key: column, class: name, role: 'columnheader', 'aria-sort': sort }, content)
	const unseen = (text, name) => cell(text, name, h('span.unseen', text))
	return [
		unseen('Chosen for export', 'cell mark'),
		unseen('Marks', 'cell mark'),
		...columns.map((column) => {
			const { id, heading } = column
			const order = { [id]: 'ascending', [`-${id}`]: 'descending' }[sorted] ?? 'none'
			const sort = button(heading, () => onSort(id), { class: order })
			return cell(id, cellClass(column), sort, order)
		}),
		unseen('Sonogram', 'cell picture'),
		unseen('Sound', 'cell listen'),
	]
}

/** The grid in its scroller. Places and lengths are in pixels. */
class Grid {
	now
	columns = []
	isNarrow
	/** Whether there is a column of small sonograms, or room for them on cards. */
	isPictured = false
	scroller
	layer
	space
	head
	body
	/** What is in sight: where it begins, how high it is, and the height of a row. */
	top = 0
	view
	height
	/** All rows, the longest scroll bar, the space that it has, and where it was last. */
	total
	longest
	room
	last = 0
	/** The elements of rows, and that of the active row if it is out of sight. */
	pool = []
	spare = null
	/** The row to begin with, until it is shown. */
	begin
	/** The turn whose rows the columns were fitted to. */
	fitTurn
	/** The rows to find again when rows come or leave: the first in sight, and the active one. */
	anchor = null
	mark = null
	timer = 0
	sonograms = new RowSonograms(() => this.#draw())
	refit = new Delayed(rest, () => this.#fitTexts())
	watcher = new ResizeObserver(() => this.#resize())

	constructor(scroller, values) {
		draw(scroller, [
			h('div.layer', { role: 'presentation' },
				h('div.head', { role: 'rowgroup' },
					h('div', { class: 'row heading', role: 'row', 'aria-rowindex': '1' })),
				h('div.body', { role: 'rowgroup' })),
			h('div', { role: 'presentation' }),
		])
		const [layer, space] = scroller.children
		const [head, body] = layer.children
		body.onclick = (event) => this.#click(event)
		scroller.onkeydown = (event) => this.#key(event)
		Object.assign(this, { scroller, now: values, layer, space, head, body })
		scroller.addEventListener('scroll', this.#scroll, { passive: true })
		this.#measure()
		this.#stretch()
		this.watcher.observe(scroller)
		this.begin = values.at
		this.update(values)
	}

	get count() {
		return this.now.rows.count ?? 0
	}

	// MARK: Columns and sizes

	#measure() {
		const { scroller, layer, head } = this
		const isNarrow = scroller.clientWidth < 560
		// A card has different texts.
		if (isNarrow !== this.isNarrow) this.columns = []
		this.isNarrow = isNarrow
		scroller.classList.toggle('narrow', isNarrow)
		this.#fit()
		this.view = Math.max(this.height, scroller.clientHeight - head.offsetHeight)
		this.longest = longestSpace(layer)
		layer.style.height = `${scroller.clientHeight}px`
	}

	/** Chooses columns and their widths, or the height of cards, by the rows in sight and near. */
	#fit() {
		const { now: { rows, turn }, columns: before, top, height = rowHeight } = this
		const first = Math.max(0, (this.begin ?? Math.floor(top / height)) - blockSize / 2)
		const known = Array.from({ length: blockSize }, (_, index) => rows.at(first + index))
		const near = known.filter(Boolean)
		this.fitTurn = near.length > 0 && !rows.isWaiting ? turn : null
		this.isPictured = this.hasRoomForPictures && near.some(({ hasSonogram }) => hasSonogram)
		this.scroller.classList.toggle('pictured', this.isPictured)
		if (this.isNarrow) this.#fitCards(near)
		else this.#fitColumns(near)
		const { columns, isPictured, scroller } = this
		scroller.style.setProperty('--row', `${this.height}px`)
		// With those of marks and of the sound.
		scroller.setAttribute('aria-colcount', String(columns.length + (isPictured ? 4 : 3)))
		const isSame = columns.length === before.length
			&& columns.every((column, index) => column === before[index])
		if (isSame) return
		this.body.replaceChildren()
		this.pool = []
		this.spare = null
		this.#setHeading()
	}

	#fitCards(recordings) {
		const { now: { columns }, scroller: { clientWidth } } = this
		const lines = recordings.map((recording) => cardLines(columns, recording, clientWidth))
		const height = card.edges + card.name + card.line * Math.max(...lines, 3)
		Object.assign(this, { columns, height })
	}

	get hasRoomForPictures() {
		return this.isNarrow || this.scroller.clientWidth >= wide
	}

	#fitColumns(recordings) {
		const { now: { columns, sort }, isPictured, scroller: { clientWidth, style } } = this
		const last = isPictured ? [picture] : []
		const room = clientWidth - [...marks, ...last].reduce((sum, width) => sum + width, 8)
		const found = fitted(columns, recordings, room, sort[0]?.replace(/^-/, ''))
		const widths = [...marks, ...found.map(({ width }) => width), ...last]
		this.columns = found.map(({ column }) => column)
		this.height = rowHeight
		style.setProperty('--columns', widths.map((width) => `${width}px`).join(' '))
	}

	/** Fits, and keeps the first row in sight where it is. */
	#fitHere() {
		const first = this.top / this.height
		this.#fit()
		this.top = first * this.height
	}

	/**
	 * Fits again if rows in sight need more room: any card, a quarter of a column's texts, or the
	 * first small sonogram.
	 */
	#fitTexts() {
		const { pool, columns, isNarrow, isPictured, hasRoomForPictures } = this
		const shown = pool.filter(({ row, recording }) => recording && !row.hidden)
		const isCut = ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1
		const isTight = (_, index) => {
			const cut = shown.filter(({ row }) => isCut(row.children[index + 2]))
			return cut.length > shown.length / 4
		}
		const isNew = !isPictured && hasRoomForPictures
			&& shown.some(({ recording }) => recording.hasSonogram)
		const areCut = isNarrow ? shown.some(({ row }) => isCut(row)) : columns.some(isTight)
		if (!areCut && !isNew) return
		this.#fitHere()
		this.#stretch()
		this.#redraw()
	}

	#setHeading() {
		const { now: { sort, onSort }, columns, head } = this
		draw(head.firstChild, headingView(columns, sort, onSort))
	}

	#resize() {
		const first = this.top / (this.height || 1)
		this.#measure()
		this.#stretch()
		this.#moveTo(first * this.height)
		this.#redraw()
	}

	// MARK: Scrolling

	get isScaled() {
		return this.total > this.longest
	}

	#stretch() {
		this.total = this.count * this.height
		// The layer has the height of the view, and the space comes after it.
		this.room = Math.max(0, Math.min(this.total, this.longest) - this.view)
		this.space.style.height = `${this.room}px`
		this.#moveTo(this.top)
	}

	#moveTo(top) {
		this.top = within(top, 0, Math.max(0, this.total - this.view))
	}

	/** Moves the scroll bar to the rows. */
	#settle() {
		const { scroller, total, view, top, room, isScaled } = this
		const wanted = isScaled ? (top / Math.max(1, total - view)) * room : top
		if (Math.abs(scroller.scrollTop - wanted) > 0.5) scroller.scrollTop = wanted
		this.last = scroller.scrollTop
	}

	#scrollTo(top) {
		this.#moveTo(top)
		this.#redraw()
		this.#rested()
	}

	#redraw() {
		this.#settle()
		this.#draw()
	}

	#rested() {
		clearTimeout(this.timer)
		this.timer = setTimeout(() => {
			this.#settle()
			const position = Math.round(this.top / this.height)
			this.anchor = this.#anchorOf(position)
			this.now.onRest(position)
		}, rest)
	}

	#anchorOf(position) {
		const row = this.now.rows.at(position)
		return row ? { key: keyOf(row), position } : null
	}

	#scroll = () => {
		const { top, total, view, room } = this
		const { scrollTop } = this.scroller
		const moved = scrollTop - this.last
		this.last = scrollTop
		if (!this.isScaled) this.#moveTo(scrollTop)
		else if (Math.abs(moved) <= view) this.#moveTo(top + moved)
		else this.#moveTo((scrollTop / Math.max(1, room)) * (total - view))
		this.#draw()
		this.#rested()
	}

	#reveal(position) {
		const { top, view, height } = this
		const wanted = position * height
		const last = wanted + height - view
		if (wanted < top) this.#scrollTo(wanted)
		else if (last > top) this.#scrollTo(last)
		else this.#draw()
	}

	// MARK: Rows

	#make(name) {
		const element = new RowElement(name, this.columns)
		this.body.append(element.row)
		return element
	}

	#show(element, position, top) {
		if (element.show(position, this.now.rows.at(position), this)) this.refit.start()
		element.row.style.transform = `translateY(${top}px)`
	}

	#draw() {
		const { now: { rows, active, onEnd }, count, pool, top, view, height } = this
		const first = Math.max(0, Math.floor(top / height))
		const end = Math.min(count, Math.ceil((top + view) / height))
		const size = Math.ceil(view / height) + 2
		while (pool.length < size) pool.push(this.#make(pool.length))
		const used = new Set()
		for (let position = first; position < end; position++) {
			const element = pool[position % size]
			used.add(element)
			this.#show(element, position, position * height - top)
		}
		for (const element of pool) element.row.hidden = !used.has(element)
		this.#wantPictures([...used].map(({ recording }) => recording))
		const isSeen = active >= first && active < end
		this.#drawActive(isSeen ? pool[active % size] : null, active < first)
		this.mark = rows.isWaiting ? null : this.#anchorOf(active)
		rows.want(first - 20, end + 30)
		if (count > 0 && end >= count) onEnd()
	}

	/** Draws what these recordings lack, on the page of whoever runs chirper. */
	#wantPictures(recordings) {
		const { now: { kept, mayDraw }, hasRoomForPictures, sonograms } = this
		const isKept = (recording) => recording && (recording.audio || kept.has(keyOf(recording)))
		if (mayDraw && hasRoomForPictures) sonograms.want(recordings.filter(isKept))
	}

	/** Keeps the row with the keyboard's mark in the document, for screen readers. */
	#drawActive(seen, isAbove) {
		const { now: { active }, count, view, height, scroller } = this
		const spare = (this.spare ??= this.#make('kept'))
		const isKept = !seen && active < count
		if (isKept) this.#show(spare, active, isAbove ? -2 * height : view + height)
		spare.row.hidden = !isKept
		const { id } = (seen ?? spare).row
		if (seen || isKept) scroller.setAttribute('aria-activedescendant', id)
		else scroller.removeAttribute('aria-activedescendant')
	}

	// MARK: Pointer and keys

	#click({ target }) {
		const { onActive, onPick, onPlay, onOpen } = this.now
		const row = target.closest('.row')
		const element = [...this.pool, this.spare].find((element) => element?.row === row)
		if (!element?.recording) return
		const { position, recording } = element
		onActive(position)
		if (row.firstChild.contains(target)) return onPick(recording)
		if (!target.closest('button')) return onOpen(recording)
		onPlay(recording)
		this.scroller.focus({ preventScroll: true })
	}

	#key(event) {
		const { key, target } = event
		const { scroller, count, columns, view, height } = this
		if (target !== scroller || event.altKey || event.ctrlKey || event.metaKey) return
		if (count === 0) return
		const { rows, active, onActive, onOpen, onPlay, onPick, onCompare, onSort } = this.now
		const page = Math.max(1, Math.floor(view / height) - 1)
		const down = active + 1
		const up = active - 1
		const last = count - 1
		const to = {
			ArrowDown: down, j: down, ArrowUp: up, k: up,
			PageDown: active + page, PageUp: active - page,
			Home: 0, g: 0, End: last, G: last,
		}[key]
		const act = { Enter: onOpen, ' ': onPlay, p: onPlay, x: onPick, c: onCompare }[key]
		const recording = rows.at(active)
		const column = /^[1-9]$/.test(key) && columns[key - 1]
		if (to !== undefined) {
			const position = within(to, 0, last)
			onActive(position)
			this.#reveal(position)
		} else if (act && recording) act(recording)
		else if (column) onSort(column.id)
		else if (key === '0') onSort(null)
		else return
		event.preventDefault()
	}

	// MARK: Changes

	update(next) {
		const { columns, sort, brought, turn } = this.now
		if (next.turn !== turn) this.begin = next.at
		this.now = next
		const isOther = columns !== next.columns
		if (isOther) this.#fitHere()
		if (isOther || sort.join() !== next.sort.join()) this.#setHeading()
		const { rows, isBusy, isEarlier } = next
		const areThere = !rows.isWaiting && this.count > 0
		// The first rows of a selection are there.
		if (areThere && this.fitTurn !== next.turn) this.#fitHere()
		this.#stretch()
		if (this.begin !== undefined && areThere && !isEarlier) {
			this.#moveTo(this.begin * this.height)
			this.begin = undefined
			this.#settle()
		} else if (this.anchor && this.top > 0) {
			this.#stay()
			const marked = this.#marked()
			if (marked !== next.active) return next.onActive(marked)
		}
		const { scroller } = this
		scroller.setAttribute('aria-rowcount', String(rows.count === null ? -1 : rows.count + 1))
		scroller.setAttribute('aria-busy', String(Boolean(isBusy)))
		scroller.classList.toggle('earlier', rows.isWaiting || isEarlier)
		if (next.brought === brought) this.#draw()
		else this.#reveal(next.brought)
	}

	/** Keeps the rows in sight where they are when rows came or left above. */
	#stay() {
		const { now, anchor: { key, position } } = this
		const found = now.rows.find(key, position)
		if (found < 0 || found === position) return
		this.top += (found - position) * this.height
		this.anchor.position = found
		this.#settle()
	}

	/** Where the row with the keyboard's mark is now. */
	#marked() {
		const { now: { active, rows }, mark } = this
		if (mark?.position !== active || rows.isWaiting) return active
		const found = rows.find(mark.key, active)
		return found < 0 ? active : found
	}

	/**
	 * Ends it. A browser tells of a scroll in its next frame, when these rows can be gone: their
	 * place would become the top.
	 */
	stop() {
		this.watcher.disconnect()
		this.scroller.removeEventListener('scroll', this.#scroll)
		clearTimeout(this.timer)
		this.refit.stop()
		this.sonograms.stop()
	}
}

/**
 * Draws the rows into a scroller. Of the values, `at` is the row to begin with when `turn` is
 * different, `brought` is brought into sight, `freshKeys`, `kept` and `compare` have the keys of
 * rows with a mark, `row` is the key of the open one, and `soundOf(recording)` returns the sign and
 * the name of what plays it, or `null`.
 */
export const startGrid = (scroller, values) => new Grid(scroller, values)

const gridProperties = {
	role: 'grid', tabIndex: 0, 'aria-label': 'Recordings', 'aria-multiselectable': 'true',
}

/** The grid; `values` are those that are not in the state: `rows`, `kept`, `soundOf`. */
export function gridView(state, values, actions) {
	const { access, reached, search } = state
	const isMore = tableState(state).name === 'paging'
	// When the end of the list is in sight.
	const mayFetchMore = isMore && !search && access === 'owner' && reached
	return island('div.grid', 'grid', gridProperties, startGrid, {
		...state,
		...values,
		isEarlier: answeredSearch(state) !== search,
		mayDraw: mayChange(state),
		onActive: (active) => actions.set({ active }),
		onOpen: (recording) => actions.openRow(keyOf(recording)),
		onPick: actions.pick,
		onPlay: actions.playRow,
		onSort: actions.sort,
		onRest: actions.rest,
		onCompare: (recording) => actions.compare(keyOf(recording)),
		onEnd: () => mayFetchMore && actions.more(),
	})
}
