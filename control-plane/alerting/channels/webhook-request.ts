/**
 * A webhook's request: templates rendered, each value encoded for its place, the payload signed as it is sent.
 *
 * Encoding of `{{NAME}}`: percent-encoded in the address and in a form, escaped as in a JSON text in JSON, as HTML in any
 * other body; in header values only line breaks go. Query parameters are encoded as a whole.
 */
import { createHmac } from 'node:crypto'
import type { OutgoingRequest } from '../../platform/outgoing/outgoing.ts'
import type { Message } from '../engine/message.ts'
import { type Encoding, render, type World } from '../templates/template.ts'
import { defaultBody } from './webhook-bodies.ts'
import { webhookVariables } from './webhook-variables.ts'

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

export type Making = World & {
  variables: ReadonlyMap<string, string>
  analysis: Readonly<Record<string, string>>
}

const plain: Encoding = (text) => text
const withinJson: Encoding = (text) => JSON.stringify(text).slice(1, -1)
const withinHtml: Encoding = (text) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
const withinUrl: Encoding = (text) => encodeURIComponent(text.toWellFormed())

/** @throws TemplateError */
export const webhookRequest = (message: Message, config: WebhookConfig, making: Making): OutgoingRequest => {
  const context = {
    ...Object.fromEntries(making.variables),
    ...webhookVariables(message),
    ...making.analysis,
  }
  const fill = (text: string, encode: Encoding, startIsRaw = false): string =>
    render(text, context, { encode, startIsRaw, world: making })
  const method = config.method ?? 'POST'
  const { url, credentials } = withoutCredentials(
    withParameters(
      fill(config.url, withinUrl, true),
      (config.queryParameters ?? []).map(({ key, value }) => ({ key, value: fill(value, plain) })),
    ),
  )
  const body = method === 'GET' || method === 'HEAD' ? null : bodyOf(message, config, fill)
  const headers: Record<string, string> = {
    'user-agent': 'Watchpost',
    ...(body ? { 'content-type': body.contentType } : {}),
    ...(credentials === null ? {} : { authorization: credentials }),
    ...Object.fromEntries(
      (config.headers ?? []).map(({ key, value }) => [
        key.toLowerCase(),
        fill(value, plain).replace(/[\r\n\0]+/g, ' '),
      ]),
    ),
    'x-service-timestamp': String(making.now),
    'x-service-notification-id': message.id,
  }
  const secret = config.webhookSecret === undefined ? '' : fill(config.webhookSecret, plain)
  if (secret !== '')
    headers['x-service-signature'] = createHmac('sha256', secret)
      .update(body?.payload ?? '')
      .digest('hex')
  return { method, url, headers, ...(body ? { body: body.payload } : {}) }
}

type Fill = (text: string, encode: Encoding) => string

const bodyOf = (message: Message, { template = '', webhookType }: WebhookConfig, fill: Fill) => {
  if (template.trim() === '') return defaultBody(message, webhookType)
  const contentType = contentTypeOf(template)
  const encode = encodingOf(contentType, webhookType)
  return { contentType, payload: fill(template, encode) }
}

const form = 'application/x-www-form-urlencoded'

const encodingOf = (contentType: string, webhookType: string | undefined): Encoding => {
  if (contentType === 'application/json') return withinJson
  if (contentType !== form) return withinHtml
  // Telegram reads HTML out of the form.
  return webhookType === 'WEBHOOK_TELEGRAM' ? (text) => withinUrl(withinHtml(text)) : withinUrl
}

/** By how the template begins, so that it does not change with the values. */
const contentTypeOf = (template: string): string => {
  const start = template.trimStart().replace(/^(\{\{[#/!~^][^}]*\}\}\s*)+/, '')
  if (/^(\{(?!\{)|\[)/.test(start)) return 'application/json'
  return /^[\w.%[\]-]+=/.test(start) ? form : 'text/plain; charset=utf-8'
}

const withParameters = (url: string, parameters: Field[]): string => {
  if (parameters.length === 0) return url
  const [address = '', fragment] = url.split('#', 2)
  const query = parameters.map(({ key, value }) => `${withinUrl(key)}=${withinUrl(value)}`).join('&')
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
