/**
 * The texts of a webhook's config filled in, each encoded for its place: percent-encoded in the address and in a form,
 * escaped as in a JSON text in JSON, as HTML in any other body; in header values only line breaks go. Query parameters
 * are encoded as a whole. A template that cannot be filled in is a fault, and its part null.
 */
import type { Message } from '../messages/message.ts'
import type { EncodingName } from '../templates/encodings.ts'
import type { FilledText } from '../templates/fill.ts'
import type { TemplateText } from '../templates/plain-tags.ts'
import { notificationBudget, type TemplateBudget } from '../templates/template-meter.ts'
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

/** Texts of the config, all of which share one budget. */
export type Fill = (texts: readonly TemplateText[]) => Promise<FilledText[]>

export const fillWith = (
  message: Message,
  { fillTexts, variables, analysis }: TemplateValues,
  budget: TemplateBudget,
): Fill => {
  const context = { ...Object.fromEntries(variables), ...webhookVariables(message), ...analysis }
  return (texts) => fillTexts({ texts, context, budget })
}

type Part = TemplateText & Pick<TemplateFault, 'field' | 'name'>

export const filledParts = async (
  message: Message,
  config: WebhookConfig,
  filling: TemplateValues,
): Promise<FilledParts> => {
  const { url, webhookSecret = '', headers = [], queryParameters = [] } = config
  const body = bodyTemplateOf(config)
  const bodyParts: Part[] = body === null ? [] : [{ field: 'template', name: 'the body', ...body }]
  const [address, ...others]: [Part, ...Part[]] = [
    { field: 'url', name: 'the address', text: url, encoding: 'uri', startIsRaw: true },
    ...fieldParts('headers', 'header', headers),
    ...fieldParts('queryParameters', 'query parameter', queryParameters),
    { field: 'webhookSecret', name: 'the secret', text: webhookSecret, encoding: 'plain' },
  ]
  // The body, which is the largest, has what is left of the budget: who is asked, and as whom, comes first.
  const inTurn = [address, ...others, ...bodyParts]
  const filled = await fillWith(message, filling, notificationBudget)(inTurn)
  const byField = new Map(inTurn.map(({ field }, position) => [field, filled[position]]))
  const textOf = (field: string): string | null => textIn(byField.get(field))
  const valuesOf = (list: string, fields: readonly Field[]): FilledField[] =>
    fields.map(({ key }, position) => ({ key, value: textOf(fieldOf(list, position)) }))
  return {
    url: textOf('url'),
    body: body === null ? defaultOf(message, config) : bodyWith(textOf('template'), body),
    headers: valuesOf('headers', headers),
    queryParameters: valuesOf('queryParameters', queryParameters),
    secret: textOf('webhookSecret'),
    faults: faultsIn([address, ...bodyParts, ...others], byField),
  }
}

type Field = { key: string; value: string }

const fieldOf = (list: string, position: number): string => `${list}.${position}.value`

const fieldParts = (list: string, called: string, fields: readonly Field[]): Part[] =>
  fields.map(({ key, value }, position) => ({
    field: fieldOf(list, position),
    name: `the ${called} ${key}`,
    text: value,
    encoding: 'plain',
  }))

const textIn = (filled: FilledText | undefined): string | null =>
  filled !== undefined && 'text' in filled ? filled.text : null

const faultsIn = (
  parts: readonly Part[],
  filled: ReadonlyMap<string, FilledText | undefined>,
): TemplateFault[] =>
  parts.flatMap(({ field, name }) => {
    const one = filled.get(field)
    return one !== undefined && 'fault' in one ? [{ field, name, message: one.fault }] : []
  })

type BodyTemplate = { text: string; encoding: EncodingName; contentType: string }

const hasBody = ({ method }: WebhookConfig): boolean => method !== 'GET' && method !== 'HEAD'

const bodyTemplateOf = (config: WebhookConfig): BodyTemplate | null => {
  const { template = '', webhookType } = config
  if (!hasBody(config) || template.trim() === '') return null
  const contentType = contentTypeOf(template)
  return { text: template, contentType, encoding: encodingOf(contentType, webhookType) }
}

const bodyWith = (payload: string | null, { contentType }: BodyTemplate): Body | null =>
  payload === null ? null : { contentType, payload }

const defaultOf = (message: Message, config: WebhookConfig): Body | null =>
  hasBody(config) ? defaultBody(message, config.webhookType) : null

const form = 'application/x-www-form-urlencoded'

const encodingOf = (contentType: string, webhookType: string | undefined): EncodingName => {
  if (contentType === 'application/json') return 'json'
  if (contentType !== form) return 'html'
  return webhookType === 'WEBHOOK_TELEGRAM' ? 'htmlInForm' : 'uri'
}

/** By how the template begins, so that it does not change with the values. */
const contentTypeOf = (template: string): string => {
  const start = template.trimStart().replace(/^(\{\{[#/!~^][^}]*\}\}\s*)+/, '')
  if (/^(\{(?!\{)|\[)/.test(start)) return 'application/json'
  return /^[\w.%[\]-]+=/.test(start) ? form : 'text/plain; charset=utf-8'
}
