/** An event in words: what every channel shows, each in its own form. Pure. */
import type { PublicLocation } from '../../../protocol/location.ts'
import { durationInWords, instantInWords } from '../../platform/services/mail/dates.ts'
import type { AlertEvent } from './alert-event.ts'
import { responseInWords } from './alert-response.ts'
import type { AlertType } from './alert-types.ts'
import { locationNames } from './location-names.ts'
import { reasonInWords } from './reason.ts'

export type MessageKind = 'failure' | 'degraded' | 'recovery' | 'ssl'

export type Message = {
  /** Of the notification: the same for every try, so that receivers can tell copies. */
  id: string
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
}

type MessageLinks = { id: string; link: string; answerLink?: string; cause?: Message['cause'] }

export const messageOf = (
  event: AlertEvent,
  { id, link, answerLink, cause = null }: MessageLinks,
): Message => {
  const { runLocation } = event
  const locationName =
    runLocation === null ? null : (locationNames[runLocation as PublicLocation] ?? runLocation)
  return {
    id,
    event,
    kind: kindOf(event.alertType),
    title: titleOf(event),
    reason: isOver(event) || event.errorMessage === null ? null : reasonInWords(event.errorMessage),
    link,
    answerLink: isAnswerable(event) ? (answerLink ?? null) : null,
    cause: isAnswerable(event) ? cause : null,
    locationName,
    facts: factsOf(event, locationName),
    notice: null,
  }
}

const isOver = ({ alertType }: AlertEvent): boolean => kindOf(alertType) === 'recovery'

const isAnswerable = ({ alertType }: AlertEvent): boolean =>
  kindOf(alertType) === 'failure' || kindOf(alertType) === 'degraded'

const kindOf = (alertType: AlertType): MessageKind => {
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

const titleOf = (event: AlertEvent): string => {
  const check = `Check "${event.checkName}"`
  const again = event.comesBack ? ' (its snooze is over)' : ` (reminder ${event.reminder})`
  if (event.ssl) return sslTitle(event.ssl)
  switch (kindOf(event.alertType)) {
    case 'recovery':
      return `${check} has recovered`
    case 'degraded':
      if (event.alertType === 'ALERT_FAILURE_DEGRADED') return `${check} no longer fails but is degraded`
      return event.reminder > 0 ? `${check} is still degraded${again}` : `${check} is degraded`
    default:
      return event.reminder > 0 ? `${check} is still failing${again}` : `${check} has failed`
  }
}

const sslTitle = ({ domain, daysRemaining: days }: NonNullable<AlertEvent['ssl']>): string => {
  const certificate = `SSL certificate of "${domain}"`
  if (days < 0) return `${certificate} has expired`
  if (days === 0) return `${certificate} expires today`
  return `${certificate} expires in ${days} ${days === 1 ? 'day' : 'days'}`
}

const factsOf = (event: AlertEvent, locationName: string | null): Message['facts'] => {
  const { apiStatus, ssl } = event
  const facts: Array<[string, string | null]> = [
    ['Check', `${event.checkName} (${event.checkType})`],
    ['Certificate of', ssl === null ? null : ssl.domain],
    ['Location', locationName],
    ['Response time', event.responseTime === null ? null : `${Math.round(event.responseTime)} ms`],
    ['Status', apiStatus === null ? null : `${apiStatus.code} ${apiStatus.text}`.trim()],
    ...courseOf(event),
    ['Started at', instantInWords(event.startedAt)],
    ['Answered', event.response === null ? null : `${responseInWords(event.response)}`],
    ['Group', event.groupName],
    ['Tags', event.tags.length === 0 ? null : event.tags.join(', ')],
  ]
  return facts.flatMap(([label, value]) => (value === null || value === '' ? [] : [{ label, value }]))
}

/** Since when, and how often. */
const courseOf = (event: AlertEvent): Array<[string, string | null]> => {
  const { failingSince: since, streak, at } = event
  if (since === 0 || event.ssl !== null) return []
  const lasted = `${instantInWords(since)} (${durationInWords(at - since)})`
  const late: Array<[string, string | null]> = event.toldLate
    ? [['Told late', 'The control plane was away; agents went on by themselves.']]
    : []
  if (kindOf(event.alertType) === 'recovery') return [['Was not well since', lasted], ...late]
  const what = kindOf(event.alertType) === 'degraded' ? 'Degraded' : 'Failed'
  return [
    ['Since', at - since < 1000 ? instantInWords(since) : lasted],
    [`${what} in a row`, streak === 0 ? null : streak === 1 ? 'once' : `${streak} times`],
    ...late,
  ]
}

/** Why it fails, as far as that is known, and what to do first: for channels that show facts as lines. */
export const causeFacts = ({ cause }: Message): Message['facts'] =>
  cause === null
    ? []
    : [
        { label: 'Probable cause', value: shortened(cause.text, 1000) },
        ...(cause.nextStep === null
          ? []
          : [{ label: 'What to look at first', value: shortened(cause.nextStep, 600) }]),
      ]

/** The one incident at a receiver that a check's failures, and their recovery, belong to. */
export const incidentKey = ({ event }: Message): string =>
  event.ssl === null
    ? `watchpost-check-${event.checkId}`
    : `watchpost-certificate-${event.checkId}-${event.ssl.domain}`

/** At most `length` characters, never half of a pair. */
export const shortened = (text: string, length: number): string =>
  text.length <= length
    ? text
    : `${text
        .slice(0, length - 1)
        .toWellFormed()
        .replace(/\uFFFD$/, '')}…`
