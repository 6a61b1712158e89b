/**
 * The program inside the process of a browser or multi-step check (`agent/browser/browsers.ts`): loads Playwright while nobody waits,
 * reads its task, runs the script, tells how it ended. Nothing here is a secret from the script, and nobody trusts what comes out.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { readyConsole } from '../../sandbox/child/console.ts'
import { runFiles } from '../run-files.ts'
import type { BrowserTask, RunSettings, Style } from '../task.ts'
import { createBrowserEvents } from './browser-events.ts'
import { hookNetwork, prepareProcess, requireIn } from './browser-process.ts'
import { linkFfmpeg } from './link-ffmpeg.ts'
import { loadForRunner } from './load-ahead.ts'
import { prepareWorker } from './prepared-worker.ts'
import { runLibrary } from './run-library.ts'
import { runTests } from './run-tests.ts'

const { process } = globalThis
const folder = process.cwd()
const own = join(folder, 'tmp')
const project = join(own, runFiles.project)
const egressProxyPort = Number(process.env['WATCHPOST_EGRESS_PROXY_PORT'])
const require = requireIn(folder)
const { WATCHPOST_FFMPEG: ffmpeg, PLAYWRIGHT_BROWSERS_PATH: browsers = own } = process.env
if (ffmpeg !== undefined) linkFfmpeg(ffmpeg, { require, browsers })
// What Playwright tells of files, its older versions resolve from the folder in which they were loaded.
mkdirSync(project, { recursive: true, mode: 0o700 })
process.chdir(project)
const worker = (process.argv[2] as Style) === 'test' ? prepareWorker(folder) : null

hookNetwork(egressProxyPort)
if (worker === null) require('playwright')
else loadForRunner(require)
worker?.onEnd(() => process.exit(1))
// What reads for ever must not keep the runner from seeing how its worker is.
const input = worker === null ? readFileSync(0, 'utf8') : await text(process.stdin)
// Nobody had a task for it.
if (input === '') process.exit(0)
const task: BrowserTask = JSON.parse(input)
const { secretNames, chromium, userAgent, traces, style } = task
const settings: RunSettings = {
  folder,
  egressProxyPort,
  task: { secretNames, chromium, userAgent, traces, style },
}
process.env = {
  ...task.variables,
  ...process.env,
  WATCHPOST_RUN: JSON.stringify(settings),
  NODE_OPTIONS: `--no-warnings --require ${join(folder, 'browser-preload.mjs')}`,
}
const entry = join(project, task.entry)
mkdirSync(join(own, runFiles.output), { recursive: true })
const events = createBrowserEvents()
const { watch, seen, calls } = prepareProcess(settings)
if (style === 'library') readyConsole(events.log)
events.started()
worker?.offer(task.variables)
if (calls === null) runTests({ task, folder, entry, events, seen })
else await runLibrary({ project, entry, events, watch, calls })
