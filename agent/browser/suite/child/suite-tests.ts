/** What Playwright knows of its tests, in the shapes of a result. */
import type { SuiteCounts, SuiteTest } from '../../../../protocol/checks/playwright-result.ts'
import { type Attempt, causesOf } from '../../child/failure-cause.ts'
import { maxListedTests } from '../../run-files.ts'

type Annotation = { type: string }
type SuiteAttempt = Attempt & {
  status: SuiteTest['status']
  duration: number
  annotations?: Annotation[]
}

export type RunnerTest = {
  titlePath(): string[]
  outcome(): SuiteTest['outcome']
  location: { file: string; line: number }
  tags?: string[]
  annotations: Annotation[]
  results: SuiteAttempt[]
}

/** By which a test says of itself: it works, but not well. */
const degradedAnnotation = 'degraded'
const maxTitle = 500
const maxError = 2000
const maxErrors = 5

export const outcomeOf = (
  all: readonly RunnerTest[],
  shorten: (path: string) => string,
): { tests: SuiteTest[]; counts: SuiteCounts } => {
  const tests = all.filter(({ results }) => results.length > 0).map((test) => testOf(test, shorten))
  const count = (is: (test: SuiteTest) => boolean): number => tests.filter(is).length
  const isSkipped = ({ outcome }: SuiteTest): boolean => outcome === 'skipped'
  return {
    tests: tests.toSorted((a, b) => rank(a) - rank(b)).slice(0, maxListedTests),
    counts: {
      passed: count(({ outcome }) => outcome === 'expected'),
      failed: count(({ outcome }) => outcome === 'unexpected'),
      flaky: count(({ outcome }) => outcome === 'flaky'),
      skipped: count(isSkipped),
      degraded: count(({ degraded }) => degraded),
      notRun: all.length - tests.length,
    },
  }
}

/** Where not all find room, those that failed do. */
const rank = ({ outcome }: SuiteTest): number => (outcome === 'unexpected' ? 0 : 1)

const testOf = (test: RunnerTest, shorten: (path: string) => string): SuiteTest => {
  const { results, location } = test
  const [, project = '', ...titlePath] = test.titlePath().map((title) => title.slice(0, maxTitle))
  const last = results.at(-1) as SuiteAttempt
  const outcome = test.outcome()
  const marks = [...test.annotations, ...(last.annotations ?? [])]
  const passed = outcome === 'expected' || outcome === 'flaky'
  return {
    titlePath,
    project,
    file: shorten(location.file),
    line: location.line,
    tags: test.tags ?? [],
    status: last.status,
    outcome,
    duration: results.reduce((sum, { duration }) => sum + Math.max(0, duration), 0),
    retries: results.length - 1,
    degraded: passed && marks.some(({ type }) => type === degradedAnnotation),
    errors: errorsOf(last, shorten),
  }
}

/** Each with the line of the suite's own files that it comes from, as stacks say it. */
export const errorsOf = (attempt: Attempt, shorten: (path: string) => string): string[] =>
  causesOf(attempt, (file) => !file.includes('/node_modules/'))
    .slice(0, maxErrors)
    .map(({ message, location }) => {
      const at = location === null ? '' : `\n    at ${shorten(location.file)}:${location.line}`
      return `${message.slice(0, maxError - at.length).trimEnd()}${at}`
    })
