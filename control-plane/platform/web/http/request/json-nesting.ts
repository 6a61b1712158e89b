/**
 * How deep a JSON text nests, counted over its bytes before anything is parsed: a kilobyte of gzip holds half a million
 * brackets, and parsing them takes a second. Exact as far as the text is JSON; what is not is refused by the parser. Pure.
 */
const quote = 0x22
const backslash = 0x5c
const opening = [0x5b, 0x7b] as const
const closing = [0x5d, 0x7d] as const

/** Where a value stands in the bytes. */
type Span = { start: number; end: number }

/** The values below the deepest level; null: more than `most` of them. In one pass. */
export const valuesBelow = (
  bytes: Uint8Array,
  { levels, max }: { levels: number; max: number },
): Span[] | null => {
  const [openList, openObject] = opening
  const [closeList, closeObject] = closing
  const { length } = bytes
  const spans: Span[] = []
  let depth = 0
  let start = 0
  for (let at = 0; at < length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      for (at += 1; at < length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at += 1
    } else if (byte === openList || byte === openObject) {
      depth += 1
      if (depth !== levels + 1) continue
      if (spans.length === max) return null
      start = at
    } else if (byte === closeList || byte === closeObject) {
      if (depth === levels + 1) spans.push({ start, end: at + 1 })
      depth -= 1
    }
  }
  return depth > levels ? [...spans, { start, end: length }] : spans
}

/** The text with another in the place of each of those values. */
export const withoutValues = (bytes: Buffer, spans: readonly Span[], instead: string): Buffer => {
  const pieces: Buffer[] = []
  let at = 0
  for (const { start, end } of spans) {
    pieces.push(bytes.subarray(at, start), Buffer.from(instead))
    at = end
  }
  return Buffer.concat([...pieces, bytes.subarray(at)])
}
