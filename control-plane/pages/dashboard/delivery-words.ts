/** What has become of a message to a channel, as it is. Pure. */
import type { AlertNotification } from '../../alerting/notifications/schema.ts'
import { type Content, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { clock } from './parts.ts'

type Message = Pick<
  AlertNotification,
  'status' | 'tries' | 'mostTries' | 'nextTryAt' | 'waitsUntil' | 'toldWith' | 'toldInstead'
>

export const deliveryWords = ({
  status,
  tries,
  mostTries,
  nextTryAt,
  waitsUntil,
  toldWith,
  toldInstead,
}: Message): Content => {
  if (status === 'SUCCESS') return say('Delivered')
  if (status === 'WITHDRAWN') return say('Not sent')
  if (nextTryAt === null && toldInstead !== null)
    return html`Given up after ${tries} of ${mostTries} tries; <a href="/app/channels/${toldInstead}">its fallback</a> was told instead`
  if (nextTryAt === null) return html`Given up after ${tries} of ${mostTries} tries`
  const at = html`${clock(Date.parse(nextTryAt), true)} <span data-zone>UTC</span>`
  if (waitsUntil !== null && toldWith !== null)
    return html`Waits to be told together with others, until ${at}`
  if (waitsUntil !== null) return html`Waits for the hours of the channel, until ${at}`
  if (status === 'RATE_LIMITED') return html`The receiver asked for a pause: tried again at ${at}`
  if (tries === 0) return say('On its way')
  return html`Tried again at ${at}, try ${tries + 1} of ${mostTries}`
}
