/** Loads what a run will need while nobody waits for it. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

const { process } = globalThis

type EsmLoader = { registerESMLoader(): unknown }

/** In the runner: what reads settings and tests, compiles them, and reports. */
const ofRunner = [
  ...['program', 'transform/babelBundleImpl', 'runner/dispatcher', 'reporters/json', 'reporters/multiplexer'],
  ...['index', 'common/testLoader', 'common/configLoader', 'plugins/index'],
]

/**
 * In its worker: all but what begins to work when it is loaded (`common/process`, and `worker/workerMain`, which needs it).
 */
const ofWorker = [
  ...['index', 'common/configLoader', 'common/testLoader', 'common/poolBuilder', 'common/suiteUtils'],
  ...['worker/fixtureRunner', 'worker/testInfo', 'worker/testTracing', 'worker/util', 'matchers/expect'],
]

export const loadForRunner = (require: NodeJS.Require): void => load(require, ofRunner)
export const loadForWorker = (require: NodeJS.Require): void => load(require, ofWorker)

/** Where the package keeps its files: it does not export these, and versions differ in which they have. */
export const fileOfRunner = (require: NodeJS.Require, name: string): string =>
  join(dirname(require.resolve('playwright/package.json')), 'lib', `${name}.js`)

const load = (require: NodeJS.Require, names: readonly string[]): void => {
  for (const name of names) {
    const file = fileOfRunner(require, name)
    if (existsSync(file)) require(file)
  }
  startEsmLoader(require)
}

/** A thread of its own, which both kinds of processes start when they read their settings, and which takes a while. */
const startEsmLoader = (require: NodeJS.Require): void => {
  const host = require(fileOfRunner(require, 'common/esmLoaderHost')) as EsmLoader
  host.registerESMLoader()
  // 1.51 would start a second one; newer ones look for theirs.
  if (Object.getOwnPropertyDescriptor(host, 'registerESMLoader')?.writable === true)
    host.registerESMLoader = () => process.version
}
