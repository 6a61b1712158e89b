/** In every process of Node of a suite: `--require`, by NODE_OPTIONS. */
import { realpathSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { environment } from '../../../sandbox/child/environment.ts'
import { hookNetwork } from '../../child/browser-process.ts'
import { hideFolder } from '../../child/hide-folder.ts'
import { linkFfmpeg } from '../../child/link-ffmpeg.ts'
import { patchPlaywright } from '../../child/patch-playwright.ts'
import type { PlaywrightLibrary } from '../../child/playwright-types.ts'
import { retainTraces } from '../../child/retained-trace.ts'
import { hideIn, openSeen } from '../../child/seen.ts'
import { createWatch } from '../../child/watch-context.ts'
import { runFiles, suiteFiles } from '../../run-files.ts'
import type { SuiteSettings } from '../task.ts'
import { forgiveModes } from './forgive-modes.ts'
import { suiteArguments } from './suite-arguments.ts'
import { suiteConfig } from './suite-config.ts'
import { suiteReporter } from './suite-reporter.ts'

const { process } = globalThis

/** Playwright's own programs lie in its packages; the first argument of Node is the program. */
const programOf = (path: string | undefined): string => {
  try {
    return path === undefined ? '' : realpathSync(path)
  } catch {
    // Not a file: code on the command line.
    return ''
  }
}

/** A package that Playwright's has beside it need not be in the reach of the program itself. */
const runnerOf = (program: string): NodeJS.Require => {
  const own = createRequire(program)
  try {
    own.resolve('playwright-core')
    return own
  } catch {
    return createRequire(own.resolve('playwright/package.json'))
  }
}

const preparePlaywright = (settings: SuiteSettings, program: string): void => {
  const { folder, egressProxyPort, task, ffmpeg } = settings
  const own = join(folder, 'tmp')
  hideFolder(folder, task.chromium?.path ?? null)
  const seen = openSeen(join(own, runFiles.seen))
  const watch = createWatch(seen, { task, output: join(own, runFiles.output) })
  patchPlaywright(runnerOf(program)('playwright-core') as PlaywrightLibrary, { task, egressProxyPort }, watch)
  const variables = process.env as Record<string, string>
  process.env = environment({ variables, secretNames: task.secretNames }, hideIn(seen))
  const isRunner = /\/cli\.js$/.test(program) && process.argv[2] === 'test'
  const given = isRunner ? suiteArguments(process.argv, settings) : null
  Object.assign(globalThis, { watchpostConfig: suiteConfig(own, given?.reporters ?? null) })
  if (given === null) {
    retainTraces(runnerOf(program))
    return
  }
  if (ffmpeg !== null)
    linkFfmpeg(ffmpeg, { require: runnerOf(program), browsers: variables['PLAYWRIGHT_BROWSERS_PATH'] ?? own })
  Object.assign(globalThis, { watchpostReporter: suiteReporter(own) })
  process.argv = given.argv
  writeFileSync(join(own, suiteFiles.runner), String(process.pid))
}

const settings = JSON.parse(process.env['WATCHPOST_SUITE'] ?? 'null') as SuiteSettings | null
const program = programOf(process.argv[1])

if (settings !== null) {
  hookNetwork(settings.egressProxyPort)
  forgiveModes()
  if (/\/node_modules\/(@playwright\/test|playwright)\//.test(program)) preparePlaywright(settings, program)
}
