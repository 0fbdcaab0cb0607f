// Makes the document equal to a tree of plain values, so that every view is a pure function of the
// state. Texts become text nodes: what a recording has in its fields is never markup.

/**
 * A part of a view: an element (`tag` or `tag.class`), its properties if it has any, and its
 * children, also in lists; `null` and `false` are left out.
 */
export function h(element, ...children) {
	const [tag, name] = element.split('.')
	const { key, ...rest } = areProperties(children[0]) ? children.shift() : {}
	return { tag, key, properties: name ? { class: name, ...rest } : rest, children }
}

const areProperties = (value) => value?.constructor === Object && !value.tag

/**
 * A part that draws itself, such as a canvas: `start(element, values)` returns an object with
 * `update(values)` and `stop()`. A different `key` makes a new one.
 */
export const island = (tag, key, properties, start, values) => ({
	...h(tag, { key, ...properties }),
	island: { start, values },
})

const drawn = new WeakMap()

/**
 * Makes the children of an element what `views` says. Elements that stay, keep their focus and what
 * was typed.
 */
export function draw(parent, views) {
	const before = drawn.get(parent) ?? []
	const unused = new Map(before.map((part) => [part.name, part]))
	const counts = new Map()
	const shown = views.flat(Infinity).filter((view) => view != null && view !== false)
	const named = shown.map((view) => {
		const isText = typeof view !== 'object'
		const kind = isText ? '#text' : view.tag
		const count = counts.get(kind) ?? 0
		counts.set(kind, count + 1)
		const name = `${kind} ${isText || view.key === undefined ? `#${count}` : view.key}`
		const old = unused.get(name)
		unused.delete(name)
		return { view, isText, name, old }
	})
	for (const part of unused.values()) {
		stop(part)
		part.node.remove()
	}
	const after = named.map(({ view, isText, name, old }) => {
		if (isText) {
			const node = old?.node ?? document.createTextNode('')
			if (node.data !== String(view)) node.data = String(view)
			return { name, node }
		}
		const node = old?.node ?? document.createElement(view.tag)
		apply(node, old?.properties ?? {}, view.properties)
		const part = { name, node, properties: view.properties, running: old?.running }
		if (!view.island) {
			draw(node, view.children)
			// It has a value only once it has the option.
			if (view.tag === 'select') apply(node, view.properties, view.properties)
		} else if (part.running) {
			part.running.update(view.island.values)
		} else {
			part.starts = view.island
		}
		return part
	})
	// An element that is moved loses the focus, and a press that has begun: the others are moved
	// around it.
	const focused = document.activeElement
	let next = parent.firstChild
	for (const { node } of after) {
		while (node.contains(focused) && next !== node) {
			const later = next
			next = next.nextSibling
			parent.append(later)
		}
		if (node === next) next = next.nextSibling
		else parent.insertBefore(node, next)
	}
	drawn.set(parent, after)
	// An island can measure itself once it is in the document.
	for (const part of after) {
		if (part.starts) part.running = part.starts.start(part.node, part.starts.values)
		delete part.starts
	}
}

function stop(part) {
	part.running?.stop()
	for (const child of drawn.get(part.node) ?? []) stop(child)
}

/** Those that are properties of an element; others are attributes. */
const owned = new Set(['value', 'checked', 'disabled'])

function apply(node, before, after) {
	for (const name of Object.keys(before)) {
		if (!(name in after)) set(node, name, undefined, before[name])
	}
	for (const [name, value] of Object.entries(after)) {
		// What was typed since is compared, too.
		const isTyped = name === 'value' && node.value !== value
		if (value !== before[name] || isTyped) set(node, name, value, before[name])
	}
}

function set(node, name, value, before) {
	if (name === 'style') {
		for (const key of Object.keys(before ?? {})) node.style.removeProperty(key)
		for (const [key, text] of Object.entries(value ?? {})) node.style.setProperty(key, text)
	} else if (name.startsWith('on')) {
		// A handler that returns false would prevent what the element does by itself.
		node[name] = value ? (event) => void value(event) : null
	} else if (owned.has(name)) {
		node[name] = value ?? (typeof node[name] === 'boolean' ? false : '')
	} else if (value == null) {
		node.removeAttribute(name)
	} else {
		node.setAttribute(name, value)
	}
}

export const button = (text, onclick, more) =>
	h('button', { type: 'button', onclick, ...more }, text)

export const small = (text, onclick, more) => button(text, onclick, { class: 'small', ...more })

export const signButton = (sign, label, onclick, more) =>
	button(sign, onclick, { 'aria-label': label, title: label, ...more })

export const quiet = (...texts) => h('span.quiet', ...texts)

export const checkbox = (text, checked, onChange, disabled = false) =>
	h('label',
		h('input', {
			type: 'checkbox', checked, disabled,
			onchange: (event) => onChange(event.target.checked),
		}),
		` ${text}`)

/** One of several; an option is `[value, text, is disabled]`. */
export const choice = (value, options, onChange, more) =>
	h('select', {
		value: String(value),
		onchange: (event) => onChange(event.target.value),
		...more,
	}, options.map(([id, text, disabled = false]) =>
		h('option', { value: String(id), key: id, disabled }, text)))

/** A table of texts; the first of a row is its name. */
export const table = (headings, rows, properties = {}) =>
	h('table', properties,
		h('thead', h('tr', headings.map((text) => h('th', { scope: 'col' }, text)))),
		h('tbody', rows.map(([name, ...cells]) =>
			h('tr', h('th', { scope: 'row' }, name), cells.map((text) => h('td', text))))))

/** A handler that does something in place of what the browser would do. */
export const instead = (action) => (event) => {
	event.preventDefault()
	action(event)
}

/** Whether a click is to be followed here: with a key held, the browser opens a tab or a window. */
export function isOurs(event) {
	if (event.metaKey || event.ctrlKey || event.shiftKey) return false
	event.preventDefault()
	return true
}

/**
 * A link to a different site, which does not learn where it was followed; text if it is not an
 * address of the web.
 */
export function outside(address, ...children) {
	const { href, protocol } = URL.canParse(address) ? new URL(address) : {}
	if (protocol !== 'https:' && protocol !== 'http:') return h('span', ...children)
	return h('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children)
}

/** An action that runs once, some time after it was last started. */
export class Delayed {
	#timer = 0
	#milliseconds
	#action

	constructor(milliseconds, action) {
		this.#milliseconds = milliseconds
		this.#action = action
	}

	start() {
		clearTimeout(this.#timer)
		this.#timer = setTimeout(() => this.flush(), this.#milliseconds)
	}

	stop() {
		clearTimeout(this.#timer)
		this.#timer = 0
	}

	/** Runs the action now if it was started. */
	flush() {
		if (!this.#timer) return
		this.stop()
		this.#action()
	}
}

/** A function that runs the action once, however often the current task calls it. */
export function oncePerTurn(action) {
	let isDue = false
	return () => {
		if (isDue) return
		isDue = true
		queueMicrotask(() => {
			isDue = false
			action()
		})
	}
}
