import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { runFiles } from '../run-files.ts'
import type { BrowserTask, ScriptError } from '../task.ts'
import type { BrowserEvents } from './browser-events.ts'
import { requireIn } from './browser-process.ts'
import { keepStep, type Seen } from './seen.ts'

/** What of the test runner's own reporting is used here. */
type Failure = { message?: string; value?: string; location?: { line: number; file: string } }
type Step = {
  category: string
  title: string
  startTime: Date
  duration: number
  error?: Failure
  parent?: Step
}
type TestCase = {
  titlePath(): string[]
  expectedStatus: string
  outcome(): string
  location: { file: string }
}
type TestResult = { status: string; startTime: Date; duration: number; errors: Failure[] }

type Tests = { task: BrowserTask; folder: string; entry: string; events: BrowserEvents; seen: Seen }

/** A file of tests, by the runner of the runtime, which ends this process. */
export const runTests = ({ task, folder, entry, events, seen }: Tests): void => {
  const own = join(folder, 'tmp')
  const bridge = join(own, 'reporter.js')
  const config = join(own, 'playwright.config.js')
  Object.assign(globalThis, { watchpostReporter: reporter(entry, { events, seen }) })
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

const reporter = (entry: string, { events, seen }: Pick<Tests, 'events' | 'seen'>) => {
  const errors: ScriptError[] = []
  const keep = (failure: Failure): void => {
    errors.push({ message: textOf(failure), line: lineOf(failure, entry) })
  }
  const titleOf = (test: TestCase): string => test.titlePath().slice(3).join(' › ')
  return {
    version: () => 'v2',
    printsToStdio: () => true,
    onTestBegin: (test: TestCase) => events.log('INFO', `Test "${titleOf(test)}" begins`),
    onTestEnd: (test: TestCase, { status, startTime, duration, errors: own }: TestResult) => {
      const asExpected = test.outcome() === 'expected' || test.outcome() === 'skipped'
      events.log(asExpected ? 'INFO' : 'ERROR', `Test "${titleOf(test)}" ${status} after ${duration} ms`)
      const startedAt = startTime.getTime()
      keepStep(seen, { title: titleOf(test), depth: 0, startedAt, durationMs: duration, failed: !asExpected })
      if (asExpected) return
      for (const failure of own) keep(failure)
      if (own.length === 0)
        errors.push({
          message: `Test "${titleOf(test)}" ${status}, but was expected to be ${test.expectedStatus}`,
          line: null,
        })
    },
    onStepEnd: (_: TestCase, __: TestResult, step: Step) => {
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
    onError: keep,
    onEnd: ({ status }: { status: string }) => {
      if (status !== 'passed' && errors.length === 0)
        errors.push({ message: `The tests ended as ${status}`, line: null })
    },
    onExit: async () => {
      // Whoever hears of the end takes the files.
      seen.flush()
      events.ended(errors)
    },
  }
}

const told = ['test.step', 'expect', 'pw:api']

/** In how many others the step lies, its test included. Null: none of the script's own, such as the start of its browser. */
const depthOf = (step: Step): number | null => {
  if (!told.includes(step.category)) return null
  let depth = 1
  for (let { parent } = step; parent !== undefined; parent = parent.parent) {
    if (parent.category === 'fixture') return null
    if (told.includes(parent.category)) depth += 1
  }
  return depth
}

const textOf = ({ message, value }: Failure): string =>
  stripVTControlCharacters(message ?? value ?? 'It failed without a word')

const lineOf = ({ location }: Failure, entry: string): number | null =>
  location?.file === entry ? location.line : null
