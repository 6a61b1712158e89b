/** Buttons of the Slack app: signed by Slack, they name the alert by the token of its link, and say who pressed them. */

import type { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import { compile } from '../../../protocol/validate.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import { openAlertToken } from '../../alerting/messages/alert-link.ts'
import { type AlertAction, respondToAlert } from '../../monitoring/watches/alert-states/respond-to-alert.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import type { HasCipher } from '../../platform/services/secrets/cipher.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { instantInWords } from '../../platform/words/dates.ts'
import { ApiError, notFound } from '../../platform/words/errors.ts'
import { readAlert } from './read-alert.ts'
import { isSignatureOf, slackSignature } from './slack-signature.ts'

/** A press comes with the whole message: of ours some ten thousand characters at most (slack-message.ts), of up to nine bytes each in a form. */
const maxBytes = 128 * 1024
/** Slack waits three seconds for us. */
const answerMs = 2000

const Press = Type.Object({
  user: Type.Object({
    id: Type.String(),
    name: Type.Optional(Type.String()),
    username: Type.Optional(Type.String()),
  }),
  response_url: Type.Optional(Type.String()),
  actions: Type.Array(Type.Object({ action_id: Type.String(), value: Type.Optional(Type.String()) }), {
    minItems: 1,
  }),
})
type Press = Static<typeof Press>
const readPress = compile(Press)

const press = route({
  method: 'POST',
  path: '/integrations/slack/actions',
  access: 'PUBLIC',
  tag: 'Check alerts',
  summary: 'Buttons of the Slack app',
  description:
    'For Slack: the interactivity URL of the app whose signing secret is `SLACK_APP_SIGNING_SECRET`. Refuses what Slack has not signed, and ' +
    'what was signed more than 5 minutes ago.',
  upload: 'application/x-www-form-urlencoded',
  requestHeaders: {
    'x-slack-signature': 'Of the time and the body, as Slack makes it',
    'x-slack-request-timestamp': 'Seconds since 1970',
  },
  status: 204,
  otherStatuses: {
    400: 'It is no press of a button',
    401: 'Slack has not signed it, or long ago',
    404: 'No signing secret is set',
    413: 'It is larger than Slack sends',
  },
  handle: async ({ upload, headers }, app: App & HasProviders & HasCipher & HasOutgoing & HasWakeups) => {
    const secret = app.config.providers.slackSigningSecret
    if (secret === null) throw notFound()
    const signature = slackSignature(headers, app.clock.now())
    if (signature === null) throw notSigned()
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
    const body = await bytesOf(upload)
    if (!isSignatureOf(signature, body, secret)) throw notSigned()
    await answer(app, pressIn(body))
  },
})

const bytesOf = async (upload: Readable): Promise<Buffer> => {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of upload as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const notSigned = () => new ApiError(401, 'The request is not signed by Slack')
const tooLarge = () => new ApiError(413, 'The request is too large')
const notAPress = () => new ApiError(400, 'The request is no press of a button')

const pressIn = (body: Buffer): Press => {
  let payload: unknown
  try {
    payload = JSON.parse(new URLSearchParams(body.toString()).get('payload') ?? '')
  } catch {
    throw notAPress()
  }
  const read = readPress(payload)
  if (!read.ok) throw notAPress()
  return read.value
}

const answer = async (
  app: App & HasCipher & HasOutgoing & HasWakeups & HasProviders,
  { user, actions, response_url: url }: Press,
): Promise<void> => {
  const [pressed] = actions
  const now = app.clock.now()
  const action = actionOf(pressed?.action_id ?? '', now)
  // A button that is a link: Slack tells of it, and the page that it opens acts.
  if (action === null) return
  const linked = openAlertToken(app, pressed?.value ?? '')
  const found = linked === undefined || linked.expiresAt <= now ? undefined : await readAlert(app, linked)
  const by = `${user.name ?? user.username ?? user.id} (Slack)`.slice(0, 200)
  const done = found && (await respondToAlert(app, found, { action, by, via: 'SLACK' }))
  await tell(app, url, sentence(done?.response ?? null, found?.facts.checkName))
}

const actionOf = (name: string, now: number): AlertAction | null => {
  if (name === 'acknowledge') return { kind: 'acknowledge' }
  const minutes = /^snooze-(\d{1,4})$/.exec(name)?.[1]
  return minutes === undefined || Number(minutes) === 0
    ? null
    : { kind: 'snooze', until: now + Number(minutes) * 60_000 }
}

const sentence = (response: { until: number | null; by: string } | null, name = 'The check'): string => {
  if (response === null)
    return 'There is nothing to answer any more: the check has recovered, or the alert is an older one.'
  const { until, by } = response
  return until === null
    ? `"${name}" is acknowledged by ${by}: no more reminders until it recovers.`
    : `"${name}" is snoozed by ${by} until ${instantInWords(until)}.`
}

/** Where Slack asked to be told. That it was not told changes nothing of what was done. */
const tell = async (
  { outgoing, log }: App & HasOutgoing & HasProviders,
  url: string | undefined,
  text: string,
): Promise<void> => {
  if (url === undefined) return
  const body = JSON.stringify({ replace_original: false, response_type: 'in_channel', text: escaped(text) })
  try {
    await outgoing.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json' },
      body,
      timeoutMs: answerMs,
      partialBody: true,
    })
  } catch (error) {
    log.warn({ err: error }, 'Slack was not told what a button did')
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

export const slackActionRoutes: Route<App & HasCipher & HasOutgoing & HasProviders & HasWakeups>[] = [press]
