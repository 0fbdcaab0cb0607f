// What the page asks its server. A request that is no longer wanted is aborted.

import { keep, kept } from './state.js'

/**
 * An answer that is not a success: the sentence, and what to do next. Status 0: the server does not
 * answer.
 */
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
	if (answer.ok || answer.status === 304) return answer
	if (isCrowded && tries < mostTries) {
		const seconds = Number(answer.headers.get('Retry-After')) || 2
		await new Promise((resume) => setTimeout(resume, 1000 * seconds))
		return ask(path, options, tries + 1)
	}
	const unknown = { kind: 'unknown', message: `The server answered ${answer.status}.` }
	throw new ServerError(answer.status, body?.error?.message ? body.error : unknown)
}

/** Answers that came with the document, by their addresses. Each is taken once. */
const start = document.getElementById('start')?.textContent
const brought = new Map(Object.entries(JSON.parse(start || '{}')))

async function answerOf(path, options) {
	const answer = brought.get(path)
	if (!brought.delete(path)) return (await ask(path, options)).json()
	return answer
}

/** What the server's own API answers; `more` is added to the parameters. */
export async function get(path, parameters, more = {}, signal) {
	const all = new URLSearchParams(parameters)
	for (const [name, value] of Object.entries(more)) all.set(name, value)
	return answerOf(`/api/chirper/${path}${all.size ? `?${all}` : ''}`, { signal })
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

const ownSecret = () => kept('secret') ?? secret

/**
 * Sends what changes something. The cookie is not enough for that: it needs the secret of the
 * owner's session too, which only pages of this origin have.
 */
export async function send(method, path, body) {
	const isFile = body instanceof Blob
	const headers = new Headers(body && { 'Content-Type': isFile ? body.type : 'application/json' })
	const own = ownSecret()
	if (own) headers.set('X-Chirper-Session', own)
	const sent = isFile ? body : body && JSON.stringify(body)
	const answer = await ask(path, { method, headers, body: sent })
	return answer.status === 204 ? null : answer.json()
}

/**
 * What this page may do (owner, reader or none), and whether a code opens it. The document knows
 * only which cookie the browser has.
 */
export async function accessOfPage() {
	const { access, code } = brought.get('/session') ?? (await send('GET', '/session'))
	brought.delete('/session')
	return { access: access === 'owner' && !ownSecret() ? 'none' : access, hasCode: Boolean(code) }
}

/**
 * Exchanges the token of a link, which is in its fragment, for a session, and takes it out of the
 * address.
 */
export async function takeSession() {
	const token = location.hash.slice(1)
	if (!/^[\w-]{32,}$/.test(token)) return
	history.replaceState(null, '', location.pathname + location.search)
	await exchange({ token })
}

/** Exchanges the code that is read aloud for a session that reads. */
export const takeCode = (code) => exchange({ code })

async function exchange(proof) {
	const session = await send('POST', '/session', proof)
	secret = session.secret ?? null
	keep('secret', secret)
	brought.delete('/session')
}

/** A recording's key as a part of a path. */
export const pathOf = (key) => encodeURIComponent(key).replace('%2F', '/')

export const sonogramPath = (key) => `/api/chirper/sonograms/${pathOf(key)}`
export const audioPath = (key) => `/api/chirper/audio/${pathOf(key)}`

/** The milliseconds between two requests for the server's state. */
const pause = 5000
/** The milliseconds while something runs and no stream is read. */
const shortPause = 1000
/** How long no stream is opened after one that failed. */
const streamPause = 30_000

/**
 * Follows the state of the server: its loads and lists. Browsers allow six connections to a server,
 * so one tab of a browser leads: it asks now and then, reads the stream of events while something
 * runs, and sends the others what it got. A tab that has not heard of one for a while begins to
 * lead; of two, the one with the lesser id goes on.
 */
export class Follower {
	#id = Math.random()
	#leads = false
	#heardAt = -Infinity
	#channel = new BroadcastChannel('chirper')
	#stream = null
	#streamsFrom = 0
	#timer = 0
	#tag = null
	#isRunning = false
	#onState
	#onReached

	constructor(onState, onReached) {
		this.#onState = onState
		this.#onReached = onReached
		this.#channel.onmessage = ({ data }) => this.#hear(data)
		document.addEventListener('visibilitychange', () => {
			if (document.hidden) this.#rest()
			else this.poll()
		})
		addEventListener('pagehide', () => this.#leave())
	}

	/** Reads the state as it changes, until nothing runs. */
	follow() {
		this.#isRunning = true
		if (!this.#isLed) this.#lead()
		else this.#channel.postMessage({ from: this.#id, follow: true })
	}

	/** Asks once now, and from then on now and then while the page is looked at. */
	async poll() {
		clearTimeout(this.#timer)
		if (!this.#stream) await this.#ask()
		this.#wait()
	}

	get #isLed() {
		return !this.#leads && performance.now() - this.#heardAt < 2 * pause
	}

	#lead() {
		this.#leads = true
		const mayStream = !this.#stream && performance.now() >= this.#streamsFrom
		if (!mayStream) return this.#wait()
		this.#stream = new EventSource('/events')
		this.#stream.addEventListener('state', (event) => {
			this.#take(JSON.parse(event.data), null)
			if (!this.#isRunning) this.#close()
		})
		this.#stream.onerror = () => {
			this.#streamsFrom = performance.now() + streamPause
			this.#close()
			this.poll()
		}
	}

	#close() {
		this.#endStream()
		if (document.hidden) this.#rest()
		else this.#wait()
	}

	#endStream() {
		this.#stream?.close()
		this.#stream = null
	}

	#wait() {
		clearTimeout(this.#timer)
		if (document.hidden) return
		const base = this.#isRunning && !this.#stream ? shortPause : pause
		this.#timer = setTimeout(() => this.#tick(), base + Math.random() * 500)
	}

	#tick() {
		if (this.#isLed) return this.#wait()
		this.#leads = true
		if (this.#stream) {
			this.#share({})
			return this.#wait()
		}
		return this.poll()
	}

	async #ask() {
		try {
			const state = await serverState(this.#tag)
			if (state.isSame) return this.#reach(true)
			this.#take(state.state, state.tag)
		} catch ({ status, kind, message, hint }) {
			if (status === 0) this.#reach(false)
			else this.#reach(true, { status, kind, message, hint })
		}
	}

	#take(state, tag) {
		this.#show(state, tag)
		this.#share({ state })
		if (this.#isRunning && !this.#isLed && !this.#stream) this.#lead()
	}

	#show(state, tag) {
		this.#tag = tag
		this.#isRunning = state.loads.some((load) => load.state === 'running')
		this.#onReached(true)
		this.#onState(state)
	}

	#reach(reached, error) {
		this.#onReached(reached, error)
		this.#share({ reached, error })
	}

	#share(what) {
		if (this.#leads) this.#channel.postMessage({ from: this.#id, ...what })
	}

	/** Nobody looks at the page: another tab may lead, unless a stream is read. */
	#rest() {
		clearTimeout(this.#timer)
		if (!this.#stream) this.#leave()
	}

	#leave() {
		this.#endStream()
		if (this.#leads) this.#channel.postMessage({ from: this.#id, leaves: true })
		this.#leads = false
	}

	#hear({ from, state, reached, error, follow, leaves }) {
		if (follow) {
			if (this.#leads) this.follow()
			return
		}
		if (leaves) {
			this.#heardAt = -Infinity
			clearTimeout(this.#timer)
			if (!document.hidden) this.#timer = setTimeout(() => this.#tick(), Math.random() * 300)
			return
		}
		if (this.#leads && from > this.#id) return this.#share({})
		this.#leads = false
		this.#heardAt = performance.now()
		this.#endStream()
		if (state) this.#show(state, null)
		else if (reached !== undefined) this.#onReached(reached, error)
		this.#wait()
	}
}

/**
 * The state of the server: lists, loads and the version of the store; `isSame` if it still has this
 * tag.
 */
async function serverState(tag) {
	const path = '/api/chirper/state'
	const state = brought.get(path)
	if (brought.delete(path)) return { state, tag: null }
	const answer = await ask(path, { headers: tag ? { 'If-None-Match': tag } : {} })
	if (answer.status === 304) return { isSame: true }
	return { state: await answer.json(), tag: answer.headers.get('ETag') }
}
