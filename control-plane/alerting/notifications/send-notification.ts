/** One try to tell one channel of one event. Never throws: what went wrong is part of the outcome. */

import type { App } from '../../platform/app/app.ts'
import type { HasMail } from '../../platform/services/mail/mail.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import { hideSecrets } from '../../platform/services/secrets/hide-secrets.ts'
import type { HasLocales } from '../../platform/web/html/locales.ts'
import { type Speech, speechOf } from '../../platform/web/html/speech.ts'
import { DeliveryError } from '../channels/delivery.ts'
import { channels } from '../channels/index.ts'
import { type HasProviders, secretsOfProviders } from '../channels/providers.ts'
import type { AlertEvent } from '../messages/alert-event.ts'
import { alertLink, alertLinkDays } from '../messages/alert-link.ts'
import { type Message, messageOf } from '../messages/message.ts'
import { manyOf, messageOfMany } from '../messages/message-of-many.ts'
import { linkOfEvent } from '../messages/result-link.ts'
import type { AlertAnalysis, HasAnalyses, HasGroupVariables } from '../templates/asked-of-others.ts'
import { textFiller } from '../templates/fill-texts.ts'
import { TemplateError } from '../templates/template-error.ts'
import { analysisInTime } from './analysis-in-time.ts'
import type { Bundle } from './bundle.ts'
import { type ChannelContext, type ContextKey, channelContext } from './channel-context.ts'
import type { TryOutcome } from './next-try.ts'

/** What messages are made of, and the ways that they leave by. */
export type SendingApp = App &
  HasAnalyses &
  HasCipher &
  HasGroupVariables &
  HasLocales &
  HasMail &
  HasOutgoing &
  HasProviders &
  HasRandomBytes

type NotificationToSend = {
  /** Of the notification. */
  id: string
  accountId: string
  channelId: number
  event: AlertEvent
  /** What the message names beside it. */
  bundle: Bundle | null
  /** Parts that earlier tries delivered. */
  delivered: readonly string[]
}

/** `text`: what the receiver answered or what went wrong, without secrets. */
export type SendOutcome = { tried: TryOutcome; text: string; delivered: readonly string[] }

const maxTextLength = 1000
/** As analyses are stored. */
const maxCauseLength = 8000

/** `contextOf`: where the channel's context comes from, if it has been read before. */
export const sendNotification = async (
  app: SendingApp,
  sending: NotificationToSend,
  contextOf = (asked: ContextKey): Promise<ChannelContext> => channelContext(app, asked),
): Promise<SendOutcome> => {
  const { accountId, channelId, event } = sending
  let context: ChannelContext | null = null
  try {
    context = await contextOf({ accountId, channelId, groupId: event.groupId })
    const text = await send(app, sending, context)
    return { tried: { ok: true }, text: shown(app, text, context), delivered: [] }
  } catch (error) {
    return failed(app, { error, sending, context })
  }
}

const send = async (
  app: SendingApp,
  { id, accountId, channelId, event, bundle, delivered }: NotificationToSend,
  context: ChannelContext,
): Promise<string> => {
  const { type, config, variables, language } = context
  const { showsCause = false, send: deliver } = channels[type]
  const speech = speechOf(app, language)
  const many = bundle === null ? null : manyOf(bundle)
  const analysis = showsCause && many === null ? await analysisInTime(app, event) : null
  const message =
    many === null
      ? messageOf(event, {
          id,
          gather: bundle?.gather ?? null,
          link: linkOfEvent(app, event),
          answerLink: alertLink(app, {
            alertId: event.checkAlertId,
            channelId,
            expiresAt: event.at + linkMs,
          }),
          cause: causeOf(analysis, speech),
          speech,
        })
      : messageOfMany(many, { id, link: `${app.config.baseUrl}/app/checks`, speech })
  return deliver(message, config, {
    outgoing: app.outgoing,
    mail: app.mail,
    providers: app.config.providers,
    now: app.clock.now(),
    fillTexts: textFiller(app, { key: accountId }),
    variables,
    analysis: analysis?.fields ?? {},
    delivered,
    hide: context.hide,
  })
}

const linkMs = alertLinkDays * 86_400_000

/** In the reader's language where it is of our rules, as it was written where it is of others. */
const causeOf = (analysis: AlertAnalysis | null, { told: say }: Speech): Message['cause'] => {
  const { AI_ANALYSIS_ROOT_CAUSE: text, AI_ANALYSIS_CODE_FIX: nextStep } = analysis?.fields ?? {}
  if (text === undefined) return null
  const told = analysis?.told ?? null
  return told === null
    ? { text, nextStep: nextStep || null }
    : { text: told.rootCause.map(say).join(' ').slice(0, maxCauseLength), nextStep: say(told.codeFix) }
}

type Failure = { error: unknown; sending: NotificationToSend; context: ChannelContext | null }

const failed = (app: App & HasProviders, { error, sending, context }: Failure): SendOutcome => {
  if (error instanceof DeliveryError) {
    const { permanent, retryAfterMs, message } = error
    const delivered = error.delivered.length > 0 ? error.delivered : sending.delivered
    return { tried: { ok: false, permanent, retryAfterMs }, text: shown(app, message, context), delivered }
  }
  const { delivered } = sending
  if (error instanceof TemplateError) {
    const text = shown(app, `A template of the channel cannot be filled in: ${error.message}`, context)
    return { tried: { ok: false, permanent: true, retryAfterMs: null }, text, delivered }
  }
  app.log.error({ err: error, notificationId: sending.id }, 'A notification failed; it will be tried again')
  const text = 'The notification could not be sent: an internal error'
  return { tried: { ok: false, permanent: false, retryAfterMs: null }, text, delivered }
}

/** NUL and lone surrogates cannot be stored everywhere. */
const shown = (app: App & HasProviders, text: string, context: ChannelContext | null): string =>
  (context?.hide(text) ?? hideSecrets(text, secretsOfProviders(app.config.providers)))
    .slice(0, maxTextLength)
    .replaceAll('\0', '')
    .toWellFormed()
