/**
 * The only evaluator of assertions in the product. Pure: assertions and what a runner saw in, outcomes out, in the order
 * they were declared. One failing assertion makes the run a failure; whoever calls decides what that means.
 *
 * Words: a *source* is the place an assertion looks at, the *actual* value is what was found there, the *target* what
 * the check wants. Invariant: an assertion that cannot be evaluated fails with a reason; it never throws or passes.
 */
import type { Assertion, AssertionOutcome } from '../../protocol/assertion.ts'
import { type Actual, compare, expectation, withoutTarget } from './comparisons.ts'
import type { Source, Sources } from './sources.ts'

/** Characters of an actual value that a result shows. */
export const maxActualLength = 10 * 1024

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

type Judged<Subject> = { order: number; source: Source<Subject>; subject: Subject }

const judge = <Subject>(
  assertion: Assertion,
  { order, source, subject }: Judged<Subject>,
): AssertionOutcome => {
  if (assertion.regex)
    return { ...declared(assertion, order), error: 'regular expressions are not available here' }
  const actual = source.read(subject, assertion)
  const target = assertion.target ?? ''
  const passed = compare[assertion.comparison](actual, target)
  return {
    ...declared(assertion, order),
    target:
      typeof actual === 'number' && target.trim() !== '' && Number.isFinite(Number(target))
        ? Number(target)
        : target,
    passed,
    actual: shown(actual),
    error: passed ? null : sentence(assertion, source.label, actual),
  }
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

const sentence = ({ comparison, property, target }: Assertion, label: string, actual: Actual): string => {
  const subject = property ? `${label} "${property}"` : label
  const wanted = withoutTarget.has(comparison)
    ? expectation[comparison]
    : `${expectation[comparison]} ${target ?? ''}`
  const found = actual === undefined ? 'it was missing' : `it was ${brief(actual)}`
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
