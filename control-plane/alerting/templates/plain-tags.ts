/**
 * Templates that only name values: `Bearer {{TOKEN}}`. Filling them in is one pass over the text, in time proportional to
 * what comes out, so that they need no template language and no thread. What they give is what Handlebars gives. Pure.
 */
import { sharedHelpers } from '../../../protocol/templates/helpers.ts'
import { comparisons } from './comparisons.ts'
import { type EncodingName, encodings } from './encodings.ts'
import { textHelpers, toText } from './text-helpers.ts'

export type TemplateText = { text: string; encoding: EncodingName; startIsRaw?: boolean }

export type TemplateContext = Readonly<Record<string, unknown>>

/** Words of the language, which name no value. */
const words = new Set([
  ...['else', 'this', 'true', 'false', 'null', 'undefined', 'year'],
  ...['if', 'unless', 'each', 'with', 'lookup', 'log', 'helperMissing', 'blockHelperMissing'],
  ...Object.keys({ ...comparisons, ...textHelpers, ...sharedHelpers }),
])

const tags = /(?<!\{)(?:\{\{\{\s*([A-Za-z_]\w*)\s*\}\}\}|\{\{\s*([A-Za-z_]\w*)\s*\}\})/g

/** As Handlebars' templates have (template.ts). */
const maxTags = 1000

/** What its tags name, where all of them only name a value; null: it is more than that. */
export const plainTagsIn = (text: string): string[] | null => {
  if (text.includes('\\{')) return null
  const names: string[] = []
  const rest = text.replace(tags, (_, raw?: string, encoded?: string): string => {
    names.push(raw ?? encoded ?? '')
    return ' '
  })
  const isPlain = !rest.includes('{{') && names.length <= maxTags && !names.some((name) => words.has(name))
  return isPlain ? names : null
}

export const fillPlainTags = (
  { text, encoding, startIsRaw = false }: TemplateText,
  context: TemplateContext,
): string =>
  text.replace(tags, (_, raw: string | undefined, encoded: string | undefined, index: number) => {
    const value = toText(valueNamed(raw ?? encoded ?? '', context))
    return raw !== undefined || (startIsRaw && index === 0) ? value : encodings[encoding](value)
  })

export const valueNamed = (name: string, context: TemplateContext): unknown =>
  Object.hasOwn(context, name) ? context[name] : undefined
