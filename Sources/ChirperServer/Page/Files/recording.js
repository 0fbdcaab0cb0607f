// One recording: its sound and sonogram, credit and licence, place, and every detail.

import { audioPath } from './api.js'
import { columns, nameForPeople, speciesOf } from './columns.js'
import { button, h, island, outside, signButton, small } from './dom.js'
import { startMap } from './map.js'
import { playButton, sonogram, sonogramSettings, soundState } from './player.js'
import { heardIn } from './sonogram.js'
import { keyOf, mayChange } from './state.js'
import { headings } from './tables.js'
import { cell, clock, joined, number, plural, quoted } from './text.js'

const names = {
	...headings,
	...Object.fromEntries(columns.map(({ id, heading }) => [id, heading])),
	coordinateUncertaintyInMeters: 'Place is within',
	dataGeneralizations: 'Made less exact',
	informationWithheld: 'Withheld',
	issues: 'Its catalogue doubts',
	samplingProtocol: 'Method',
	infraspecificEpithet: 'Subspecies',
	license: 'Licence text',
	copies: 'Copied by',
	accessURI: 'Audio address',
	sonogramURL: 'Sonogram picture',
	references: 'Page',
	occurrenceID: 'Occurrence ID',
	datasetID: 'Data set ID',
	datasetKey: 'Data set key',
	datasetName: 'Data set',
	basisOfRecord: 'Kind of evidence',
}

/** Shown elsewhere, or made of others. */
const hidden = new Set([
	'fields', 'credit', 'maximumElevationInMeters', 'year', 'month', 'day', 'allowsCommercialUse',
	'allowsDerivatives', 'genus', 'specificEpithet', 'audio', 'scientificName', 'vernacularName',
	'acceptedVernacularName', 'annotations', 'annotatedTaxa', 'annotatedBehavior', 'annotatedSex',
	'annotatedLifeStage',
	'annotatedBy',
])

const metres = (value) => `${number(value)} m`

const written = {
	mediaDuration: (value) => `${clock(value)} (${number(value)} s)`,
	sampleRate: (value) => `${number(value)} Hz`,
	coordinateUncertaintyInMeters: metres,
	minimumElevationInMeters: metres,
}

/** The heading of a field; without one, its name in words. */
function nameOf(key) {
	const words = key.replace(/([a-z])([A-Z])/g, (_, end, start) => `${end} ${start.toLowerCase()}`)
	return names[key] ?? words.replace(/^./, (first) => first.toUpperCase())
}

/** What the licence allows, in words. */
function allowed({ license, licenseName, allowsCommercialUse, allowsDerivatives }) {
	if (!license && !licenseName) return 'Unknown licence: listening only.'
	const is = (allows, use) => `${use} ${allows ? 'allowed' : 'not allowed'}`
	return `Commercial ${is(allowsCommercialUse, 'use')}, ${is(allowsDerivatives, 'changes')}.`
}

function value(key, content) {
	const isAddress = typeof content === 'string' && /^https?:/.test(content)
	return isAddress ? outside(content, content) : written[key]?.(content) ?? cell(content)
}

/** Annotations that are listed; the sonogram has all. */
const mostAnnotations = 200

/** From one number to another; `from` or `to` if the other is not known. */
function range(from, to, unit) {
	if (from == null && to == null) return null
	if (from == null) return `to ${number(to)} ${unit}`
	if (to == null) return `from ${number(from)} ${unit}`
	return `${number(from)}–${number(to)} ${unit}`
}

/** The stretches that somebody marked, each with a button that plays it. */
function annotationsView(annotations, play) {
	const unlisted = annotations.length - mostAnnotations
	return h('section.annotations', { 'aria-label': 'Annotations' },
		h('h3', plural(annotations.length, 'annotation')),
		h('ol', annotations.slice(0, mostAnnotations).map((one, index) =>
			h('li', { key: index }, ...annotationView(one, play)))),
		unlisted > 0 && h('p.quiet', `${number(unlisted)} more are on the sonogram.`))
}

function annotationView(one, play) {
	const { startTime: start, endTime: end, identifiedBy, confidence } = one
	const heard = joined([heardIn(one), ...one.sex, ...one.lifeStage])
	const time = range(start, end, 's')
	const kilo = (hertz) => (hertz == null ? null : hertz / 1000)
	const pitch = range(kilo(one.freqLow), kilo(one.freqHigh), 'kHz')
	return [
		start != null && end != null
			? small(`▶ ${time}`, () => play(one), { 'aria-label': `Play ${time}: ${heard}` })
			: time,
		' ',
		joined([heard, pitch, one.comments, identifiedBy && `by ${identifiedBy}`, confidence], ' · '),
	]
}

/** The pane of the open recording. */
export const recordingPane = (state, track, actions) =>
	h('aside.recording', { 'aria-label': 'Recording', key: 'recording' },
		signButton('×', 'Close the recording', () => actions.openRow(null), { class: 'close' }),
		recordingView(state, track, actions))

function recordingView(state, track, actions) {
	const { details, row, compare } = state
	if (!details) return h('p.quiet', { role: 'status' }, 'Loading…')
	const { recording, error, viewport } = details
	if (error) {
		return h('div.message', { role: 'alert' },
			h('p', error.message),
			h('p.quiet', error.hint ?? 'Close this, and choose another row.'))
	}
	const annotations = recording.annotations ?? []
	const play = ({ startTime, endTime }) => actions.play(keyOf(recording), [startTime, endTime])
	return [
		header(recording, compare.includes(row), actions),
		soundView(recording, track, state, play, actions),
		annotations.length > 0 && annotationsView(annotations, play),
		creditView(recording, track, actions),
		placeView(recording, viewport, actions),
		h('dl.details',
			Object.entries(recording)
				.filter(([name, content]) => !hidden.has(name) && cell(content) !== '')
				.map(([name, content]) =>
					h('div', { key: name }, h('dt', nameOf(name)), h('dd', value(name, content))))),
		h('details.raw', h('summary', `As ${recording.catalogue} sent it`),
			h('pre', JSON.stringify(recording.fields, null, 1))),
	]
}

function header(recording, isCompared, actions) {
	const { scientificName, catalogNumber, id } = recording
	const species = speciesOf(recording)
	const term = `sp:${quoted(`=${species}`)}`
	const compare = () => actions.compare(keyOf(recording))
	return h('header',
		h('h2', nameForPeople(recording) ?? scientificName ?? catalogNumber ?? id),
		h('p.second', scientificName),
		h('div.tools',
			h('span.joined',
				signButton('‹', 'Previous row', () => actions.step(-1)),
				signButton('›', 'Next row', () => actions.step(1))),
			species && h('span.joined',
				signButton('‹', 'Previous of the same species', () => actions.step(-1, term)),
				button('Same species', () => actions.same(term)),
				signButton('›', 'Next of the same species', () => actions.step(1, term))),
			button(isCompared ? 'Compared' : 'Compare', compare, { 'aria-pressed': isCompared })))
}

function soundView(recording, track, state, play, actions) {
	const { settings } = state
	const mayFetch = mayChange(state)
	const key = keyOf(recording)
	const { view, analysis } = track
	const { mediaDuration: seconds, annotations } = recording
	const onView = (view) => actions.view(track, view)
	return h('section.sound', { 'aria-label': 'Sound' },
		h('div.controls',
			playButton(track, { mayFetch, seconds, onPlay: () => actions.play(key) }),
			soundState(track, { mayFetch, seconds })),
		sonogram(track, {
			settings, view, annotations, onView,
			onSeek: (moment) => actions.seek(key, moment),
			onStretch: (stretch) => actions.loop(key, stretch),
			onAnnotation: play,
		}),
		analysis && h('details.how', h('summary', 'Zoom and settings'),
			sonogramSettings(settings, actions.settings, view, analysis.duration, onView)))
}

function creditView(recording, { sound, name }, actions) {
	const { credit, license, licenseName, references, catalogue } = recording
	return h('section.credit',
		h('p', credit ?? 'No credit is known.', ' ',
			credit && small('Copy credit', () => actions.copy(credit))),
		h('p.quiet',
			license && [outside(license, licenseName ?? license), '. '],
			allowed(recording)),
		references && h('p', outside(references, `Page at ${catalogue} ↗`)),
		sound && h('p',
			h('a', { href: audioPath(keyOf(recording)), download: name }, 'Save the audio')))
}

/** Where it was recorded, on a map, if that is known. */
function placeView(recording, viewport, actions) {
	const { decimalLatitude: latitude, decimalLongitude: longitude } = recording
	if (typeof latitude !== 'number' || typeof longitude !== 'number') return null
	const uncertainty = recording.coordinateUncertaintyInMeters
	const key = keyOf(recording)
	const isDoubtful = recording.issues?.includes('coordinate')
	const attributes = {
		class: 'map small', tabIndex: 0, role: 'group', 'aria-label': 'Map of the place',
	}
	return h('section.place',
		island('div', `${key} map`, attributes, startMap, {
			points: [[latitude, longitude, uncertainty, key, 1, isDoubtful]],
			viewport: viewport ?? [latitude, longitude, 3.2],
			shown: key,
			label: `${recording.locality ?? 'The place'} on a map`,
			onMove: actions.moveDetailMap,
			onBox: () => {},
			onOpen: () => {},
		}),
		h('p.quiet',
			uncertainty ? `Within ${metres(uncertainty)}. ` : '',
			joined([recording.dataGeneralizations, recording.informationWithheld], '. '),
			isDoubtful ? ' The catalogue doubts this place.' : ''))
}
