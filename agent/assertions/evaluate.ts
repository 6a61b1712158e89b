/**
 * The only evaluator of assertions in the product. Pure: assertions and what a runner saw in, outcomes out, in the order
 * they were declared. One failing assertion makes the run a failure; whoever calls decides what that means.
 *
 * Words: a *source* is the place an assertion looks at, its *material* what is there, the *actual* value what was found in
 * it, the *target* what the check wants. An *item* is an assertion with its material: it can be judged wherever there is time
 * (`agent/judging/`). Invariant: an assertion that cannot be evaluated fails with a reason; it never throws or passes.
 */
import type { Assertion, AssertionOutcome } from '../../protocol/assertion.ts'
import { assertionSentence, type SourceLabel } from '../../protocol/assertion-sentence.ts'
import { hidden } from '../scrub/scrub.ts'
import { type Actual, compare, decimalNumber } from './comparisons.ts'
import { elementsOf } from './each-element.ts'
import type { Material } from './material.ts'
import { isReadError, isValueList, readError } from './reading.ts'
import type { Reading, Readings } from './readings.ts'
import type { Sources } from './sources.ts'

/** Characters of an actual value that a result shows. */
export const maxActualLength = 10 * 1024

export type AssertionItem = {
  assertion: Assertion
  order: number
  /** Null, as is the material, where this agent does not know the source. */
  label: SourceLabel | null
  hides: boolean
  material: Material | null
}

/** The assertions with what each looks at. `subject` is what the sources of the check type read from. */
export const itemsOf = <Subject>(
  assertions: readonly Assertion[],
  subject: Subject,
  sources: Sources<Subject>,
): AssertionItem[] =>
  assertions.map((assertion, order) => {
    const source = Object.hasOwn(sources, assertion.source) ? sources[assertion.source] : undefined
    if (source === undefined) return { assertion, order, label: null, hides: false, material: null }
    const hides = source.hides?.(assertion) === true
    return { assertion, order, label: source.label, hides, material: source.read(subject, assertion) }
  })

/** What one of them comes to. Throws only what `readings` throws: that there is no time for it. */
export const judge = (item: AssertionItem, readings: Readings): AssertionOutcome => {
  try {
    return outcomeOf(item, readings)
  } catch (error) {
    // Of the stack, or of the longest text: nothing of ours throws it.
    if (!(error instanceof RangeError)) throw error
    return unjudged(item, 'what was found is too large, or nested too deeply, to be judged')
  }
}

const outcomeOf = (item: AssertionItem, readings: Readings): AssertionOutcome => {
  const { assertion, material, label, hides } = item
  if (material === null || label === null)
    return unjudged(item, `the source ${assertion.source} is not known to this agent`)
  const found = narrowed(assertion, readings.of(material), readings)
  if (isReadError(found)) return unjudged(item, found.problem)
  const target = assertion.target ?? ''
  const values = isValueList(found) ? found.values : elementsOf(found, assertion)
  const wrong = values.findIndex((value) => !compare[assertion.comparison](value, target))
  const passed = wrong === -1
  const isOne = values.length === 1
  const actual = isOne || !passed ? values[passed ? 0 : wrong] : values.slice(0, maxActualValues)
  return {
    ...declared(item),
    target: typeof actual === 'number' ? (decimalNumber(target) ?? target) : target,
    passed,
    actual: hides ? hidden : shown(actual),
    error: passed
      ? null
      : assertionSentence({
          ...{ label, property: assertion.property ?? '', comparison: assertion.comparison, target },
          found: actual === undefined ? null : brief(hides ? hidden : actual),
          place: isOne ? null : [wrong + 1, values.length],
        }),
  }
}

/** An assertion that could not be evaluated: it has failed. */
export const unjudged = (item: AssertionItem, error: string): AssertionOutcome => ({
  ...declared(item),
  error,
})

/** Values of a list that a passed assertion shows. */
const maxActualValues = 1000

/** `regex` keeps the first capture group of a text. */
const narrowed = ({ regex }: Assertion, found: Reading, readings: Readings): Reading => {
  if (!regex || found === undefined || isReadError(found)) return found
  return typeof found === 'string'
    ? readings.group(regex, found)
    : readError('a regular expression can only look at text')
}

const declared = ({
  assertion: { source, property, comparison, target, regex },
  order,
}: AssertionItem): AssertionOutcome => ({
  source,
  property: property ?? '',
  comparison,
  target: target ?? '',
  regex: regex ?? null,
  order,
  passed: false,
  actual: null,
  error: null,
})

const brief = (actual: Actual): string => {
  const text = typeof actual === 'string' ? actual : JSON.stringify(actual)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

const shown = (actual: Actual): AssertionOutcome['actual'] => {
  if (actual === undefined || actual === null) return null
  if (typeof actual === 'number' || typeof actual === 'boolean') return actual
  const text = typeof actual === 'string' ? actual : JSON.stringify(actual)
  return text.length > maxActualLength ? text.slice(0, maxActualLength) : text
}
