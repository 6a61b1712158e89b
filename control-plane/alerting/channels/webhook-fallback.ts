/**
 * What a webhook sends when one of its templates cannot be filled in: the body that it would have without a template,
 * which says so, and every other part without what failed. An alert is not lost to its own wording. Pure.
 */
import { uriEncode } from '../../../protocol/templates/encodings.ts'
import { fillTags } from '../../../protocol/templates/tags.ts'
import type { Message } from '../engine/message.ts'
import { type Encoding, TemplateError } from '../templates/template.ts'
import type { TemplateFault } from './channel-type.ts'
import type { TemplateValues } from './delivery.ts'
import { type Body, defaultBody } from './webhook-bodies.ts'
import { type Fill, type FilledParts, fillWith } from './webhook-parts.ts'
import type { WebhookConfig } from './webhook-request.ts'

const mostNamed = 3

/** For people: which templates failed, and what was done about it. */
export const noticeOf = (faults: readonly TemplateFault[]): string => {
  const named = faults.slice(0, mostNamed).map(({ name, message }) => `${name} (${message})`)
  const more = faults.length > mostNamed ? ` and ${faults.length - mostNamed} more` : ''
  return `The alert channel's template cannot be filled in for ${named.join(', ')}${more}: the alert is sent in its default form.`
}

/** @throws TemplateError when even the host cannot be known */
export const fallbackParts = (
  message: Message,
  config: WebhookConfig,
  { parts, filling }: { parts: FilledParts; filling: TemplateValues },
): FilledParts & { url: string } => {
  const fill = fillWith(message, filling)
  const hasBody = config.method !== 'GET' && config.method !== 'HEAD'
  return {
    ...parts,
    url: parts.url ?? addressWithoutFaults(config.url, fill, parts.faults),
    // What the channel says of its own body's type is not true of this one.
    headers: parts.headers.filter(({ key }) => key.toLowerCase() !== 'content-type'),
    body: hasBody ? fallbackBody(message, config, fill) : null,
  }
}

/** A bot of Telegram sends to the chat that the template names. */
const fallbackBody = (message: Message, { template = '', webhookType }: WebhookConfig, fill: Fill): Body => {
  const body = defaultBody(message, webhookType)
  if (webhookType !== 'WEBHOOK_TELEGRAM') return body
  const chat = [...template.matchAll(/(?:^|&)\s*((?:chat_id|message_thread_id)=[^&\s]*)/g)]
  const fields = chat.map(([, field = '']) => filledTags(field, uriEncode, fill).text)
  return { ...body, payload: [body.payload, ...fields].join('&') }
}

const wholeOrigin = /^https?:\/\/[^/?#\\]+[/?#]/

/** Only what comes behind the host may be missing: nobody else is told of the alert. */
const addressWithoutFaults = (address: string, fill: Fill, faults: readonly TemplateFault[]): string => {
  const { text, faultAt } = filledTags(address, uriEncode, fill)
  const before = faultAt === null ? text : filledTags(address.slice(0, faultAt), uriEncode, fill).text
  const readable = (part: string): string => part.split('{{')[0] ?? ''
  if (wholeOrigin.test(readable(before))) return readable(text)
  const [{ message } = { message: 'it names no host' }] = faults.filter(({ field }) => field === 'url')
  throw new TemplateError(`the address names no host without it: ${message}`)
}

/** Each tag by itself; those that cannot be filled in are left out. `faultAt`: where the first of them stands. */
const filledTags = (
  template: string,
  encode: Encoding,
  fill: Fill,
): { text: string; faultAt: number | null } => {
  let faultAt: number | null = null
  const text = fillTags(template, ({ written, index }) => {
    try {
      return fill(written, encode, index === 0)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      faultAt ??= index
      return ''
    }
  })
  return { text, faultAt }
}
