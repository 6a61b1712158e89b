/**
 * The only evaluator of assertions in the product. Pure: assertions and what a runner saw in, outcomes out, in the order
 * they were declared. One failing assertion makes the run a failure; whoever calls decides what that means.
 *
 * Words: a *source* is the place an assertion looks at, the *actual* value is what was found there, the *target* what
 * the check wants. Invariant: an assertion that cannot be evaluated fails with a reason; it never throws or passes.
 */
import type { Assertion, AssertionOutcome } from '../../protocol/assertion.ts'
import { hidden } from '../scrub.ts'
import { type Actual, compare, expectation, withoutTarget } from './comparisons.ts'
import { decimalNumber } from './decimal-number.ts'
import { elementsOf } from './each-element.ts'
import { firstGroup } from './first-group.ts'
import { isReadProblem, isValueList, readProblem } from './reading.ts'
import type { Source, Sources } from './sources.ts'

/** Characters of an actual value that a result shows. */
export const maxActualLength = 10 * 1024

/** The outcome of each assertion, in their order. `subject` is what the sources of the check type read from. */
export const evaluate = <Subject>(
  assertions: readonly Assertion[],
  subject: Subject,
  sources: Sources<Subject>,
): AssertionOutcome[] =>
  assertions.map((assertion, order) => {
    const source = Object.hasOwn(sources, assertion.source) ? sources[assertion.source] : undefined
    return source === undefined
      ? unknownSource(assertion, order)
      : judge(assertion, { order, source, subject })
  })

type AssertionContext<Subject> = { order: number; source: Source<Subject>; subject: Subject }

const judge = <Subject>(
  assertion: Assertion,
  { order, source, subject }: AssertionContext<Subject>,
): AssertionOutcome => {
  const found = narrowed(assertion, source.read(subject, assertion))
  if (isReadProblem(found)) return { ...declared(assertion, order), error: found.problem }
  const target = assertion.target ?? ''
  const values = isValueList(found) ? found.values : elementsOf(found, assertion)
  const wrong = values.findIndex((value) => !compare[assertion.comparison](value, target))
  const passed = wrong === -1
  const isOne = values.length === 1
  const actual = isOne || !passed ? values[passed ? 0 : wrong] : values.slice(0, maxActualValues)
  const isHidden = source.hides?.(assertion) === true
  return {
    ...declared(assertion, order),
    target: typeof actual === 'number' ? (decimalNumber(target) ?? target) : target,
    passed,
    actual: isHidden ? hidden : shown(actual),
    error: passed
      ? null
      : sentence(assertion, {
          label: isOne ? source.label : `every value of ${source.label}`,
          found: isHidden ? hidden : actual,
          ...(isOne ? {} : { which: `value ${wrong + 1} of ${values.length}` }),
        }),
  }
}

/** Values of a list that a passed assertion shows. */
const maxActualValues = 1000

/** `regex` keeps the first capture group of a text. */
const narrowed = ({ regex }: Assertion, found: Actual): Actual => {
  if (!regex || found === undefined || isReadProblem(found)) return found
  return typeof found === 'string'
    ? firstGroup(regex, found)
    : readProblem('a regular expression can only look at text')
}

const unknownSource = (assertion: Assertion, order: number): AssertionOutcome => ({
  ...declared(assertion, order),
  error: `the source ${assertion.source} is not known to this agent`,
})

const declared = (
  { source, property, comparison, target, regex }: Assertion,
  order: number,
): AssertionOutcome => ({
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

type ActualDescription = { label: string; found: Actual; which?: string }

const sentence = (
  { comparison, property, target }: Assertion,
  { label, found: actual, which = 'it' }: ActualDescription,
): string => {
  const subject = property ? `${label} "${property}"` : label
  const wanted = withoutTarget.has(comparison)
    ? expectation[comparison]
    : `${expectation[comparison]} ${target ?? ''}`
  const found = actual === undefined ? `${which} was missing` : `${which} was ${brief(actual)}`
  return `expected ${subject} ${wanted} but ${found}`
}

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
