/**
 * What a channel is given to send with, and how it says that it could not. A delivery that resolves was accepted by the
 * receiver; its text says what the receiver answered. Everything else is a `DeliveryError`, which says what to do next:
 * stop (`permanent`), wait as long as the receiver asked (`retryAfterMs`), or simply try again.
 */
import type { Mail } from '../../platform/services/mail/mail.ts'
import type { Outgoing, OutgoingAnswer, OutgoingRequest } from '../../platform/services/outgoing/outgoing.ts'
import { OutgoingError } from '../../platform/services/outgoing/outgoing-error.ts'
import type { FillTexts } from '../templates/fill-texts.ts'
import type { Providers } from './providers.ts'

/** What templates are filled in with, beside the message. */
export type TemplateValues = {
  now: number
  fillTexts: FillTexts
  /** Of account and group, in clear. */
  variables: ReadonlyMap<string, string>
  /** Fields for templates from the analysis of the error, if one is done. */
  analysis: Readonly<Record<string, string>>
}

export type Deps = TemplateValues & {
  outgoing: Outgoing
  mail: Mail
  providers: Providers
  /** Parts of this notification that earlier tries have delivered. */
  delivered: readonly string[]
  /** The text without the channel's secrets and these: what a receiver answered, before it is cut. */
  hide(text: string, more?: readonly string[]): string
}

export class DeliveryError extends Error {
  readonly permanent: boolean
  /** The receiver asked to be left alone for so long. */
  readonly retryAfterMs: number | null
  /** Parts that need not be sent again. */
  readonly delivered: readonly string[]
  constructor(
    message: string,
    more: {
      permanent?: boolean
      retryAfterMs?: number | null
      delivered?: readonly string[]
      cause?: unknown
    } = {},
  ) {
    super(message, more.cause === undefined ? {} : { cause: more.cause })
    this.name = 'DeliveryError'
    this.permanent = more.permanent ?? false
    this.retryAfterMs = more.retryAfterMs ?? null
    this.delivered = more.delivered ?? []
  }
}

const timeoutMs = 10_000
const shownBytes = 500
/** The longest wait, whatever a receiver asks for. */
const longestPauseMs = 60 * 60 * 1000

type Judgement = {
  /** Statuses from 400 that will be the same the next time. */
  permanent(status: number): boolean
}

/** A request that the receiver will never accept, but for what passes with time: 408, 425, 429. */
export const providerJudgement: Judgement = {
  permanent: (status) => status < 500 && ![408, 425, 429].includes(status),
}

/** A webhook may be on its way to being set up: every status from 400 is tried again. */
export const webhookJudgement: Judgement = { permanent: () => false }

type ReceiverAnswer = { status: number; body: string; text: string }

/** Sends one request and judges the status. @throws DeliveryError */
export const deliver = async (
  { outgoing, now, hide }: Pick<Deps, 'outgoing' | 'now' | 'hide'>,
  request: OutgoingRequest,
  judgement: Judgement,
): Promise<ReceiverAnswer> => {
  const answer = await outgoing
    .request({ timeoutMs, ...request, maxBytes: 64 * 1024, partialBody: true })
    .catch((error: unknown) => {
      if (!(error instanceof OutgoingError)) throw error
      throw new DeliveryError(error.message, { permanent: error.permanent, cause: error })
    })
  const { status } = answer
  const body = answer.body.toString('utf8')
  const shown = hide(body, redirectedTo(answer, request.url)).slice(0, shownBytes)
  const text = `HTTP ${status}${body === '' ? '' : `: ${shown}`}`
  if (status >= 200 && status < 300) return { status, body, text }
  if (status < 400)
    throw new DeliveryError(`${text} (redirects are not followed: give the address that it points to)`, {
      permanent: true,
    })
  const retryAfterMs = pauseAsked(answer, now)
  throw new DeliveryError(text, {
    permanent: retryAfterMs === null && judgement.permanent(status),
    retryAfterMs,
  })
}

/** Where a receiver has moved to is as secret as where it was, and a redirect says it in its page, too. */
const redirectedTo = ({ status, headers: { location } }: OutgoingAnswer, from: string): string[] => {
  if (status < 300 || status >= 400 || typeof location !== 'string') return []
  return [location, URL.parse(location, from)?.href ?? location]
}

/** RFC 9110 section 10.2.3: seconds or a date; heard on 429 and 503. */
const pauseAsked = ({ status, headers }: OutgoingAnswer, now: number): number | null => {
  const asked = headers['retry-after']
  if ((status !== 429 && status !== 503) || typeof asked !== 'string') return null
  const ms = /^\s*\d{1,9}\s*$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - now
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), longestPauseMs)
}

/** @throws DeliveryError naming the variable */
export const requireProvider = <T>(provider: T | null, variable: string): T => {
  if (provider === null)
    throw new DeliveryError(`${variable} is not set: the operator has no provider for this channel`, {
      permanent: true,
    })
  return provider
}
