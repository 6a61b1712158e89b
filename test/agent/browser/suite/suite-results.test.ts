import t from 'tap'
import { mayBeOfBrowser } from '../../../../agent/browser/suite/suite-results.ts'
import type { SuiteState } from '../../../../agent/browser/suite/task.ts'

const gone = 'page.click: Target page, context or browser has been closed'

const stateOf = (errors: string[], tests: [outcome: string, ...errors: string[]][]) =>
  ({
    errors,
    tests: tests.map(([outcome, ...ofTest]) => ({ outcome, errors: ofTest })),
  }) as unknown as SuiteState

t.test('a suite may have failed because its browser died where nothing failed otherwise', async (t) => {
  for (const [what, state, expected] of [
    ['a test that lost its page', stateOf([], [['unexpected', 'page.goto: Page crashed']]), true],
    ['a test with a word more', stateOf([], [['unexpected', 'expect failed', gone], ['expected']]), true],
    ['what is before the tests', stateOf([`browserType.launch: ${gone}`], []), true],
    [
      'a test that was passed in the end',
      stateOf(
        [],
        [
          ['flaky', 'no'],
          ['unexpected', gone],
        ],
      ),
      true,
    ],
    [
      'another test',
      stateOf(
        [],
        [
          ['unexpected', gone],
          ['unexpected', 'expect failed'],
        ],
      ),
      false,
    ],
    ['a file that cannot be read', stateOf(['SyntaxError: no'], [['unexpected', gone]]), false],
    ['nothing that failed', stateOf([], [['expected']]), false],
    ['no tests', null, false],
  ] as const)
    t.equal(mayBeOfBrowser(state), expected, what)
})
