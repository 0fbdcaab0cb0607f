// What the page asks its server. A request that is no longer wanted is aborted.

import { keep, kept } from './state.js'

/** An answer that is not a success: the sentence, and what to do next. Status 0: the server does not answer. */
export class ServerError extends Error {
	constructor(status, error) {
		super(error.message)
		Object.assign(this, { status, kind: error.kind, hint: error.hint, at: error.at })
	}
}

/** How long a request is tried again at a server that has too many connections. */
const mostTries = 60

let tellBusy = () => {}
/** `action` is called with whether a request waits for a server that has too many connections. */
export const whenBusy = (action) => (tellBusy = action)

async function ask(path, options, tries = 0) {
	let answer
	try {
		answer = await fetch(path, options)
	} catch (error) {
		if (error.name === 'AbortError') throw error
		tellBusy(false)
		throw new ServerError(0, { message: 'The server does not answer.' })
	}
	const body = answer.ok ? null : await answer.json().catch(() => null)
	// Without an error of the server's own: the request was not read.
	const isCrowded = answer.status === 503 && !body
	// By every answer: a request that waited can have been aborted meanwhile.
	tellBusy(isCrowded)
	if (answer.ok) return answer
	if (isCrowded && tries < mostTries) {
		await new Promise((resume) => setTimeout(resume, 1000 * (Number(answer.headers.get('Retry-After')) || 2)))
		return ask(path, options, tries + 1)
	}
	throw new ServerError(answer.status, body?.error?.message ? body.error : { kind: 'unknown', message: `The server answered ${answer.status}.` })
}

/** What the server's own API answers; `more` is added to the parameters. */
export async function get(path, parameters, more = {}, signal) {
	const all = new URLSearchParams(parameters)
	for (const [name, value] of Object.entries(more)) all.set(name, value)
	return (await ask(`/api/chirper/${path}${all.size ? `?${all}` : ''}`, { signal })).json()
}

/** A function that aborts its call before: `work` gets the signal of that. */
export function latestOnly(work) {
	let controller = new AbortController()
	return () => {
		controller.abort()
		controller = new AbortController()
		return work(controller.signal)
	}
}

/** For a browser that keeps nothing: until the page is left. */
let secret = null

/** The cookie only reads. What changes something needs the secret of the owner's session too, which only pages of this origin have. */
export async function send(method, path, body) {
	const headers = new Headers(body && { 'Content-Type': 'application/json' })
	const own = kept('secret') ?? secret
	if (own) headers.set('X-Chirper-Session', own)
	return (await ask(path, { method, headers, body: body && JSON.stringify(body) })).json()
}

/** Exchanges the token of a link, which is in its fragment, for a session, and takes it out of the address. */
export async function takeSession() {
	const token = location.hash.slice(1)
	if (!/^[\w-]{32,}$/.test(token)) return
	history.replaceState(null, '', location.pathname + location.search)
	const session = await send('POST', '/session', { token })
	secret = session.secret ?? null
	keep('secret', secret)
}

/** A recording's key as a part of a path. */
export const pathOf = (key) => encodeURIComponent(key).replace('%2F', '/')

export const audioPath = (key) => `/api/chirper/audio/${pathOf(key)}`

/**
 * Follows what the server loads: one stream of events while something runs, because browsers allow six connections to a server.
 * In between, the lists are asked for now and then, which also shows whether the server is there.
 */
export class Follower {
	#stream = null
	#timer = 0
	#onState
	#onReached

	constructor(onState, onReached) {
		this.#onState = onState
		this.#onReached = onReached
		document.addEventListener('visibilitychange', () => {
			if (!document.hidden) this.poll()
		})
	}

	/** Reads the state as it changes, until nothing runs. */
	follow() {
		if (this.#stream) return
		this.#stream = new EventSource('/events')
		this.#stream.addEventListener('state', (event) => {
			const state = JSON.parse(event.data)
			this.#onReached(true)
			this.#onState(state)
			if (!state.loads.some((load) => load.state === 'running')) this.#close()
		})
		this.#stream.onerror = () => {
			this.#close()
			this.poll()
		}
	}

	#close() {
		this.#stream?.close()
		this.#stream = null
	}

	/** Asks once now, and from then on every few seconds while the page is looked at. */
	async poll() {
		clearTimeout(this.#timer)
		if (!this.#stream) {
			try {
				const [{ queries }, { loads }] = await Promise.all([get('lists'), get('loads')])
				this.#onReached(true)
				this.#onState({ queries, loads })
				if (loads.some((load) => load.state === 'running')) this.follow()
			} catch (error) {
				if (error.status === 0) this.#onReached(false)
				else this.#onReached(true, error)
			}
		}
		clearTimeout(this.#timer)
		this.#timer = setTimeout(() => document.hidden || this.poll(), 5000)
	}
}
