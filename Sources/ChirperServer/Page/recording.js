// One recording: its sound and sonogram, credit and licence, place, and every detail.

import { audioPath } from './api.js'
import { columns, nameForPeople } from './columns.js'
import { button, h, island, outside, signButton } from './dom.js'
import { startMap } from './map.js'
import { playButton, sonogram, sonogramSettings, soundState } from './player.js'
import { heardIn } from './sonogram.js'
import { keyOf } from './state.js'
import { headings } from './tables.js'
import { cell, clock, number, plural, quoted } from './text.js'

const names = {
	...headings, ...Object.fromEntries(columns.map(({ id, heading }) => [id, heading])), coordinateUncertaintyInMeters: 'Place is within',
	dataGeneralizations: 'Made less exact', informationWithheld: 'Withheld', issues: 'Its catalogue doubts',
	samplingProtocol: 'Method', infraspecificEpithet: 'Subspecies', license: 'Licence text', copies: 'Copied by',
	accessURI: 'Audio address', sonogramURL: 'Sonogram picture', references: 'Page', occurrenceID: 'Occurrence ID',
	datasetID: 'Data set ID', datasetKey: 'Data set key', datasetName: 'Data set', basisOfRecord: 'Kind of evidence',
}

/** Shown elsewhere, or made of others. */
const hidden = new Set(['fields', 'credit', 'maximumElevationInMeters', 'year', 'month', 'day', 'allowsCommercialUse', 'allowsDerivatives',
	'genus', 'specificEpithet', 'audio', 'scientificName', 'vernacularName', 'acceptedVernacularName',
	'annotations', 'annotatedTaxa', 'annotatedBehavior', 'annotatedSex', 'annotatedLifeStage'])

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
	if (!recording.license && !recording.licenseName) return 'Unknown licence: listening only.'
	const is = (allows, use) => `${use} ${allows ? 'allowed' : 'not allowed'}`
	return `Commercial ${is(recording.allowsCommercialUse, 'use')}, ${is(recording.allowsDerivatives, 'changes')}.`
}

const value = (key, content) => {
	if (typeof content === 'string' && /^https?:/.test(content)) return outside(content, content)
	return written[key]?.(content) ?? cell(content)
}

/** Annotations that are listed; the sonogram has all. */
const mostAnnotations = 200

/** From one number to another; `from` or `to` if the other is not known. */
const range = (from, to, unit) => (from == null && to == null ? null : from == null ? `to ${number(to)} ${unit}` : to == null ? `from ${number(from)} ${unit}` : `${number(from)}–${number(to)} ${unit}`)

/** The stretches that somebody marked, each with a button that plays it. */
function annotationsView(annotations, play) {
	const kilo = (hertz) => (hertz == null ? null : hertz / 1000)
	return h('section.annotations', { 'aria-label': 'Annotations' },
		h('h3', null, plural(annotations.length, 'annotation')),
		h('ol', null, annotations.slice(0, mostAnnotations).map((one, index) => {
			const { startTime: start, endTime: end } = one
			const heard = [heardIn(one), ...one.sex, ...one.lifeStage].filter(Boolean).join(', ')
			const time = range(start, end, 's')
			return h('li', { key: index },
				start != null && end != null ? button(`▶ ${time}`, () => play(one), { class: 'small', 'aria-label': `Play ${time}: ${heard}` }) : time,
				' ', [heard, range(kilo(one.freqLow), kilo(one.freqHigh), 'kHz'), one.comments, one.identifiedBy && `by ${one.identifiedBy}`].filter(Boolean).join(' · '))
		})),
		annotations.length > mostAnnotations && h('p.quiet', null, `${number(annotations.length - mostAnnotations)} more are on the sonogram.`))
}

/** The pane of a recording. `details` is `null` until it was answered. */
export function recordingView({ details, track, settings, isCompared, mayFetch, actions }) {
	if (!details) return h('p.quiet', { role: 'status' }, 'Loading…')
	if (details.error) {
		return h('div.message', { role: 'alert' }, h('p', null, details.error.message), h('p.quiet', null, details.error.hint ?? 'Close this, and choose another row.'))
	}
	const { recording } = details
	const key = keyOf(recording)
	const species = [recording.genus, recording.specificEpithet].filter(Boolean).join(' ') || recording.scientificName
	const term = `sp:${quoted(`=${species}`)}`
	const { decimalLatitude: latitude, decimalLongitude: longitude } = recording
	const annotations = recording.annotations ?? []
	const playPart = ({ startTime, endTime }) => actions.play(key, [startTime, endTime])
	const hasCoordinate = typeof latitude === 'number' && typeof longitude === 'number'
	return [
		h('header', null,
			h('h2', null, nameForPeople(recording) ?? recording.scientificName ?? recording.catalogNumber ?? recording.id),
			h('p.second', null, recording.scientificName),
			h('div.tools', null,
				h('span.joined', null,
					signButton('‹', 'Previous row', () => actions.step(-1)),
					signButton('›', 'Next row', () => actions.step(1))),
				species && h('span.joined', null,
					signButton('‹', 'Previous of the same species', () => actions.step(-1, term)),
					button('Same species', () => actions.same(term)),
					signButton('›', 'Next of the same species', () => actions.step(1, term))),
				button(isCompared ? 'Compared' : 'Compare', () => actions.compare(key), { 'aria-pressed': isCompared }))),
		h('section.sound', { 'aria-label': 'Sound' },
			h('div.controls', null,
				playButton(track, { mayFetch, seconds: recording.mediaDuration, onPlay: () => actions.play(key) }),
				soundState(track, { mayFetch, seconds: recording.mediaDuration })),
			sonogram(track, {
				settings, view: track.view, longest: track.analysis?.duration ?? 0, sound: track.sound,
				label: `Sonogram of ${track.name}`, onView: (view) => actions.view(track, view), onSeek: (seconds) => actions.seek(key, seconds), onStretch: (stretch) => actions.loop(key, stretch),
				annotations: recording.annotations, onAnnotation: playPart,
			}),
			track.analysis && h('details.how', null, h('summary', null, 'Zoom and settings'),
				sonogramSettings(settings, actions.settings, track.view, track.analysis.duration, (view) => actions.view(track, view)))),
		annotations.length > 0 && annotationsView(annotations, playPart),
		h('section.credit', null,
			h('p', null, recording.credit ?? 'No credit is known.', ' ',
				recording.credit && button('Copy credit', () => actions.copy(recording.credit), { class: 'small' })),
			h('p.quiet', null, recording.license && [outside(recording.license, recording.licenseName ?? recording.license), '. '], allowed(recording)),
			recording.references && h('p', null, outside(recording.references, `Page at ${recording.catalogue} ↗`)),
			track.sound && h('p', null, h('a', { href: audioPath(key), download: track.name }, 'Save the audio'))),
		hasCoordinate && h('section.place', null,
			island('div', `${key} map`, { class: 'map small', tabIndex: 0, role: 'group', 'aria-label': 'Map of the place' }, startMap, {
				points: [[latitude, longitude, recording.coordinateUncertaintyInMeters, key, 1, recording.issues?.includes('coordinate')]],
				viewport: details.viewport ?? [latitude, longitude, 3.2], shown: key, label: `${recording.locality ?? 'The place'} on a map`,
				onMove: actions.moveDetailMap, onBox: () => {}, onOpen: () => {},
			}),
			h('p.quiet', null, recording.coordinateUncertaintyInMeters ? `Within ${metres(recording.coordinateUncertaintyInMeters)}. ` : '',
				[recording.dataGeneralizations, recording.informationWithheld].filter(Boolean).join('. '),
				recording.issues?.includes('coordinate') ? ' The catalogue doubts this place.' : '')),
		h('dl.details', null,
			Object.entries(recording).filter(([name, content]) => !hidden.has(name) && cell(content) !== '').map(([name, content]) =>
				h('div', { key: name }, h('dt', null, nameOf(name)), h('dd', null, value(name, content))))),
		h('details.raw', null, h('summary', null, `As ${recording.catalogue} sent it`),
			h('pre', null, JSON.stringify(recording.fields, null, 1))),
	]
}
