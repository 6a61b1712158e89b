/**
 * Templates in the requests of API checks: `{{NAME}}` is replaced by the variable's value URI-encoded,
 * `{{{NAME}}}` by the value as it is; `$UUID`, `$RANDOM_NUMBER`, `moment` and `date` are helpers.
 *
 * Words: a *tag* is what stands between the braces, its *field* the part of the request that holds it, for messages.
 *
 * Invariant: what cannot be replaced is a problem with its field, never a request that means something else.
 */
import { uriEncode } from '../../protocol/templates/encodings.ts'
import { type HelperSources, sharedHelpers } from '../../protocol/templates/helpers.ts'
import { fillTags, wordsOf } from '../../protocol/templates/tags.ts'
import { RequestError } from './request-error.ts'
import { type Room, roomForOne, take } from './room.ts'

export type TemplateContext = {
  variables: ReadonlyMap<string, string>
  sources: HelperSources
  /** What it shares with other templates. */
  room?: Room
}

export type Template = {
  text: string
  /** `the body`, `the header x-api-key`. */
  field: string
  /** What double braces do to a value, told where in the text the tag stands. */
  encode?: (value: string, index: number) => string
}

export const render = ({ text, field, encode = uriEncode }: Template, context: TemplateContext): string => {
  const room = context.room ?? roomForOne(field)
  take(room, text.length)
  return fillTags(text, ({ content, isRaw, index }) => {
    const value = valueFor(content, field, context)
    const part = isRaw ? value : encode(value, index)
    take(room, part.length)
    return part
  })
}

const valueFor = (tag: string, field: string, { variables, sources }: TemplateContext): string => {
  const { name, args } = wordsOf(tag)
  const value = args.length === 0 ? variables.get(name) : undefined
  if (value !== undefined) return value
  const helper = Object.hasOwn(sharedHelpers, name) ? sharedHelpers[name] : undefined
  if (helper !== undefined) {
    const texts = args.map(({ text, isQuoted }) => (isQuoted ? text : (variables.get(text) ?? text)))
    const made = args.length > helper.maxArguments ? null : helper.make(texts, sources)
    if (made !== null) return made
    throw new RequestError('INVALID_TEMPLATE', `{{${shown(tag)}}} in ${field} cannot be read by ${name}`)
  }
  throw args.length === 0 && name !== ''
    ? new RequestError('UNKNOWN_VARIABLE', `The variable ${shown(name)} in ${field} is not set`)
    : new RequestError(
        'INVALID_TEMPLATE',
        `{{${shown(tag)}}} in ${field} is neither a variable nor a helper; \\{{ stands for the braces themselves`,
      )
}

const shown = (tag: string): string => (tag.length > 80 ? `${tag.slice(0, 80)}…` : tag.trim())
