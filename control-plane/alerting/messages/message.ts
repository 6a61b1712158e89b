/** An event in words: what every channel shows, each in its own form. Pure. */

import type { PublicLocation } from '../../../protocol/location.ts'
import { locationNames } from '../../../protocol/location.ts'
import type { Content } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { englishSpeech, type Speech } from '../../platform/web/html/speech.ts'
import type { AlertEvent } from './alert-event.ts'
import { responseInWords } from './alert-response.ts'
import type { AlertType } from './alert-types.ts'
import { groupReason, groupTitle } from './group-health.ts'
import { locationReason, locationTitle } from './location-problem.ts'
import { reasonInWords } from './reason.ts'

export type MessageKind = 'failure' | 'degraded' | 'recovery' | 'ssl'

export type Message = {
  /** Of the notification: the same for every try, so that receivers can tell copies. */
  id: string
  /** How its words are said; channels of people say theirs so, too. */
  speech: Speech
  event: AlertEvent
  kind: MessageKind
  title: string
  /** Why, as a colleague would say it; null when all is well again. */
  reason: string | null
  /** The page of the result (result-pages/result-link.ts), for people. */
  link: string
  /** Where it is acknowledged or snoozed; null for messages that cannot be answered. */
  answerLink: string | null
  /** As far as it is known when the message is sent, with what to look at first. */
  cause: { text: string; nextStep: string | null } | null
  /** Friendly; null when the run has no place. */
  locationName: string | null
  /** What is worth showing beside the title, in order. */
  facts: Array<{ label: string; value: string }>
  /** What is to be said about the message itself. */
  notice: string | null
  /** What it is told together with, if with anything; the one incident at a receiver that all of that is. */
  gather: string | null
  /** Of a message that names many: each check with what happened to it last. */
  members: readonly AlertEvent[]
}

type MessageLinks = {
  id: string
  gather?: string | null
  link: string
  answerLink?: string
  cause?: Message['cause']
  /** Of the reader; English for programs, and where nobody is known. */
  speech?: Speech
}

export const messageOf = (
  event: AlertEvent,
  { id, gather = null, link, answerLink, cause = null, speech = englishSpeech }: MessageLinks,
): Message => {
  const { runLocation } = event
  const locationName = runLocation === null ? null : locationNameOf(runLocation, speech)
  return {
    id,
    speech,
    event,
    kind: kindOf(event.alertType),
    title: titleOf(event, speech),
    reason: reasonOf(event, speech),
    link,
    answerLink: isAnswerable(event) ? (answerLink ?? null) : null,
    cause: isAnswerable(event) ? cause : null,
    locationName,
    facts: factsOf(event, locationName, speech),
    notice: null,
    gather,
    members: [],
  }
}

/** Friendly; a private location by its slug. */
export const locationNameOf = (location: string, { said }: Speech): string => {
  const name = locationNames[location as PublicLocation]
  return name === undefined ? location : said(name)
}

const isOver = ({ alertType }: AlertEvent): boolean => kindOf(alertType) === 'recovery'

const isAnswerable = ({ alertType, location, group }: AlertEvent): boolean =>
  location === null && group === null && (kindOf(alertType) === 'failure' || kindOf(alertType) === 'degraded')

const toldGroup = (event: AlertEvent, speech: Speech) => ({
  name: event.checkName,
  isOver: isOver(event),
  speech,
})

const reasonOf = (event: AlertEvent, speech: Speech): string | null => {
  if (event.location !== null) return locationReason(event.location, { isOver: isOver(event), speech })
  if (event.group !== null) return groupReason(event.group, toldGroup(event, speech))
  return isOver(event) || event.errorMessage === null ? null : reasonInWords(event.errorMessage, speech)
}

export const kindOf = (alertType: AlertType): MessageKind => {
  switch (alertType) {
    case 'ALERT_SSL':
      return 'ssl'
    case 'ALERT_RECOVERY':
    case 'ALERT_DEGRADED_RECOVERY':
      return 'recovery'
    case 'ALERT_DEGRADED':
    case 'ALERT_DEGRADED_REMAIN':
    case 'ALERT_FAILURE_DEGRADED':
      return 'degraded'
    default:
      return 'failure'
  }
}

const titleOf = (event: AlertEvent, speech: Speech): string => {
  const { text } = speech
  const { checkName: name, reminder, comesBack } = event
  if (event.ssl) return sslTitle(event.ssl, speech)
  if (event.location) return locationTitle(event.location, { isOver: isOver(event), speech })
  if (event.group) return groupTitle(event.group, toldGroup(event, speech))
  if (event.flapping !== null) return flappingTitle(event, speech)
  switch (kindOf(event.alertType)) {
    case 'recovery':
      return text('Check "{0}" has recovered', name)
    case 'degraded':
      if (event.alertType === 'ALERT_FAILURE_DEGRADED')
        return text('Check "{0}" no longer fails but is degraded', name)
      if (reminder === 0) return text('Check "{0}" is degraded', name)
      return comesBack
        ? text('Check "{0}" is still degraded (its snooze is over)', name)
        : text('Check "{0}" is still degraded (reminder {1})', name, reminder)
    default:
      if (reminder === 0) return text('Check "{0}" has failed', name)
      return comesBack
        ? text('Check "{0}" is still failing (its snooze is over)', name)
        : text('Check "{0}" is still failing (reminder {1})', name, reminder)
  }
}

const flappingTitle = ({ checkName: name, flapping, alertType }: AlertEvent, { text }: Speech): string => {
  if (flapping === 'begins') return text('Check "{0}" is flapping', name)
  switch (kindOf(alertType)) {
    case 'recovery':
      return text('Check "{0}" no longer flaps and is well', name)
    case 'degraded':
      return text('Check "{0}" no longer flaps and is degraded', name)
    default:
      return text('Check "{0}" no longer flaps and is failing', name)
  }
}

const sslTitle = (
  { domain, daysRemaining: days }: NonNullable<AlertEvent['ssl']>,
  { text, counted }: Speech,
): string => {
  if (days < 0) return text('SSL certificate of "{0}" has expired', domain)
  if (days === 0) return text('SSL certificate of "{0}" expires today', domain)
  return counted(
    days,
    {
      one: 'SSL certificate of "{0}" expires in # day',
      other: 'SSL certificate of "{0}" expires in # days',
    },
    domain,
  )
}

type Lines = Array<[label: string, value: string | null]>

const subjectFact = (
  { location, group, checkName, checkType }: AlertEvent,
  { text }: Speech,
): Lines[number] => {
  if (group !== null) return [text('Group'), checkName]
  return location === null ? [text('Check'), `${checkName} (${checkType})`] : [text('Location'), checkName]
}

const factsOf = (event: AlertEvent, locationName: string | null, speech: Speech): Message['facts'] => {
  const { text, instant } = speech
  const { apiStatus, ssl } = event
  const facts: Lines = [
    subjectFact(event, speech),
    [text('Could not be delivered'), insteadOfInWords(event)],
    [text('Severity'), severityInWords(event, speech)],
    [text('Certificate of'), ssl === null ? null : ssl.domain],
    [text('Location'), locationName],
    [text('Response time'), event.responseTime === null ? null : `${Math.round(event.responseTime)} ms`],
    [text('Status'), apiStatus === null ? null : `${apiStatus.code} ${apiStatus.text}`.trim()],
    [
      text('Flapping'),
      event.flapping === 'begins'
        ? text('It changes again and again. Nothing more is told until it no longer does.')
        : null,
    ],
    ...courseOf(event, speech),
    [text('Depend on it'), dependentsInWords(event, speech)],
    [text('Started at'), event.location === null && event.group === null ? instant(event.startedAt) : null],
    [text('Answered'), event.response === null ? null : responseInWords(event.response, speech)],
    [text('Group'), event.groupName],
    [text('Tags'), event.tags.length === 0 ? null : event.tags.join(', ')],
  ]
  return facts.flatMap(([label, value]) => (value === null || value === '' ? [] : [{ label, value }]))
}

/** This message goes to the fallback of a channel. */
export const insteadOfInWords = ({ insteadOf }: AlertEvent): string | null =>
  insteadOf === null ? null : `${insteadOf.name}: ${shortened(insteadOf.reason, 300)}`

/** What most are is not said. */
const severityInWords = ({ severity }: AlertEvent, { text }: Speech): string | null => {
  if (severity === 'NORMAL') return null
  return severity === 'CRITICAL' ? text('Critical') : text('Low')
}

/** They may fail, too, and nobody is told of that. */
const dependentsInWords = ({ dependents }: AlertEvent, { counted }: Speech): string | null =>
  dependents === 0
    ? null
    : counted(dependents, {
        one: '# check, which is not told of meanwhile',
        other: '# checks, which are not told of meanwhile',
      })

/** Since when, and how often. */
const courseOf = (event: AlertEvent, { text, counted, instant, duration }: Speech): Lines => {
  const { failingSince: since, streak, at } = event
  if (since === 0 || event.ssl !== null) return []
  const lasted = `${instant(since)} (${duration(at - since)})`
  const late: Lines = event.toldLate
    ? [[text('Told late'), text('The control plane was away; agents went on by themselves.')]]
    : []
  if (isOver(event)) return [[text('Was not well since'), lasted], ...late]
  if (event.location !== null || event.group !== null) return [[text('Since'), lasted]]
  const inRow = kindOf(event.alertType) === 'degraded' ? 'Degraded in a row' : 'Failed in a row'
  return [
    [text('Since'), at - since < 1000 ? instant(since) : lasted],
    [text(inRow), streak === 0 ? null : counted(streak, { one: 'once', other: '# times' })],
    ...late,
  ]
}

/**
 * Why it fails, as far as that is known, and what to do first: for channels that show facts as lines. `code`: how the medium shows what stands in
 * backticks; between quotes where it knows no code.
 */
export const causeFacts = (
  { cause, speech: { text } }: Message,
  code: (text: string) => string = quotedCode,
): Message['facts'] =>
  cause === null
    ? []
    : [
        { label: text('Probable cause'), value: code(shortened(cause.text, 1000)) },
        ...(cause.nextStep === null
          ? []
          : [{ label: text('What to look at first'), value: code(shortened(cause.nextStep, 600)) }]),
      ]

/** What stands in backticks is code. */
export const codeInText = /`([^`]+)`/g
export const quotedCode = (text: string): string => text.replace(codeInText, '"$1"')

/** As the shortest that a receiver takes. */
const longestKey = 255

/** The one incident at a receiver that the failures of a check or a group, or a problem of a location, and their recovery belong to. */
export const incidentKey = ({ gather, event: { checkId, ssl, location, group } }: Message): string => {
  if (gather !== null) return shortened(`watchpost-${gather.replaceAll(' ', '-')}`, longestKey)
  if (group !== null) return `watchpost-group-${group.id}`
  if (location !== null) return `watchpost-location-${location.id}-${location.problem}`
  return ssl === null ? `watchpost-check-${checkId}` : `watchpost-certificate-${checkId}-${ssl.domain}`
}

/** At most `length` characters, never half of a pair. */
export const shortened = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`

/** `Ireland (eu-west-1)`, in the reader's language; a private location by its slug. */
export const locationInWords = (location: string): Content => {
  const name = locationNames[location as PublicLocation]
  return name === undefined ? location : [say(name), ` (${location})`]
}
