import { encodeInAddress } from './encodings.ts'
import { fillTags, wordsOf } from './tags.ts'

/**
 * An address with its variables filled in, as agents do it (agent/templates/render.ts): `{{NAME}}` percent-encoded unless
 * it begins the address, `{{{NAME}}}` as it is. What has no value stays as it was written. Pure.
 */
export const fillVariables = (text: string, variables: ReadonlyMap<string, string>): string =>
  fillTags(text, ({ written, content, isRaw, index }) => {
    const { name, args } = wordsOf(content)
    const value = args.length === 0 ? variables.get(name) : undefined
    if (value === undefined) return written
    return isRaw ? value : encodeInAddress(value, index)
  })
