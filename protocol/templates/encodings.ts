/** How values are written where a template's text goes. Pure. */
import { fillTags, wordsOf } from './tags.ts'

/** Lone surrogates, which have no bytes to encode, become the replacement character. */
export const uriEncode = (value: string): string => encodeURIComponent(value.toWellFormed())

/** A variable at the very beginning of an address holds scheme and host, which encoding would break. */
export const encodeInAddress = (value: string, index: number): string =>
  index === 0 ? value : uriEncode(value)

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
