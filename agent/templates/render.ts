/**
 * Templates in the requests of API checks (api-facts 13.4): `{{NAME}}` is replaced by the variable's value URI-encoded,
 * `{{{NAME}}}` by the value as it is; `$UUID`, `$RANDOM_NUMBER`, `moment` and `date` are helpers. `\{{` stands for the
 * braces themselves.
 *
 * Words: a *tag* is what stands between the braces, its *place* the part of the request that holds it, for messages.
 *
 * Invariant: a text is read once, from left to right, in time proportional to it: values are never read for tags. What
 * cannot be replaced is a problem with its place, never a request that means something else.
 */
import { RequestProblem } from '../checks/request-problem.ts'
import { type HelperSources, helpers } from './helpers.ts'

export type TemplateContext = { variables: ReadonlyMap<string, string>; sources: HelperSources }

export type Template = {
  text: string
  /** `the body`, `the header x-api-key`. */
  place: string
  /** What double braces do to a value, told where in the text the tag stands. */
  encode?: (value: string, index: number) => string
}

/** Characters that a rendered text may have. */
const maxRenderedLength = 8 * 1024 * 1024

const tags = /(\\)?(?:\{\{\{([^{}]*)\}\}\}|\{\{([^{}]*)\}\})/g
const words = /"([^"]*)"|'([^']*)'|([^\s"']+)/g

export const render = ({ text, place, encode = uriEncode }: Template, context: TemplateContext): string => {
  if (!text.includes('{{')) return text
  const parts: string[] = []
  let length = 0
  let read = 0
  const add = (part: string): void => {
    parts.push(part)
    length += part.length
    if (length > maxRenderedLength)
      throw new RequestProblem('TEMPLATE_TOO_LARGE', `With its variables, ${place} is longer than 8 MB`)
  }
  for (const match of text.matchAll(tags)) {
    const [whole, escaped, raw, encoded = ''] = match
    add(text.slice(read, match.index))
    read = match.index + whole.length
    if (escaped !== undefined) add(whole.slice(1))
    else if (raw !== undefined) add(valueFor(raw, place, context))
    else add(encode(valueFor(encoded, place, context), match.index))
  }
  add(text.slice(read))
  return parts.join('')
}

/** The text as a template that stands for itself; tags that are in `template` stay tags. */
export const literal = (text: string, template = ''): string =>
  text.replaceAll(tags, (tag) => (template.includes(tag) ? tag : `\\${tag}`))

/** Lone surrogates, which have no bytes to encode, become the replacement character. */
export const uriEncode = (value: string): string => encodeURIComponent(value.toWellFormed())

const valueFor = (tag: string, place: string, { variables, sources }: TemplateContext): string => {
  const [name = '', ...args] = [...tag.matchAll(words)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
  const value = args.length === 0 ? variables.get(name) : undefined
  if (value !== undefined) return value
  const helper = Object.hasOwn(helpers, name) ? helpers[name] : undefined
  if (helper !== undefined) {
    const made = helper(args, sources)
    if (made !== null) return made
    throw new RequestProblem('INVALID_TEMPLATE', `{{${shown(tag)}}} in ${place} cannot be read by ${name}`)
  }
  throw args.length === 0 && name !== ''
    ? new RequestProblem('UNKNOWN_VARIABLE', `The variable ${shown(name)} in ${place} is not set`)
    : new RequestProblem(
        'INVALID_TEMPLATE',
        `{{${shown(tag)}}} in ${place} is neither a variable nor a helper; \\{{ stands for the braces themselves`,
      )
}

const shown = (tag: string): string => (tag.length > 80 ? `${tag.slice(0, 80)}…` : tag.trim())
