/** A webhook's request: its parts put together, the payload signed as it is sent. */
import { createHmac } from 'node:crypto'
import { uriEncode } from '../../../protocol/templates/encodings.ts'
import type { OutgoingRequest } from '../../platform/services/outgoing/outgoing.ts'
import type { Message } from '../messages/message.ts'
import type { TemplateValues } from './delivery.ts'
import { fallbackParts, noticeOf } from './webhook-fallback.ts'
import { type FilledField, type FilledParts, filledParts } from './webhook-parts.ts'

type Field = { key: string; value: string }

export type WebhookConfig = {
  url: string
  method?: OutgoingRequest['method']
  template?: string
  webhookType?: string
  webhookSecret?: string
  headers?: Field[]
  queryParameters?: Field[]
}

/**
 * `notice`: why this is not what the channel's templates say; null: it is. `filled`: the channel's config as it was filled in;
 * what is secret in it is secret in this form, too.
 */
type WebhookRequest = { request: OutgoingRequest; notice: string | null; filled: WebhookConfig }

type HidingFilling = TemplateValues & { hide(text: string): string }

/** @throws TemplateError when nobody can know where the request goes */
export const webhookRequest = async (
  message: Message,
  config: WebhookConfig,
  filling: HidingFilling,
): Promise<WebhookRequest> => {
  const parts = await filledParts(message, config, filling)
  const { url, faults } = parts
  if (url !== null && faults.length === 0) {
    const whole = { ...parts, url }
    const request = requestOf(whole, { message, config, filling })
    return { request, notice: null, filled: filledConfig(config, whole) }
  }
  const notice = filling.hide(noticeOf(faults))
  const noticed = { ...message, notice }
  const instead = await fallbackParts(noticed, config, { parts, filling })
  const request = requestOf(instead, { message: noticed, config, filling })
  return { request, notice, filled: filledConfig(config, { ...parts, url: instead.url }) }
}

const filledConfig = (config: WebhookConfig, parts: FilledParts & { url: string }): WebhookConfig => {
  const values = (list: 'headers' | 'queryParameters'): Field[] =>
    (config[list] ?? []).map((field, position) => ({
      ...field,
      value: parts[list][position]?.value ?? field.value,
    }))
  return {
    ...config,
    url: withParameters(parts.url, known(parts.queryParameters)),
    headers: values('headers'),
    queryParameters: values('queryParameters'),
    ...(parts.secret ? { webhookSecret: parts.secret } : {}),
  }
}

type RequestParts = { message: Message; config: WebhookConfig; filling: TemplateValues }

const requestOf = (
  parts: FilledParts & { url: string },
  { message, config, filling }: RequestParts,
): OutgoingRequest => {
  const { body, secret } = parts
  const { url, credentials } = withoutCredentials(withParameters(parts.url, known(parts.queryParameters)))
  const own = known(parts.headers).map(({ key, value }) => [
    key.toLowerCase(),
    value.replace(/[\r\n\0]+/g, ' '),
  ])
  const headers: Record<string, string> = {
    'user-agent': 'Watchpost',
    ...(body ? { 'content-type': body.contentType } : {}),
    ...(credentials === null ? {} : { authorization: credentials }),
    ...Object.fromEntries(own),
    'x-service-timestamp': String(filling.now),
    'x-service-notification-id': message.id,
    ...(secret ? { 'x-service-signature': signatureOf(body?.payload ?? '', secret) } : {}),
  }
  return { method: config.method ?? 'POST', url, headers, ...(body ? { body: body.payload } : {}) }
}

const known = (fields: FilledField[]): Field[] =>
  fields.flatMap(({ key, value }) => (value === null ? [] : [{ key, value }]))

const signatureOf = (payload: string, secret: string): string =>
  createHmac('sha256', secret).update(payload).digest('hex')

const withParameters = (url: string, parameters: Field[]): string => {
  if (parameters.length === 0) return url
  const [address = '', fragment] = url.split('#', 2)
  const query = parameters.map(({ key, value }) => `${uriEncode(key)}=${uriEncode(value)}`).join('&')
  const joined = `${address}${address.includes('?') ? '&' : '?'}${query}`
  return fragment === undefined ? joined : `${joined}#${fragment}`
}

/** A user name and password in the address are sent as what they mean. */
const withoutCredentials = (text: string): { url: string; credentials: string | null } => {
  const url = URL.parse(text)
  if (url === null || (url.username === '' && url.password === '')) return { url: text, credentials: null }
  const pair = `${decoded(url.username)}:${decoded(url.password)}`
  url.username = ''
  url.password = ''
  return { url: url.href, credentials: `Basic ${Buffer.from(pair).toString('base64')}` }
}

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
