/** Keeps what the tests of a suite did in a file, and says at the end how it went. */
import { renameSync, writeFileSync, writeSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Failure } from '../../child/failure-cause.ts'
import { suiteFiles } from '../../run-files.ts'
import type { SuiteState } from '../task.ts'
import { errorsOf, outcomeOf, type RunnerTest } from './suite-tests.ts'

type Tree = { allTests(): RunnerTest[] }
type Runner = { version: string; rootDir: string }

const writeEveryMs = 500
const maxErrors = 50

export const suiteReporter = (own: string) => {
  const file = join(own, suiteFiles.state)
  const errors: string[] = []
  let version = ''
  let rootDir = ''
  let tree: Tree | null = null
  let writtenAt = 0
  const shorten = (path: string): string => relative(rootDir, path)
  const stateOf = (status: string | null): SuiteState => ({
    playwrightVersion: version,
    ...outcomeOf(tree?.allTests() ?? [], shorten),
    errors,
    status,
  })
  const write = (status: string | null): SuiteState => {
    const state = stateOf(status)
    writeFileSync(`${file}.part`, JSON.stringify(state))
    renameSync(`${file}.part`, file)
    writtenAt = performance.now()
    return state
  }
  return {
    version: () => 'v2',
    printsToStdio: () => false,
    onConfigure: (config: Runner) => {
      version = config.version
      rootDir = config.rootDir
    },
    onBegin: (suite: Tree) => {
      tree = suite
      write(null)
    },
    onTestEnd: () => {
      if (performance.now() - writtenAt > writeEveryMs) write(null)
    },
    onError: (failure: Failure) => {
      if (errors.length < maxErrors)
        errors.push(...errorsOf({ status: 'failed', errors: [failure], steps: [] }, shorten))
    },
    onEnd: ({ status }: { status: string }) => {
      const state = write(status)
      writeSync(1, `\n${headerOf(state)}\n`)
    },
    onExit: async () => undefined,
  }
}

const headerOf = ({ status, counts }: SuiteState): string => {
  const words = Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [`${count} ${name}`]))
  const whole = status === 'passed' && counts.degraded > 0 ? 'degraded' : status
  return `Suite ${whole}: ${words.join(', ') || 'no tests'}`
}
