import type { AssertionOutcome } from '../../../protocol/assertion.ts'
import type { Comparison } from '../../../protocol/comparisons.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { code, cut, section, withoutCredentials } from '../../platform/web/html/section.ts'

/** Null when the run had none. The failed ones come first. */
export const assertionSection = (assertions: readonly AssertionOutcome[]): Html | null => {
  if (assertions.length === 0) return null
  const failed = assertions.filter(({ passed }) => !passed)
  const passed = assertions.filter((assertion) => assertion.passed)
  return section(
    failed.length === 0
      ? count(passed.length, { one: '# assertion passed', other: '# assertions passed' })
      : say('{0} of {1} assertions failed', failed.length, assertions.length),
    html`<ul class="assertions">${[...failed, ...passed].map(item)}</ul>`,
  )
}

const item = (assertion: AssertionOutcome): Html => {
  const { passed } = assertion
  return html`<li class="${passed ? 'passing' : 'failing'}"><span class="sign">${passed ? '✓' : '✕'}</span><div><p>${demand(assertion)}</p>${passed ? null : found(assertion)}</div></li>`
}

const demand = ({ source, property, regex, comparison, target }: AssertionOutcome): Html => {
  const words = say(comparisonWords[comparison])
  return html`${say(sentenceCase(source))} ${property === '' ? null : html`${code(cut(property, 200))} `}${
    regex ? html`(matching ${code(cut(regex, 200))}) ` : null
  }${words}${needsTarget(comparison) ? html` ${code(cut(String(target), 500))}` : null}`
}

const found = ({ actual, error }: AssertionOutcome): Html =>
  actual === null
    ? html`<p>${error === null ? say('It was not there.') : cut(withoutCredentials(error), 1000)}</p>`
    : html`<p>It was ${actual === '' ? say('(empty)') : code(cut(String(actual), 1000))}</p>`

const sentenceCase = (source: string): string => {
  const words = source.toLowerCase().replaceAll('_', ' ').replace('json', 'JSON')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const needsTarget = (comparison: Comparison): boolean => !/_(EMPTY|NULL)$/.test(comparison)

const comparisonWords: Record<Comparison, string> = {
  EQUALS: 'equals',
  NOT_EQUALS: 'does not equal',
  HAS_KEY: 'has the key',
  NOT_HAS_KEY: 'does not have the key',
  HAS_VALUE: 'has the value',
  NOT_HAS_VALUE: 'does not have the value',
  IS_EMPTY: 'is empty',
  NOT_EMPTY: 'is not empty',
  GREATER_THAN: 'is greater than',
  LESS_THAN: 'is less than',
  CONTAINS: 'contains',
  NOT_CONTAINS: 'does not contain',
  IS_NULL: 'is null',
  NOT_NULL: 'is not null',
}
