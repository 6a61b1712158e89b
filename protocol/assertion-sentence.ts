/**
 * How a failed assertion says what it wanted and what there was. The sentence is all that lists, alerts and groups of errors keep of
 * it, so it can be read again. Pure.
 */
import type { Comparison } from './comparisons.ts'

export type FailedAssertion = {
  /** What the source is called. */
  label: SourceLabel
  property: string
  comparison: Comparison
  /** Empty where the comparison takes none. */
  target: string
  /** Null: there was nothing. */
  found: string | null
  /** Which of how many values that were compared one by one; null: there was one. */
  place: readonly [position: number, of: number] | null
}

/** Of every source of every check type: a new one is one entry here. */
export const sourceLabels = [
  ...['status code', 'response time', 'header', 'body', 'JSON body'],
  ...['response data', 'response code', 'text answer', 'JSON answer', 'latency', 'response'],
  ...['certificate', 'connection', 'TLS answer', 'message', 'metadata', 'gRPC status', 'health status'],
  ...['hop count', 'packet loss'],
] as const
export type SourceLabel = (typeof sourceLabels)[number]

const expectation: Record<Comparison, string> = {
  EQUALS: 'to equal',
  NOT_EQUALS: 'not to equal',
  GREATER_THAN: 'to be greater than',
  LESS_THAN: 'to be less than',
  CONTAINS: 'to contain',
  NOT_CONTAINS: 'not to contain',
  HAS_KEY: 'to have the key',
  NOT_HAS_KEY: 'not to have the key',
  HAS_VALUE: 'to have the value',
  NOT_HAS_VALUE: 'not to have the value',
  IS_EMPTY: 'to be empty',
  NOT_EMPTY: 'not to be empty',
  IS_NULL: 'to be null',
  NOT_NULL: 'not to be null',
}

const withoutTarget: ReadonlySet<Comparison> = new Set(['IS_EMPTY', 'NOT_EMPTY', 'IS_NULL', 'NOT_NULL'])

const every = 'every value of '
const missing = 'missing'

export const assertionSentence = (failed: FailedAssertion): string => {
  const { label, property, comparison, target, found, place } = failed
  const subject = `${place === null ? '' : every}${label}${property === '' ? '' : ` "${property}"`}`
  const wanted = `${expectation[comparison]}${withoutTarget.has(comparison) ? '' : ` ${target}`}`
  const which = place === null ? 'it' : `value ${place[0]} of ${place[1]}`
  return `expected ${subject} ${wanted} but ${which} was ${found ?? missing}`
}

const longest = 20_000

/** Null: it is no such sentence, or could be read in two ways, as its texts say words of ours. */
export const readAssertionSentence = (text: string): FailedAssertion | null => {
  if (!text.startsWith('expected ') || text.length > longest) return null
  const [only, ...others] = [...readings(text.slice('expected '.length))]
  return only === undefined || others.length > 0 ? null : only
}

function* readings(text: string): Generator<FailedAssertion> {
  const isEvery = text.startsWith(every)
  const rest = isEvery ? text.slice(every.length) : text
  for (const label of sourceLabels)
    if (rest.startsWith(`${label} `))
      for (const [comparison, phrase] of Object.entries(expectation) as [Comparison, string][])
        for (const { before, after } of splits(rest.slice(label.length), ` ${phrase}`)) {
          const property = propertyOf(before)
          if (property !== null) yield* endings(after, { label, property, comparison, isEvery })
        }
}

/** Nothing, or ` "$.name"`. */
const propertyOf = (text: string): string | null => {
  if (text === '') return ''
  return /^ ".+"$/s.test(text) ? text.slice(2, -1) : null
}

type Begun = Pick<FailedAssertion, 'label' | 'property' | 'comparison'> & { isEvery: boolean }

function* endings(text: string, { isEvery, ...begun }: Begun): Generator<FailedAssertion> {
  for (const { before, after } of splits(text, ' but ')) {
    const [, position, of, single, found = ''] = /^(?:value (\d+) of (\d+)|(it)) was (.*)$/s.exec(after) ?? []
    if ((single === undefined) !== isEvery || (single === undefined && of === undefined)) continue
    if (withoutTarget.has(begun.comparison) ? before !== '' : !before.startsWith(' ')) continue
    yield {
      ...begun,
      target: before.slice(1),
      found: found === missing ? null : found,
      place: isEvery ? [Number(position), Number(of)] : null,
    }
  }
}

function* splits(text: string, by: string): Generator<{ before: string; after: string }> {
  for (let at = text.indexOf(by); at !== -1; at = text.indexOf(by, at + 1))
    yield { before: text.slice(0, at), after: text.slice(at + by.length) }
}
