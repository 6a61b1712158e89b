import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { runFiles } from '../run-files.ts'
import type { BrowserTask, ScriptError } from '../task.ts'
import type { BrowserEvents } from './browser-events.ts'
import { requireIn } from './browser-process.ts'
import { type Attempt, causesOf, type Failure, type RunnerStep, toldSteps } from './failure-cause.ts'
import { keepStep, type Seen } from './seen.ts'

/** What of the test runner's own reporting is used here. */
type TestResult = Attempt & { startTime: Date; duration: number; retry: number }
type TestCase = {
  titlePath(): string[]
  expectedStatus: string
  outcome(): string
  retries: number
  results: TestResult[]
}
type Tree = { allTests(): TestCase[] }

type Tests = { task: BrowserTask; folder: string; entry: string; events: BrowserEvents; seen: Seen }

/** A file of tests, by the runner of the runtime, which ends this process. */
export const runTests = ({ task, folder, entry, events, seen }: Tests): void => {
  const own = join(folder, 'tmp')
  const project = join(own, runFiles.project)
  const bridge = join(own, 'reporter.js')
  const config = join(own, 'playwright.config.js')
  Object.assign(globalThis, { watchpostReporter: reporter({ project, entry, events, seen }) })
  writeFileSync(bridge, 'module.exports = function () { return globalThis.watchpostReporter }\n')
  writeFileSync(config, `module.exports = ${configuration({ task, own, bridge, entry })}\n`)
  const { program } = requireIn(folder)('playwright/lib/program') as {
    program: { parse(argv: string[]): void }
  }
  program.parse(['node', 'playwright', 'test', '--config', config])
}

type Configured = { task: BrowserTask; own: string; bridge: string; entry: string }

const configuration = ({ task, own, bridge, entry }: Configured): string => {
  const output = join(own, runFiles.output)
  const reporters = [[bridge], ['json', { outputFile: join(output, runFiles.report) }]]
  const trace = task.keepsTraces ? 'on' : 'retain-on-failure'
  const use = task.traces ? { trace, screenshot: 'only-on-failure' } : {}
  return JSON.stringify({
    testDir: join(own, runFiles.project),
    // Not a pattern: the path may hold any character.
    testMatch: [entry.replace(/[[\]{}()*?!@+\\]/g, '\\$&')],
    outputDir: join(output, 'results'),
    workers: 1,
    reporter: reporters,
    use,
  })
}

const titleOf = (test: TestCase): string => test.titlePath().slice(3).join(' › ')

type Reporting = Pick<Tests, 'events' | 'seen'> & { project: string; entry: string }

const reporter = ({ project, entry, events, seen }: Reporting) => {
  let tree: Tree | null = null
  /** Those of no test. */
  const errors: ScriptError[] = []
  const errorOf = ({ message, location }: ReturnType<typeof causesOf>[number]): ScriptError => ({
    message,
    line: location?.line ?? null,
    path: location === null || location.file === entry ? null : relative(project, location.file),
  })
  const causes = (attempt: Attempt): ScriptError[] =>
    causesOf(attempt, (file) => file.startsWith(`${project}/`) && !file.includes('/node_modules/')).map(
      errorOf,
    )
  return {
    version: () => 'v2',
    printsToStdio: () => true,
    onBegin: (suite: Tree) => {
      tree = suite
    },
    onTestBegin: (test: TestCase) => events.log('INFO', `Test "${titleOf(test)}" begins`),
    onTestEnd: (test: TestCase, { status, startTime, duration, retry }: TestResult) => {
      const asExpected = status === test.expectedStatus || status === 'skipped'
      const again = !asExpected && status !== 'interrupted' && retry < test.retries
      events.log(
        asExpected ? 'INFO' : again ? 'WARN' : 'ERROR',
        `Test "${titleOf(test)}" ${status} after ${duration} ms${again ? ', and is tried again' : ''}`,
      )
      const startedAt = startTime.getTime()
      keepStep(seen, { title: titleOf(test), depth: 0, startedAt, durationMs: duration, failed: !asExpected })
    },
    onStepEnd: (_: TestCase, __: TestResult, step: RunnerStep) => {
      const { category, title, duration, error } = step
      const depth = depthOf(step)
      if (depth !== null) {
        const startedAt = step.startTime.getTime()
        keepStep(seen, { title, depth, startedAt, durationMs: duration, failed: error !== undefined })
      }
      if (category === 'test.step')
        events.log(error === undefined ? 'INFO' : 'ERROR', `Step "${title}" took ${duration} ms`)
    },
    onStdOut: (chunk: string | Buffer) => events.log('INFO', String(chunk).replace(/\n$/, '')),
    onStdErr: (chunk: string | Buffer) => events.log('ERROR', String(chunk).replace(/\n$/, '')),
    onError: (failure: Failure) => {
      errors.push(...causes({ status: 'failed', errors: [failure], steps: [] }))
    },
    onEnd: ({ status }: { status: string }) => {
      errors.push(...(tree?.allTests() ?? []).flatMap((test) => errorsOf(test, causes)))
      if (status !== 'passed' && errors.length === 0)
        errors.push({ message: `The tests ended as ${status}`, line: null, path: null })
    },
    onExit: async () => {
      // Whoever hears of the end takes the files.
      seen.flush()
      events.ended(errors)
    },
  }
}

/** A test is judged by what became of it in the end; what its last attempt failed with is why. */
const errorsOf = (test: TestCase, causes: (attempt: Attempt) => ScriptError[]): ScriptError[] => {
  const last = test.results.at(-1)
  if (last === undefined || (test.outcome() !== 'unexpected' && last.status !== 'interrupted')) return []
  const found = causes(last)
  if (found.length > 0) return found
  const message = `Test "${titleOf(test)}" ${last.status}, but was expected to be ${test.expectedStatus}`
  return [{ message, line: null, path: null }]
}

/** In how many others the step lies, its test included. Null: none of the script's own, such as the start of its browser. */
const depthOf = (step: RunnerStep): number | null => {
  if (!toldSteps.includes(step.category)) return null
  let depth = 1
  for (let { parent } = step; parent !== undefined; parent = parent.parent) {
    if (parent.category === 'fixture') return null
    if (toldSteps.includes(parent.category)) depth += 1
  }
  return depth
}
