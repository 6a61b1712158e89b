import t from 'tap'
import { analyseByRules, ruleFor } from '../../../../control-plane/insight/root-cause-analyses/builtin.ts'
import { facts, failure } from '../../../support/facts.ts'

const script = (message: string, type: 'BROWSER' | 'MULTI_STEP' = 'BROWSER') =>
  facts({ check: { type }, run: { failure: failure('SCRIPT', message, false) } })

type Case = [rule: string, given: ReturnType<typeof facts>, says: RegExp]

/** As Playwright 1.47 and 1.58 say it. */
const playwrightMessages: Case[] = [
  [
    'another-text-received',
    script(
      'The script failed at line 4: expect(locator).toHaveText(expected) failed\n\nLocator:  locator(\'h1\')\nExpected: "Hello Ann"\nReceived: "Hello Bob"\nTimeout:  300ms\n\nCall log:\n  - Expect "to.have.text" with timeout 300ms\n  - waiting for locator(\'h1\')\n    3 × locator resolved to <h1>Hello Bob</h1>\n      - unexpected value "Hello Bob"\n',
    ),
    /locator\('h1'\) has "Hello Bob", and the script expects "Hello Ann"/,
  ],
  [
    'another-text-received',
    script(
      'Timed out 300ms waiting for expect(locator).toContainText(expected)\n\nLocator: locator(\'h1\')\nExpected string: "Ann"\nReceived string: "Hello Bob"\nCall log:\n  - waiting for locator(\'h1\')\n  -   locator resolved to <h1>Hello Bob</h1>\n',
    ),
    /locator\('h1'\) has "Hello Bob", and the script expects "Ann"/,
  ],
  [
    'another-text-received',
    script(
      "expect(locator).toHaveCount(expected) failed\n\nLocator:  locator('li')\nExpected: 3\nReceived: 2\nTimeout:  300ms\n\nCall log:\n  - waiting for locator('li')\n    3 × locator resolved to 2 elements\n",
    ),
    /locator\('li'\) has 2, and the script expects 3/,
  ],
  [
    'another-text-received',
    script(
      'expect(locator).toHaveText(expected) failed\n\nLocator: locator(\'li\')\nTimeout: 300ms\n- Expected  - 1\n+ Received  + 1\n\n  Array [\n-   "c",\n+   "b",\n  ]\n\nCall log:\n  - waiting for locator(\'li\')\n',
    ),
    /locator\('li'\) has another value/,
  ],
  [
    'another-text-received',
    script(
      'Timed out 300ms waiting for expect(locator).toHaveTitle(expected)\n\nLocator: locator(\':root\')\nExpected string: "Shop"\nReceived string: ""\nCall log:\n  - waiting for locator(\':root\')\n  -   locator resolved to <html>…</html>\n',
    ),
    /the page has "", and the script expects "Shop"/,
  ],
  [
    'element-not-found',
    script(
      "Timed out 300ms waiting for expect(locator).toHaveText(expected)\n\nLocator: locator('h2')\nExpected string: \"Hello Ann\"\nReceived: <element(s) not found>\nCall log:\n  - waiting for locator('h2')\n",
    ),
    /locator\('h2'\) did not become ready/,
  ],
  [
    'element-not-found',
    script(
      "expect(locator).toBeVisible() failed\n\nLocator:  locator('p')\nExpected: visible\nReceived: hidden\nTimeout:  300ms\n\nCall log:\n  - waiting for locator('p')\n",
    ),
    /locator\('p'\) did not become ready/,
  ],
]

t.test('what an expectation received is told apart from what is not there', async (t) => {
  for (const [rule, given, says] of playwrightMessages) {
    t.equal(ruleFor(given).id, rule)
    t.match(analyseByRules(given).analysis.rootCause, says)
  }
})

t.test('advice names no file that runs of the type do not leave', async (t) => {
  const fix = (given: ReturnType<typeof facts>) => analyseByRules(given).analysis.codeFix
  const differs = 'expect(received).toBe(expected)\n\nExpected: 1\nReceived: 2'
  t.match(fix(script(differs)), 'the screenshot or trace of this step')
  t.match(fix(script(differs, 'MULTI_STEP')), 'the trace of this step')
  t.notMatch(fix(script(differs, 'MULTI_STEP')), 'screenshot')
  const setUp = (message: string) =>
    facts({ check: { type: 'API' }, run: { failure: failure('SCRIPT', message, false) } })
  for (const message of [differs, 'The script exceeded its limit of 240 s'])
    t.notMatch(fix(setUp(message)), /screenshot|trace/)
  const odd = (type: 'TCP' | 'URL') =>
    fix(facts({ check: { type }, run: { failure: failure('ODD', 'odd', false) } }))
  t.match(odd('URL'), "Look at the run's log and files")
  t.notMatch(odd('TCP'), 'files')

  const missed = facts({
    check: { type: 'HEARTBEAT' },
    run: { location: '', failure: failure('MISSED', 'no ping', false) },
  })
  t.match(analyseByRules(missed).analysis.evidence?.[0], {
    description: /^Observed at .*no ping/,
    artifacts: [],
  })
})
