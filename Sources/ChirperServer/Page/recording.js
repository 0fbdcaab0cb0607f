// One recording: its sound and sonogram, credit and licence, place, and every detail.

import { columns } from './columns.js'
import { button, h, island, outside, signButton } from './dom.js'
import { startMap } from './map.js'
import { controls, sonogram, sonogramSettings } from './player.js'
import { keyOf } from './state.js'
import { cell, clock, number } from './text.js'

/** Those of the table's columns, and of what the table has not. */
const names = {
	...Object.fromEntries(columns.map(({ id, heading }) => [id, heading])), coordinateUncertaintyInMeters: 'Place is within',
	dataGeneralizations: 'Made less exact', samplingProtocol: 'Method',
}

/** Shown elsewhere, or made of others. */
const hidden = new Set(['fields', 'credit', 'maximumElevationInMeters', 'year', 'month', 'day', 'allowsCommercialUse', 'allowsDerivatives',
	'genus', 'specificEpithet', 'audio', 'scientificName', 'vernacularName'])

const metres = (value) => `${number(value)} m`

const written = {
	mediaDuration: (value) => `${clock(value)} (${number(value)} s)`,
	sampleRate: (value) => `${number(value)} Hz`,
	coordinateUncertaintyInMeters: metres,
	minimumElevationInMeters: metres,
}

/** `eventDate`, `decimalLatitude`: in words. */
const nameOf = (key) => names[key] ?? key.replace(/([a-z])([A-Z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`).replace(/^./, (first) => first.toUpperCase())

/** What the licence allows, in words. */
function allowed(recording) {
	if (!recording.license && !recording.licenseName) return 'No licence is known, so nothing is allowed but to listen.'
	const is = (allows, use) => `${use} ${allows ? 'allowed' : 'not allowed'}`
	return `Commercial ${is(recording.allowsCommercialUse, 'use')}, ${is(recording.allowsDerivatives, 'changes')}.`
}

const value = (key, content) => {
	if (key === 'lists' || key === 'leftLists') return content.join(', ')
	if (typeof content === 'string' && /^https?:/.test(content)) return outside(content, content)
	return written[key]?.(content) ?? cell(content)
}

const isThere = (content) => content !== null && content !== '' && !(Array.isArray(content) && content.length === 0)

/** The pane of a recording. `details` is `null` until it was answered. */
export function recordingView({ details, track, settings, isCompared, actions }) {
	if (!details) return h('p', { class: 'quiet', role: 'status' }, 'Loading…')
	if (details.error) {
		return h('div', { class: 'message', role: 'alert' }, h('p', null, details.error.message), h('p', { class: 'quiet' }, details.error.hint ?? 'Close this, and choose another row.'))
	}
	const { recording } = details
	const key = keyOf(recording)
	const species = [recording.genus, recording.specificEpithet].filter(Boolean).join(' ') || recording.scientificName
	const { decimalLatitude: latitude, decimalLongitude: longitude } = recording
	const hasPlace = typeof latitude === 'number' && typeof longitude === 'number'
	return [
		h('header', null,
			h('h2', null, recording.vernacularName ?? recording.scientificName ?? recording.catalogNumber ?? recording.id),
			h('p', { class: 'second' }, recording.scientificName),
			h('div', { class: 'tools' },
				signButton('‹', 'Previous row', () => actions.step(-1)),
				signButton('›', 'Next row', () => actions.step(1)),
				species && button('Same species', () => actions.same(species)),
				button(isCompared ? 'Compared' : 'Compare', () => actions.compare(key), { 'aria-pressed': isCompared }))),
		h('section', { class: 'sound', 'aria-label': 'Sound' },
			controls(track, { onPlay: () => actions.play(key) }),
			sonogram(track, {
				settings, view: track.view, longest: track.analysis?.duration ?? 0, sound: track.sound,
				label: `Sonogram of ${recording.catalogNumber ?? recording.id}, ${track.view ? `${track.view.start.toFixed(1)} to ${track.view.end.toFixed(1)} seconds` : ''}`,
				onView: (view) => actions.view(track, view), onSeek: (seconds) => track.sound.seek(seconds), onStretch: (stretch) => track.sound.loop(stretch),
			}),
			track.analysis && h('details', { class: 'how' }, h('summary', null, 'Zoom and settings'),
				sonogramSettings(settings, actions.settings, track.view, track.analysis.duration, (view) => actions.view(track, view)))),
		h('section', { class: 'credit' },
			h('p', null, recording.credit ?? 'No credit is known.', ' ',
				recording.credit && button('Copy credit', () => actions.copy(recording.credit), { class: 'small' })),
			h('p', { class: 'quiet' }, recording.license && [outside(recording.license, recording.licenseName ?? recording.license), '. '], allowed(recording)),
			recording.references && h('p', null, outside(recording.references, `Page at ${recording.catalogue} ↗`))),
		hasPlace && h('section', { class: 'place' },
			island('div', `${key} map`, { class: 'map small', tabIndex: 0, role: 'group', 'aria-label': 'Map of the place' }, startMap, {
				points: [[latitude, longitude, recording.coordinateUncertaintyInMeters, key]],
				place: details.place ?? [latitude, longitude, 3.2], shown: key, label: `${recording.locality ?? 'The place'} on a map`,
				onPlace: actions.detailPlace, onBox: () => {}, onOpen: () => {},
			}),
			h('p', { class: 'quiet' }, recording.coordinateUncertaintyInMeters ? `Within ${metres(recording.coordinateUncertaintyInMeters)}. ` : '',
				recording.dataGeneralizations ?? '')),
		h('dl', { class: 'details' },
			Object.entries(recording).filter(([name, content]) => !hidden.has(name) && isThere(content)).map(([name, content]) =>
				h('div', { key: name }, h('dt', null, nameOf(name)), h('dd', null, value(name, content))))),
		h('details', { class: 'raw' }, h('summary', null, `As ${recording.catalogue} sent it`),
			h('pre', { tabIndex: 0 }, JSON.stringify(recording.fields, null, 1))),
	]
}
