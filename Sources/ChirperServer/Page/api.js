// What the page asks its server. A request that is no longer wanted is aborted.

/** An answer that is no success: the sentence, and what to do next. */
export class ServerError extends Error {
	constructor(status, error) {
		super(error.message)
		Object.assign(this, { status, kind: error.kind, hint: error.hint, at: error.at })
	}
}

/** The server did not answer: it was stopped, or its machine cannot be reached. */
export class Unreachable extends Error {}

async function ask(path, options) {
	let answer
	try {
		answer = await fetch(path, options)
	} catch (error) {
		if (error.name === 'AbortError') throw error
		throw new Unreachable('The server does not answer.')
	}
	if (answer.ok) return answer
	const body = await answer.json().catch(() => null)
	throw new ServerError(answer.status, body?.error?.message ? body.error : { kind: 'unknown', message: `The server answered ${answer.status}.` })
}

export const get = async (path, parameters, signal) =>
	(await ask(parameters ? `${path}?${parameters}` : path, { signal })).json()

export async function send(method, path, body) {
	const options = { method, headers: body && { 'Content-Type': 'application/json' }, body: body && JSON.stringify(body) }
	const answer = await ask(path, options)
	return answer.status === 204 ? null : answer.json()
}

/** Exchanges the token of a link, which is in its fragment, for a cookie, and takes it out of the address. */
export async function takeSession() {
	const token = location.hash.slice(1)
	if (!/^[\w-]{32,}$/.test(token)) return
	history.replaceState(null, '', location.pathname + location.search)
	await send('POST', '/session', { token })
}

/** The path of a recording below one of the API's. */
export const recordingPath = (area, key) => {
	const slash = key.indexOf('/')
	return `/api/chirper/${area}/${encodeURIComponent(key.slice(0, slash))}/${encodeURIComponent(key.slice(slash + 1))}`
}

export const audioPath = (key) => recordingPath('audio', key)

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
		this.poll()
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
				const [{ queries }, { loads }] = await Promise.all([get('/api/chirper/lists'), get('/api/chirper/loads')])
				this.#onReached(true)
				this.#onState({ queries, loads })
				if (loads.some((load) => load.state === 'running')) this.follow()
			} catch (error) {
				if (error instanceof Unreachable) this.#onReached(false)
				else this.#onReached(true, error)
			}
		}
		clearTimeout(this.#timer)
		this.#timer = setTimeout(() => (document.hidden ? null : this.poll()), 5000)
	}
}
