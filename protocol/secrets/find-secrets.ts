/**
 * Finds secrets in texts and bytes, however they are spelled: the text is decoded instead of the secrets being encoded, so
 * that the cost grows with the text and with the secrets, not with their product. Pure.
 *
 * Character by character every reading counts (`character-readings.ts`), in any mixture. Runs of base64 and hex are
 * decoded and searched in turn, twice over. A long text is searched in blocks that overlap by the longest match.
 */
import { createSearch, type Search, searchUnits, startOfCutSecret, unitsFor } from './search.ts'
import { secretForms } from './secret-forms.ts'
import { anyCase, createSecretIndex, exactCase, type SecretIndex } from './secret-index.ts'

/** A part of a text that shows a secret. */
export type Cut = { start: number; end: number }

/** In order, none over another. */
export type SecretFinder = {
  /** Shorter texts hold none. */
  shortest: number
  /** No secret takes more of a text than this. */
  reach: number
  inText(text: string): Cut[]
  /** What begins before `until`. */
  inBytes(bytes: Uint8Array, until: number): Cut[]
  /** Where a secret begins that was cut at `end`, or `end`. */
  startOfCut(text: string, end: number): number
}

type SecretValues = {
  /** Found in upper and lower case. */
  anyCase: readonly string[]
  /** Found as they are: in another case they are ordinary words. */
  exactCase?: readonly string[]
}

export const createSecretFinder = (values: SecretValues): SecretFinder => {
  const indexes = [...indexOf(values.anyCase, anyCase), ...indexOf(values.exactCase ?? [], exactCase)]
  const reach = Math.max(0, ...indexes.map(({ longest }) => reachOf(longest)))
  const search = createSearch(indexes)
  const inBlocks = blockwise(search, reach)
  return {
    shortest: Math.min(
      ...indexes.map((one) => (one.hasNonAscii ? Math.ceil(one.shortest / 3) : one.shortest)),
    ),
    reach,
    inText: (text) => {
      const fill = (units: Uint16Array, from: number, to: number) => fillWith(units, text, from, to)
      return inBlocks({ length: text.length, until: text.length, fill })
    },
    inBytes: (bytes, until) => {
      const fill = (units: Uint16Array, from: number, to: number) => units.set(bytes.subarray(from, to))
      return inBlocks({ length: bytes.length, until, fill })
    },
    startOfCut: (text, end) => {
      const from = Math.max(0, end - reach)
      fillWith(unitsFor(search, end - from), text, from, end)
      return from + startOfCutSecret(search, end - from)
    },
  }
}

const indexOf = (values: readonly string[], fold: Uint8Array): SecretIndex[] =>
  values.length === 0 ? [] : [createSecretIndex(values.flatMap(secretForms), fold)]

/** A byte takes up to twelve characters; of long secrets six on the average. */
const reachOf = (bytes: number): number => 12 * Math.min(bytes, 512) + 6 * Math.max(0, bytes - 512)

const fillWith = (units: Uint16Array, text: string, from: number, to: number): void => {
  for (let at = from; at < to; at += 1) units[at - from] = text.charCodeAt(at)
}

type Source = {
  length: number
  until: number
  fill(units: Uint16Array, from: number, to: number): void
}

const blockLength = 64 * 1024

const blockwise =
  (search: Search, reach: number) =>
  ({ length, until, fill }: Source): Cut[] => {
    const cuts: Cut[] = []
    const step = Math.max(blockLength, reach)
    for (let from = 0; from < until; from += step) {
      const to = Math.min(length, from + step + reach)
      fill(unitsFor(search, to - from), from, to)
      searchUnits(search, { length: to - from, until: Math.min(until - from, step) }, (start, end) => {
        cuts.push({ start: from + start, end: from + end })
      })
    }
    return joinCuts(cuts)
  }

/** In order, those that overlap as one. */
export const joinCuts = (cuts: Cut[]): Cut[] => {
  if (cuts.length < 2) return cuts
  const all: Cut[] = []
  for (const cut of cuts.toSorted((a, b) => a.start - b.start)) {
    const last = all.at(-1)
    if (last !== undefined && cut.start < last.end) last.end = Math.max(last.end, cut.end)
    else all.push({ ...cut })
  }
  return all
}

/** The text with something else in the place of each cut. */
export const withoutCuts = (text: string, cuts: readonly Cut[], mark: string): string => {
  let clean = ''
  let done = 0
  for (const { start, end } of cuts) {
    clean += text.slice(done, start) + mark
    done = end
  }
  return cuts.length === 0 ? text : clean + text.slice(done)
}
