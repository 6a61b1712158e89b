/**
 * The texts of a webhook's config filled in, each encoded for its place: percent-encoded in the address and in a form,
 * escaped as in a JSON text in JSON, as HTML in any other body; in header values only line breaks go. Query parameters
 * are encoded as a whole. A template that cannot be filled in is a fault, and its part null. Pure but for its world.
 */
import { escapeHtml } from '../../../protocol/escape-html.ts'
import { uriEncode } from '../../../protocol/templates/encodings.ts'
import type { Message } from '../engine/message.ts'
import { createTemplateMeter, type Encoding, render, TemplateError } from '../templates/template.ts'
import type { TemplateFault } from './channel-type.ts'
import type { TemplateValues } from './delivery.ts'
import { type Body, defaultBody } from './webhook-bodies.ts'
import type { WebhookConfig } from './webhook-request.ts'
import { webhookVariables } from './webhook-variables.ts'

export type FilledField = { key: string; value: string | null }

export type FilledParts = {
  url: string | null
  body: Body | null
  headers: FilledField[]
  queryParameters: FilledField[]
  /** Empty: deliveries are not signed. */
  secret: string | null
  faults: TemplateFault[]
}

const plain: Encoding = (text) => text
const withinJson: Encoding = (text) => JSON.stringify(text).slice(1, -1)

/** A text of the config, and where its values go. @throws TemplateError */
export type Fill = (text: string, encode: Encoding, startIsRaw?: boolean) => string

export const fillWith = (message: Message, filling: TemplateValues): Fill => {
  const context = {
    ...Object.fromEntries(filling.variables),
    ...webhookVariables(message),
    ...filling.analysis,
  }
  const meter = createTemplateMeter()
  return (text, encode, startIsRaw = false) =>
    render(text, context, { encode, startIsRaw, world: filling, meter })
}

export const filledParts = (
  message: Message,
  config: WebhookConfig,
  filling: TemplateValues,
): FilledParts => {
  const fill = fillWith(message, filling)
  const faults: TemplateFault[] = []
  const part = <T>(field: string, name: string, make: () => T): T | null => {
    try {
      return make()
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      faults.push({ field, name, message: error.message })
      return null
    }
  }
  const values = (list: 'headers' | 'queryParameters', called: string): FilledField[] =>
    (config[list] ?? []).map(({ key, value }, position) => ({
      key,
      value: part(`${list}.${position}.value`, `the ${called} ${key}`, () => fill(value, plain)),
    }))
  return {
    url: part('url', 'the address', () => fill(config.url, uriEncode, true)),
    body: part('template', 'the body', () => bodyOf(message, config, fill)),
    headers: values('headers', 'header'),
    queryParameters: values('queryParameters', 'query parameter'),
    secret: part('webhookSecret', 'the secret', () => fill(config.webhookSecret ?? '', plain)),
    faults,
  }
}

const bodyOf = (message: Message, config: WebhookConfig, fill: Fill): Body | null => {
  const { method, template = '', webhookType } = config
  if (method === 'GET' || method === 'HEAD') return null
  if (template.trim() === '') return defaultBody(message, webhookType)
  const contentType = contentTypeOf(template)
  return { contentType, payload: fill(template, encodingOf(contentType, webhookType)) }
}

const form = 'application/x-www-form-urlencoded'

const encodingOf = (contentType: string, webhookType: string | undefined): Encoding => {
  if (contentType === 'application/json') return withinJson
  if (contentType !== form) return escapeHtml
  // Telegram reads HTML out of the form.
  return webhookType === 'WEBHOOK_TELEGRAM' ? (text) => uriEncode(escapeHtml(text)) : uriEncode
}

/** By how the template begins, so that it does not change with the values. */
const contentTypeOf = (template: string): string => {
  const start = template.trimStart().replace(/^(\{\{[#/!~^][^}]*\}\}\s*)+/, '')
  if (/^(\{(?!\{)|\[)/.test(start)) return 'application/json'
  return /^[\w.%[\]-]+=/.test(start) ? form : 'text/plain; charset=utf-8'
}
