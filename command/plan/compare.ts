/**
 * What a file says beside what the API shows. What the API hides (a mask, an empty text, a list that is only told of one
 * resource) is the same if the digest of the file is that of the last write.
 */
import { isObject } from '../kinds.ts'

export type Difference = { path: string; before: unknown; after: unknown; isHidden: boolean }

/** The fields that the files say; of all others nothing is known. */
export const differences = (said: unknown, shown: unknown, path = ''): Difference[] => {
  if (isObject(said) && isObject(shown))
    return Object.keys(said).flatMap((name) =>
      differences(said[name], shown[name], path === '' ? name : `${path}.${name}`),
    )
  if (Array.isArray(said) && Array.isArray(shown)) return inLists(said, shown, path)
  if (isSame(said, shown)) return []
  return [{ path, before: shown, after: said, isHidden: isHidden(said, shown) }]
}

const inLists = (said: readonly unknown[], shown: readonly unknown[], path: string): Difference[] => {
  const [left, right] = [ordered(said), ordered(shown)]
  if (left.length !== right.length || !left.some((item) => isObject(item) || Array.isArray(item)))
    return JSON.stringify(left) === JSON.stringify(right)
      ? []
      : [{ path, before: shown, after: said, isHidden: false }]
  return left.flatMap((item, at) => differences(item, right[at], `${path}[${at}]`))
}

/** Of texts (tags, places) and of subscriptions the order says nothing. */
const ordered = (list: readonly unknown[]): readonly unknown[] => {
  if (list.every((item) => typeof item === 'string')) return list.toSorted()
  const channelOf = (item: unknown) => (isObject(item) ? Number(item['alertChannelId']) : Number.NaN)
  return list.length > 0 && list.every((item) => !Number.isNaN(channelOf(item)))
    ? list.toSorted((a, b) => channelOf(a) - channelOf(b))
    : list
}

const isSame = (said: unknown, shown: unknown): boolean => {
  if (said === shown) return true
  if (isNothing(said) && isNothing(shown)) return true
  if (typeof said !== 'string' || typeof shown !== 'string') return false
  return isInstant(said) && isInstant(shown) && Date.parse(said) === Date.parse(shown)
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(Date.parse(text))

/** Not told at all, or told as a mask. */
const isHidden = (said: unknown, shown: unknown): boolean =>
  shown === undefined ||
  (typeof said === 'string' && (shown === null || shown === '' || String(shown).includes('***')))
