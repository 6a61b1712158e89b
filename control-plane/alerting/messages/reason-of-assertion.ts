/** A failed assertion as a colleague would say it: "Status 503 instead of 200". Pure. */

import type { FailedAssertion, SourceLabel } from '../../../protocol/assertion-sentence.ts'
import type { Comparison } from '../../../protocol/comparisons.ts'

/** A span is said in the reader's language, and so is a reason within a reason. */
export type Reason = { text: string; values: readonly (string | { ms: number } | Reason)[] }

/** `640 ms`, `4.2 s`: exact, so that what was too slow by a little never reads as if it were not. */
export const shownMs = (ms: number): string =>
  Math.abs(ms) < 1000 ? `${Number(ms.toFixed(2))} ms` : `${Number((ms / 1000).toFixed(3))} s`

const longestValue = 100

const shortValue = (text: string): string =>
  text.length <= longestValue ? text : `${text.slice(0, longestValue - 1).toWellFormed()}…`

/** What the sources are called at the beginning of a sentence. `{0}`: the property; null: it selects nothing. */
const subjects: { readonly [L in SourceLabel]: { text: string; withProperty: string | null } } = {
  'status code': { text: 'Status', withProperty: null },
  'response time': { text: 'Response time', withProperty: null },
  header: { text: 'Headers', withProperty: 'Header {0}' },
  body: { text: 'Page', withProperty: 'Page, at {0}' },
  'JSON body': { text: 'JSON', withProperty: 'JSON, at {0}' },
  'response data': { text: 'Data received', withProperty: 'Data received, at {0}' },
  'response code': { text: 'Code of the name server', withProperty: null },
  'text answer': { text: 'Answer of the name server', withProperty: 'Answer of the name server, at {0}' },
  'JSON answer': { text: 'Answer of the name server', withProperty: 'Answer of the name server, at {0}' },
  latency: { text: 'Latency', withProperty: 'Latency ({0})' },
  response: { text: 'Answer to the pings', withProperty: 'Answer to the pings, at {0}' },
  certificate: { text: 'Certificate', withProperty: 'Certificate ({0})' },
  connection: { text: 'Connection', withProperty: 'Connection ({0})' },
  'TLS answer': { text: 'What the server showed', withProperty: 'What the server showed, at {0}' },
  message: { text: 'Message', withProperty: 'Message, at {0}' },
  metadata: { text: 'Metadata', withProperty: 'Metadata {0}' },
  'gRPC status': { text: 'gRPC status', withProperty: null },
  'health status': { text: 'Health status', withProperty: null },
  'hop count': { text: 'Hops', withProperty: null },
  'packet loss': { text: 'Lost packets', withProperty: null },
}

/** Holes: subject, what was found, what was wanted. */
const anySource: { readonly [C in Comparison]: string } = {
  EQUALS: '{0}: {1} instead of {2}',
  NOT_EQUALS: '{0}: {1}, and it should be anything else',
  GREATER_THAN: '{0}: {1}, not more than {2}',
  LESS_THAN: '{0}: {1}, not less than {2}',
  CONTAINS: '{0}: “{2}” is not in it',
  NOT_CONTAINS: '{0}: “{2}” is in it',
  HAS_KEY: '{0}: there is no “{2}”',
  NOT_HAS_KEY: '{0}: there is “{2}”',
  HAS_VALUE: '{0}: no value is {2}',
  NOT_HAS_VALUE: '{0}: a value is {2}',
  IS_EMPTY: '{0}: not empty ({1})',
  NOT_EMPTY: '{0}: empty',
  IS_NULL: '{0}: {1} instead of nothing',
  NOT_NULL: '{0}: nothing',
}

/** What is said better than by the rule for any source; of a part of the source, that rule says which part. */
const bySource: { readonly [L in SourceLabel]?: { readonly [C in Comparison]?: string } } = {
  'status code': {
    EQUALS: 'Status {0} instead of {1}',
    NOT_EQUALS: 'Status {0}, and it should be anything else',
    GREATER_THAN: 'Status {0}, not more than {1}',
    LESS_THAN: 'Status {0}, not less than {1}',
  },
  'response time': {
    EQUALS: 'Took {0} instead of {1}',
    GREATER_THAN: 'Took {0}, not more than {1}',
    LESS_THAN: 'Took {0}, more than {1}',
  },
  body: {
    CONTAINS: 'The page did not contain “{1}”',
    NOT_CONTAINS: 'The page contained “{1}”',
    IS_EMPTY: 'The page was not empty',
    NOT_EMPTY: 'The page was empty',
  },
  'response data': {
    CONTAINS: 'The data did not contain “{1}”',
    NOT_CONTAINS: 'The data contained “{1}”',
  },
  'text answer': {
    CONTAINS: 'The answer did not contain “{1}”',
    NOT_CONTAINS: 'The answer contained “{1}”',
  },
}

const inMs: ReadonlySet<SourceLabel> = new Set(['response time', 'latency'])

export const reasonOfAssertion = (failed: FailedAssertion): Reason => {
  const { label, comparison, found, target, place } = failed
  const shown = (text: string): string =>
    inMs.has(label) && text.trim() !== '' && Number.isFinite(Number(text))
      ? shownMs(Number(text))
      : text === ''
        ? '“”'
        : shortValue(text)
  const values = [found === null ? { text: absent.nothing, values: [] } : shown(found), shown(target)]
  const own = found === null || place !== null ? undefined : ownText(failed)
  if (own !== undefined) return { text: own, values }
  return { text: anySource[comparison], values: [placed(failed), ...values] }
}

const ownText = (failed: FailedAssertion): string | undefined => {
  const { label, comparison, found, target } = failed
  if (selects(failed)) return undefined
  // As long as was allowed is no more than that.
  if (label === 'response time' && comparison === 'LESS_THAN' && !(Number(found) > Number(target)))
    return undefined
  return bySource[label]?.[comparison]
}

const selects = ({ label, property }: FailedAssertion): boolean =>
  property !== '' && subjects[label].withProperty !== null

const placed = (failed: FailedAssertion): Reason => {
  const subject = subjectOf(failed)
  if (failed.place === null) return subject
  const [position, of] = failed.place.map(String) as [string, string]
  return { text: manyValues.place, values: [subject, position, of] }
}

const manyValues = { place: '{0}, value {1} of {2}' }
const absent = { nothing: 'nothing' }

const subjectOf = (failed: FailedAssertion): Reason => {
  const { label, property } = failed
  const { text, withProperty } = subjects[label]
  return selects(failed) && withProperty !== null
    ? { text: withProperty, values: [shortValue(property)] }
    : { text, values: [] }
}
