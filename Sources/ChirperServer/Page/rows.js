// The rows: a window of a table that can have a million of them. `Rows` asks the server for those in sight, by their position;
// `startGrid` draws them with a few dozen elements that move.

import { get, ServerError } from './api.js'
import { within } from './canvas.js'
import { button, Delayed, draw as drawViews, h } from './dom.js'
import { foundIn } from './columns.js'
import { cardLines, fitted } from './fit.js'
import { keyOf } from './state.js'
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

	/** `onAnswer({count, searched, unlisted, leftOut, otherNames, damage, isNew, version})` after each answer, `onFault(error)` after a failure. */
	constructor(onAnswer, onFault) {
		this.#onAnswer = onAnswer
		this.#onFault = onFault
	}

	/** Shows another selection. The rows before stay until its first answer, unless `clears`. */
	select(parameters, fields, position, clears) {
		this.#abort()
		if (!this.#isFirst) this.#before = [this.#parameters, this.#fields, this.#version, this.#stale]
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

	/** Of the last selection that was answered: parameters, fields, version, and the blocks that are stale. */
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

	/** The store has changed: what is in sight is asked for again, and is shown until the answer comes. */
	refresh() {
		if (!this.#parameters) return
		this.#stale = new Set(this.#blocks.keys())
		this.#isFailed = false
		this.#askWanted()
	}

	#askWanted() {
		if (this.#isFailed || !this.#parameters) return
		const [first, end] = this.#wanted
		const [from, to] = [Math.floor(Math.max(0, first) / blockSize), Math.floor(Math.max(0, end - 1) / blockSize)]
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
		// Half of what people type is not a search yet. It must not fill the browser's console with errors.
		const window = { offset: block * blockSize, limit: blockSize, columns: this.#fields, soft: true, 'found-in': this.#parameters.has('q') }
		try {
			const answer = await get('rows', this.#parameters, window, request.signal)
			if (answer.error) throw new ServerError(200, answer.error)
			if (this.#asking.get(block) === request) this.#take(block, answer)
		} catch (error) {
			if (error.name === 'AbortError') return
			if (this.#asking.get(block) !== request) return
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
		const { searched, inNoList: unlisted = 0, copies: leftOut = 0, otherNames = [], damage = null, version } = answer
		this.#onAnswer({ count: answer.rows, searched, unlisted, leftOut, otherNames, damage, isNew, version })
		if (isOther && !isNew) this.#askWanted()
	}

	#abort() {
		clearTimeout(this.#timer)
		for (const request of this.#asking.values()) request.abort()
		this.#asking.clear()
	}
}

/** Half of the height that this browser grants to an element at this density and zoom, or 8 million px if that is less. */
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
/** The heights of a row of two lines, and of a card's name, each line below it and its edges. */
const rowHeight = 42
const card = { name: 36, line: 16, edges: 10 }

const cellClass = ({ isNumber, isLarge, narrow }) => `cell${isNumber ? ' number' : ''}${isLarge ? ' large' : ''}${narrow ? ` at-${narrow}` : ''}`

/**
 * Draws the rows into a scroller. Of the values, `first` is the row to begin with when `turn` is another, `brought` is brought into
 * sight, `fresh`, `kept` and `compared` have the keys of rows with a mark, `shown` is the key of the open one, and `soundOf(recording)`
 * returns the sign and the name of what plays it, or `null`.
 */
export function startGrid(scroller, values) {
	drawViews(scroller, [
		h('div.layer', { role: 'presentation' },
			h('div.head', { role: 'rowgroup' }, h('div', { class: 'row heading', role: 'row', 'aria-rowindex': '1' })),
			h('div.body', { role: 'rowgroup' })),
		h('div', { role: 'presentation' }),
	])
	const [layer, space] = scroller.children
	const [head, body] = layer.children

	const grid = { top: 0, last: 0, pool: [], columns: [] }
	let now = values
	let timer = 0
	let anchor = null
	let mark = null

	const measure = () => {
		const isNarrow = scroller.clientWidth < 560
		// A card has different texts.
		if (isNarrow !== grid.isNarrow) grid.columns = []
		grid.isNarrow = isNarrow
		scroller.classList.toggle('narrow', isNarrow)
		fit()
		grid.head = head.offsetHeight
		grid.view = Math.max(grid.height, scroller.clientHeight - grid.head)
		grid.longest = longestSpace(layer)
		layer.style.height = `${scroller.clientHeight}px`
	}

	/** Chooses columns and their widths, or the height of cards, by the rows in sight and those around them. */
	const fit = () => {
		const first = Math.max(0, (grid.begin ?? Math.floor(grid.top / (grid.height ?? rowHeight))) - blockSize / 2)
		const rows = Array.from({ length: blockSize }, (_, index) => now.rows.at(first + index)).filter(Boolean)
		grid.fitTurn = rows.length > 0 && !now.rows.isWaiting ? now.turn : null
		const before = grid.columns
		if (grid.isNarrow) {
			grid.columns = now.columns
			grid.height = card.edges + card.name + card.line * Math.max(...rows.map((recording) => cardLines(now.columns, recording, scroller.clientWidth)), 3)
		} else {
			const found = fitted(now.columns, rows, scroller.clientWidth - marks.reduce((sum, width) => sum + width, 8), now.sort[0]?.replace(/^-/, ''))
			grid.columns = found.map(({ column }) => column)
			grid.height = rowHeight
			scroller.style.setProperty('--columns', [...marks, ...found.map(({ width }) => width)].map((width) => `${width}px`).join(' '))
		}
		scroller.style.setProperty('--row', `${grid.height}px`)
		if (grid.columns.length !== before.length || grid.columns.some((column, index) => column !== before[index])) {
			body.replaceChildren()
			grid.pool = []
			grid.spare = null
			setHeading()
		}
	}

	/** The first row in sight stays where it is. */
	const fitHere = () => {
		const first = grid.top / grid.height
		fit()
		grid.top = first * grid.height
	}

	const stretch = () => {
		grid.total = (now.rows.count ?? 0) * grid.height
		grid.isScaled = grid.total > grid.longest
		// The layer has the height of the view, and the space comes after it.
		grid.room = Math.max(0, (grid.isScaled ? grid.longest : grid.total) - grid.view)
		space.style.height = `${grid.room}px`
		moveTo(grid.top)
	}

	const moveTo = (top) => (grid.top = within(top, 0, Math.max(0, grid.total - grid.view)))

	/** Moves the scroll bar to the rows. */
	const settle = () => {
		const end = Math.max(1, grid.total - grid.view)
		const wanted = grid.isScaled ? (grid.top / end) * grid.room : grid.top
		if (Math.abs(scroller.scrollTop - wanted) > 0.5) scroller.scrollTop = wanted
		grid.last = scroller.scrollTop
	}

	const scrollTo = (top) => {
		moveTo(top)
		settle()
		draw()
		rested()
	}

	const rested = () => {
		clearTimeout(timer)
		timer = setTimeout(() => {
			settle()
			const position = Math.round(grid.top / grid.height)
			anchor = anchorOf(position)
			now.onRest(position)
		}, rest)
	}

	/** Fits again where rows that have come into sight need more room: any card, or a quarter of the texts of a column. */
	const refit = new Delayed(rest, () => {
		const rows = grid.pool.filter(({ row, recording }) => recording && !row.hidden).map(({ row }) => row)
		const isCut = ({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1
		if (!(grid.isNarrow ? rows.some(isCut) : grid.columns.some((_, index) => rows.filter((row) => isCut(row.children[index + 2])).length > rows.length / 4))) return
		fitHere()
		stretch()
		settle()
		draw()
	})

	/** A row that must be found again when rows come or leave. */
	const anchorOf = (position) => {
		const row = now.rows.at(position)
		return row ? { key: keyOf(row), position } : null
	}

	const onScroll = () => {
		const [top, moved] = [scroller.scrollTop, scroller.scrollTop - grid.last]
		grid.last = top
		if (!grid.isScaled) moveTo(top)
		else if (Math.abs(moved) <= grid.view) moveTo(grid.top + moved)
		else moveTo((top / Math.max(1, grid.room)) * (grid.total - grid.view))
		draw()
		rested()
	}

	const reveal = (position) => {
		const top = position * grid.height
		if (top < grid.top) scrollTo(top)
		else if (top + grid.height > grid.top + grid.view) scrollTo(top + grid.height - grid.view)
		else draw()
	}

	const setHeading = () => {
		const cell = (column, name, content, sort) => h('div', { key: column, class: name, role: 'columnheader', 'aria-sort': sort }, content)
		drawViews(head.firstChild, [
			...['Chosen for export', 'Marks'].map((text) => cell(text, 'cell mark', h('span.unseen', null, text))),
			...grid.columns.map((column) => {
				const { id, heading } = column
				const order = { [id]: 'ascending', [`-${id}`]: 'descending' }[now.sort[0]] ?? 'none'
				return cell(id, cellClass(column), button(heading, () => now.onSort(id), { class: order }), order)
			}),
			cell('Sound', 'cell listen', h('span.unseen', null, 'Sound')),
		])
		scroller.setAttribute('aria-colcount', String(grid.columns.length + 3))
	}

	const makeRow = (index) => {
		const row = document.createElement('div')
		Object.assign(row, { className: 'row', role: 'row', id: `row-${index}` })
		const cell = (name, ...content) => h('div', { class: name, role: 'gridcell' }, content)
		drawViews(row, [cell('cell mark', h('span.tick')), cell('cell mark'), grid.columns.map((column, index) => cell(cellClass(column), '', index === 0 && h('span.found'), column.second && h('span.second'))),
			// The last, so that the name of a row is read before it.
			cell('cell listen', button('', null, { tabindex: -1 }))])
		body.append(row)
		return { row, position: -1, recording: undefined, look: '' }
	}

	const meanings = { '≈': 'compared', '*': 'new', '•': 'audio is kept', '!': 'its catalogue doubts it' }

	const fill = (part, position) => {
		const recording = now.rows.at(position)
		const key = recording && keyOf(recording)
		const isPicked = now.picked.has(key)
		const mark = recording ? (now.compared.includes(key) ? '≈' : now.fresh.has(key) ? '*' : recording.audio || now.kept.has(key) ? '•' : '') + (recording.issues?.length ? '!' : '') : ''
		const sound = (recording && now.soundOf?.(recording)) ?? ['', '']
		const look = `${position === now.active}${isPicked}${mark}${key === now.shown}${sound}`
		if (part.position === position && part.recording === recording && part.look === look) return
		const { row } = part
		if (part.recording !== recording && recording) refit.start()
		if (part.recording !== recording || part.position !== position) {
			row.setAttribute('aria-rowindex', String(position + 2))
			grid.columns.forEach((column, index) => {
				const cell = row.children[index + 2]
				cell.firstChild.data = recording ? (grid.isNarrow && column.onCard ? column.onCard : column.text)(recording) : index === 0 ? number(position + 1) : ''
				if (index === 0) {
					const found = recording ? foundIn(recording, grid.columns, grid.isNarrow) : ''
					cell.children[0].textContent = found
					cell.classList.toggle('noted', found !== '')
				}
				if (column.second) cell.lastChild.textContent = recording ? column.second(recording) : ''
			})
		}
		row.classList.toggle('waiting', !recording)
		row.classList.toggle('active', position === now.active)
		row.classList.toggle('shown', recording !== undefined && key === now.shown)
		row.setAttribute('aria-selected', String(isPicked))
		row.children[1].textContent = mark
		row.children[1].setAttribute('aria-label', [...mark].map((sign) => meanings[sign]).join(', '))
		const [play] = row.lastChild.children
		play.hidden = !sound[0]
		play.textContent = sound[0]
		play.title = play.ariaLabel = sound[1]
		Object.assign(part, { position, recording, look })
	}

	const draw = () => {
		const count = now.rows.count ?? 0
		const first = Math.max(0, Math.floor(grid.top / grid.height))
		const end = Math.min(count, Math.ceil((grid.top + grid.view) / grid.height))
		const size = Math.ceil(grid.view / grid.height) + 2
		while (grid.pool.length < size) grid.pool.push(makeRow(grid.pool.length))
		const used = new Set()
		for (let position = first; position < end; position++) {
			const part = grid.pool[position % size]
			used.add(part)
			fill(part, position)
			part.row.style.transform = `translateY(${position * grid.height - grid.top}px)`
		}
		// The row with the keyboard's mark stays in the document, for screen readers.
		const isActiveSeen = now.active >= first && now.active < end
		grid.spare ??= makeRow('kept')
		if (now.active < count && !isActiveSeen) {
			fill(grid.spare, now.active)
			grid.spare.row.style.transform = `translateY(${now.active < first ? -2 * grid.height : grid.view + grid.height}px)`
		}
		grid.spare.row.hidden = isActiveSeen || now.active >= count
		for (const part of grid.pool) part.row.hidden = !used.has(part)
		mark = now.rows.isWaiting ? null : anchorOf(now.active)
		const active = now.active < count ? (isActiveSeen ? grid.pool[now.active % size].row.id : grid.spare.row.id) : null
		if (active) scroller.setAttribute('aria-activedescendant', active)
		else scroller.removeAttribute('aria-activedescendant')
		now.rows.want(first - 20, end + 30)
		if (count > 0 && end >= count) now.onEnd()
	}

	body.onclick = ({ target }) => {
		const row = target.closest('.row')
		const part = [...grid.pool, grid.spare].find((part) => part?.row === row)
		if (!part?.recording) return
		now.onActive(part.position)
		if (row.firstChild.contains(target)) now.onPick(part.recording)
		else if (target.closest('button')) {
			now.onPlay(part.recording)
			scroller.focus({ preventScroll: true })
		} else now.onOpen(part.recording)
	}

	scroller.onkeydown = (event) => {
		if (event.target !== scroller || event.altKey || event.ctrlKey || event.metaKey) return
		const count = now.rows.count ?? 0
		if (count === 0) return
		const page = Math.max(1, Math.floor(grid.view / grid.height) - 1)
		const to = {
			ArrowDown: now.active + 1, j: now.active + 1, ArrowUp: now.active - 1, k: now.active - 1,
			PageDown: now.active + page, PageUp: now.active - page, Home: 0, g: 0, End: count - 1, G: count - 1,
		}[event.key]
		const act = { Enter: now.onOpen, ' ': now.onPlay, p: now.onPlay, x: now.onPick, c: now.onCompare }[event.key]
		const recording = now.rows.at(now.active)
		if (to !== undefined) move(within(to, 0, count - 1))
		else if (act && recording) act(recording)
		else if (/^[1-9]$/.test(event.key) && grid.columns[event.key - 1]) now.onSort(grid.columns[event.key - 1].id)
		else if (event.key === '0') now.onSort(null)
		else return
		event.preventDefault()
	}

	const move = (position) => {
		now.onActive(position)
		reveal(position)
	}

	scroller.addEventListener('scroll', onScroll, { passive: true })
	const watcher = new ResizeObserver(() => {
		const first = grid.top / (grid.height || 1)
		measure()
		stretch()
		moveTo(first * grid.height)
		settle()
		draw()
	})

	measure()
	stretch()
	watcher.observe(scroller)
	grid.begin = values.first

	const update = (next) => {
		const [columns, sort, brought] = [now.columns, now.sort, now.brought]
		if (next.turn !== now.turn) grid.begin = next.first
		now = next
		if (columns !== now.columns || sort.join() !== now.sort.join()) {
			if (columns !== now.columns) fitHere()
			setHeading()
		}
		// The first rows of a selection are there.
		if (!now.rows.isWaiting && (now.rows.count ?? 0) > 0 && grid.fitTurn !== now.turn) fitHere()
		stretch()
		if (grid.begin !== undefined && !now.rows.isWaiting && !now.isEarlier && (now.rows.count ?? 0) > 0) {
			moveTo(grid.begin * grid.height)
			delete grid.begin
			settle()
		} else if (anchor && grid.top > 0) {
			// Rows came or left above: those in sight stay where they are.
			const found = now.rows.find(anchor.key, anchor.position)
			if (found >= 0 && found !== anchor.position) {
				grid.top += (found - anchor.position) * grid.height
				anchor.position = found
				settle()
			}
			// So does the keyboard's mark.
			const marked = mark && mark.position === now.active && !now.rows.isWaiting ? now.rows.find(mark.key, mark.position) : -1
			if (marked >= 0 && marked !== now.active) return now.onActive(marked)
		}
		scroller.setAttribute('aria-rowcount', String(now.rows.count === null ? -1 : now.rows.count + 1))
		scroller.setAttribute('aria-busy', String(Boolean(now.isBusy)))
		scroller.classList.toggle('earlier', now.rows.isWaiting || now.isEarlier)
		if (now.brought === brought) draw()
		else reveal(now.brought)
	}
	update(values)

	// A browser tells of a scroll in its next frame, when these rows can be gone: their place would become the top.
	const stop = () => {
		watcher.disconnect()
		scroller.removeEventListener('scroll', onScroll)
		clearTimeout(timer)
		refit.stop()
	}
	return { update, stop }
}
