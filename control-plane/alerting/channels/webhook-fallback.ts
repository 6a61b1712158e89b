/**
 * What a webhook sends when one of its templates cannot be filled in: the body that it would have without a template,
 * which says so, and every other part without what failed. An alert is not lost to its own wording.
 */
import { fillTags } from '../../../protocol/templates/tags.ts'
import type { Message } from '../messages/message.ts'
import type { FilledText } from '../templates/fill.ts'
import type { TemplateText } from '../templates/plain-tags.ts'
import { TemplateError } from '../templates/template-error.ts'
import { fallbackBudget } from '../templates/template-meter.ts'
import type { TemplateFault } from './channel-type.ts'
import type { TemplateValues } from './delivery.ts'
import { type Body, defaultBody } from './webhook-bodies.ts'
import { type Fill, type FilledParts, fillWith } from './webhook-parts.ts'
import type { WebhookConfig } from './webhook-request.ts'

const maxNamed = 3
/** Of a chat of Telegram. */
const maxFields = 10

/** For people: which templates failed, and what was done about it. */
export const noticeOf = (faults: readonly TemplateFault[]): string => {
  const named = faults.slice(0, maxNamed).map(({ name, message }) => `${name} (${message})`)
  const more = faults.length > maxNamed ? ` and ${faults.length - maxNamed} more` : ''
  return `The alert channel's template cannot be filled in for ${named.join(', ')}${more}: the alert is sent in its default form.`
}

/** @throws TemplateError when even the host cannot be known */
export const fallbackParts = async (
  message: Message,
  config: WebhookConfig,
  { parts, filling }: { parts: FilledParts; filling: TemplateValues },
): Promise<FilledParts & { url: string }> => {
  const hasBody = config.method !== 'GET' && config.method !== 'HEAD'
  const chat = hasBody ? chatOf(config) : []
  const address = parts.url === null ? config.url : ''
  const fill = fillWith(message, filling, fallbackBudget)
  const [filledAddress, ...filledChat] = await filledTags([address, ...chat], fill)
  return {
    ...parts,
    url: parts.url ?? addressWithoutFaults(filledAddress, parts.faults),
    // What the channel says of its own body's type is not true of this one.
    headers: parts.headers.filter(({ key }) => key.toLowerCase() !== 'content-type'),
    body: hasBody ? bodyFor(defaultBody(message, config.webhookType), filledChat) : null,
  }
}

/** A bot of Telegram sends to the chat that the template names. */
const chatOf = ({ template = '', webhookType }: WebhookConfig): string[] =>
  webhookType === 'WEBHOOK_TELEGRAM'
    ? [...template.matchAll(/(?:^|&)\s*((?:chat_id|message_thread_id)=[^&\s]*)/g)]
        .slice(0, maxFields)
        .map(([, field = '']) => field)
    : []

const bodyFor = (body: Body, chat: readonly FilledTags[]): Body => ({
  ...body,
  payload: [body.payload, ...chat.map(({ text }) => text)].join('&'),
})

const wholeOrigin = /^https?:\/\/[^/?#\\]+[/?#]/

/** Only what comes behind the host may be missing: the alert must not go to another receiver. */
const addressWithoutFaults = (
  { text, beforeFault } = { text: '', beforeFault: '' },
  faults: readonly TemplateFault[],
): string => {
  const readable = (part: string): string => part.split('{{')[0] ?? ''
  if (wholeOrigin.test(readable(beforeFault))) return readable(text)
  const [{ message } = { message: 'it names no host' }] = faults.filter(({ field }) => field === 'url')
  throw new TemplateError(`the address names no host without it: ${message}`)
}

/** `beforeFault`: up to the first tag that cannot be filled in. */
type FilledTags = { text: string; beforeFault: string }

/** Each tag by itself; those that cannot be filled in are left out. */
const filledTags = async (templates: readonly string[], fill: Fill): Promise<FilledTags[]> => {
  const tagsOf = templates.map(tagsIn)
  const filled = (await fill(tagsOf.flat())).values()
  return templates.map((template, position) => {
    const tags = tagsOf[position] ?? []
    const values = tags.map((): FilledText => filled.next().value ?? { fault: 'it was not filled in' })
    const fault = tags[values.findIndex((value) => 'fault' in value)]
    const text = withValues(template, values)
    return {
      text,
      beforeFault: fault === undefined ? text : withValues(template.slice(0, fault.index), values),
    }
  })
}

const tagsIn = (template: string): Array<TemplateText & { index: number }> => {
  const tags: Array<TemplateText & { index: number }> = []
  fillTags(template, ({ written, index }) => {
    tags.push({ text: written, encoding: 'uri', startIsRaw: index === 0, index })
    return ''
  })
  return tags
}

const withValues = (template: string, values: readonly FilledText[]): string => {
  const next = values.values()
  return fillTags(template, () => {
    const value = next.next().value
    return value !== undefined && 'text' in value ? value.text : ''
  })
}
