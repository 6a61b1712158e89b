/**
 * The request between the check's settings and its scripts. Pure. A script sees the request with its
 * templates filled in; afterwards every part is either fixed as text, or still a template that waits for a variable.
 */
import { type ApiSpec, apiMethods } from '../../protocol/checks/api.ts'
import { encodeInAddress } from '../../protocol/templates/encodings.ts'
import { fillTags, literal, wordsOf } from '../../protocol/templates/tags.ts'
import type { Changes, ScriptRequest } from '../sandbox/task.ts'
import { render, type Template, type TemplateContext } from '../templates/render.ts'
import { RequestError } from '../templates/request-error.ts'

export type Request = ApiSpec['request']
type Item = Request['headers'][number]

/** The parts of a request with their templates filled in. One that names what is not set yet stays as it stands. */
type RequestParts = { url: string; body: string; headers: Item[]; queryParameters: Item[] }

/** The parts as a script sees them. Nothing is thrown for what is not set yet. */
export const shownParts = (request: Request, context: TemplateContext): RequestParts => {
  const show = (text: string, encode?: Template['encode']): string =>
    filled({ text, field: 'the request', ...(encode && { encode }) }, context) ?? text
  return {
    url: show(request.url, encodeInAddress),
    body: show(request.body),
    headers: request.headers.map((item) => ({ ...item, value: show(item.value) })),
    // Values are encoded once, when the address is made.
    queryParameters: request.queryParameters.map((item) => ({ ...item, value: show(item.value, asItIs) })),
  }
}

const asItIs = (value: string): string => value

const filled = (template: Template, context: TemplateContext): string | null => {
  try {
    return render(template, context)
  } catch (error) {
    // It may be filled in after the script; if not, the request will say what is wrong with it.
    if (error instanceof RequestError) return null
    throw error
  }
}

/** What a script sees. Of parts with one name it sees the last. */
export const scriptRequest = (method: string, shown: RequestParts): ScriptRequest => ({
  method,
  url: shown.url,
  body: shown.body,
  headers: byKey(shown.headers),
  queryParameters: byKey(shown.queryParameters),
})

const byKey = (items: readonly Item[]): Record<string, string> =>
  Object.fromEntries(items.map(({ key, value }) => [key, value]))

/**
 * The request after a script. What it wrote is sent as it is, also where it looks like a template; unless the part was one
 * that waits for a variable, to which the script has added. What it left alone is what it saw, so that a random value it
 * has signed is the one that is sent; but a part that names a variable that the script has changed is filled in again.
 */
export const changedRequest = (request: Request, shown: RequestParts, changes: Changes): Request => {
  const { method, url, body, headers, queryParameters } = changes.request
  const variables = new Set(['REQUEST_URL', ...Object.keys(changes.variables)])
  const fix = (template: string, text: string): string =>
    text === template || namesOf(template).some((name) => variables.has(name)) ? template : literal(text)
  const text = (template: string, before: string, after: string | undefined): string =>
    after === undefined ? fix(template, before) : literal(after, waiting(template, before))
  const items = (templates: Item[], before: Item[], after: Record<string, string> | undefined): Item[] => {
    const fixed = templates.map((item, at) => ({ ...item, value: fix(item.value, before[at]?.value ?? '') }))
    return after === undefined ? fixed : replaced({ templates, fixed, before: byKey(before), after })
  }
  return {
    ...request,
    method: method === undefined ? request.method : methodOf(method),
    url: text(request.url, shown.url, url),
    body: text(request.body, shown.body, body),
    // A check without a body has none, whatever stands in it; a script that writes one means it.
    bodyType: body && request.bodyType === 'NONE' ? 'RAW' : request.bodyType,
    headers: items(request.headers, shown.headers, headers),
    queryParameters: items(request.queryParameters, shown.queryParameters, queryParameters),
  }
}

/** What the tags of a template name, as values or as helpers. */
const namesOf = (template: string): string[] => {
  const names: string[] = []
  fillTags(template, ({ written, content }) => {
    const { name, args } = wordsOf(content)
    names.push(name, ...args.map(({ text }) => text))
    return written
  })
  return names
}

/** The template of a part that was shown as it stands, because it needs a variable that is not set yet. */
const waiting = (template: string, shown: string): string => (template === shown ? template : '')

type Replacement = {
  templates: readonly Item[]
  /** The same, as they are when the script has left them alone. */
  fixed: readonly Item[]
  before: Record<string, string>
  after: Record<string, string>
}

/** Names are compared without case: a script that sets `authorization` replaces the check's `Authorization`. */
const replaced = ({ templates, fixed, before, after }: Replacement): Item[] => {
  const changed = Object.entries(after).filter(([key, value]) => before[key] !== value)
  const names = new Set(changed.map(([key]) => key.toLowerCase()))
  return [
    ...fixed.filter(({ key }) => Object.hasOwn(after, key) && !names.has(key.toLowerCase())),
    ...changed.map(([key, value]) => {
      const same = templates.filter((item) => item.key.toLowerCase() === key.toLowerCase())
      const template = same.map((item) => waiting(item.value, before[item.key] ?? '')).join('\n')
      return { key, value: literal(value, template), locked: same.some((item) => item.locked) }
    }),
  ]
}

const methodOf = (method: string): Request['method'] => {
  const known = apiMethods.find((one) => one === method.toUpperCase())
  if (known !== undefined) return known
  throw new RequestError(
    'SETUP_SCRIPT_FAILED',
    `A setup script set the method "${method.slice(0, 100)}"; it must be one of ${apiMethods.join(', ')}`,
  )
}
