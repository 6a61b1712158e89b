import { hyphenated, runtimeIds } from '../../protocol/runtime.ts'
import type { Io } from '../io.ts'
import { installedModules, type Runtime } from '../sandbox/runtimes.ts'
import type { ScriptListener } from '../sandbox/sandbox.ts'
import { userAgent as ownName } from '../version.ts'
import type { BrowserJob, BrowserRun, BrowsersOptions } from './browsers.ts'
import type { Chromium } from './task.ts'

/**
 * What this machine can do for browser and multi-step checks. `library`: a runtime with Playwright is installed. `chromium`: the browser
 * that was launched; null with the `problem` why there is none.
 */
export type BrowserStanding = {
  library: boolean
  chromium: Chromium | null
  version: string | null
  problem: string | null
}

type TryRun = (
  chromium: Chromium,
  job: BrowserJob,
  listener: ScriptListener,
  io: Io,
) => Promise<BrowserRun | { problem: string }>

/** A page with a word in it: without fonts it would have no width. */
const script = `
const { chromium } = require('playwright')
const browser = await chromium.launch()
const page = await browser.newPage()
await page.setContent('<span>word</span>')
const [agent, width] = await page.evaluate(() => [navigator.userAgent, document.querySelector('span').offsetWidth])
if (!(width > 0)) throw new Error('it shows no text: are there fonts?')
console.log('browser: ' + JSON.stringify([browser.version(), agent]))
await browser.close()
`

const tryMs = 30_000

/** Launches the browser as runs do: with its own sandbox if the kernel lets it, else without. */
export const tryBrowser = async (
  options: Pick<BrowsersOptions, 'runtimes' | 'chromium'>,
  run: TryRun,
  io: Io,
): Promise<BrowserStanding> => {
  const { runtimes, chromium: path } = options
  const none = { chromium: null, version: null }
  const runtime = runtimeWithPlaywright(runtimes)
  if (runtime === undefined)
    return {
      ...none,
      library: false,
      problem: `no runtime with Playwright is installed; "npm run runtime ${hyphenated(runtimes[0]?.id ?? runtimeIds[0])}" installs one`,
    }
  if (path === null)
    return {
      ...none,
      library: true,
      problem: 'no Chromium was found; "apt-get install chromium-headless-shell" installs one',
    }
  const problems: string[] = []
  for (const sandbox of [true, false]) {
    const told = await launchOnce({ path, sandbox, args: [] }, { run, runtimeId: runtime.id, io })
    if ('problem' in told) problems.push(told.problem)
    else {
      const { version, userAgent } = told
      const problem = sandbox ? null : `its own sandbox is off (${problems[0]})`
      return { library: true, version, problem, chromium: { path, sandbox, args: [userAgent] } }
    }
  }
  return { ...none, library: true, problem: `${path} does not start: ${problems.join('; ')}` }
}

/** For those to whom any will do. */
export const runtimeWithPlaywright = (runtimes: readonly Runtime[]): Runtime | undefined =>
  runtimes.find((one) => one.packages.includes('playwright') && installedModules(one) !== null)

type Trial = { run: TryRun; runtimeId: string; io: Io }

const launchOnce = async (
  chromium: Chromium,
  { run, runtimeId, io }: Trial,
): Promise<{ version: string; userAgent: string } | { problem: string }> => {
  const lines: string[] = []
  const listener = {
    signal: new AbortController().signal,
    say: (_: string, msg: string) => void lines.push(msg),
    hide: () => true,
  }
  const spec = { script, scriptPath: null, dependencies: [], shouldFail: false }
  const job = {
    spec,
    runtimeId,
    variables: {},
    secretNames: [],
    withBrowser: false,
    userAgent: '',
    timeMs: tryMs,
  }
  try {
    const ended = await run(chromium, job, listener, io)
    if ('problem' in ended) return ended
    const told = lines.find((line) => line.startsWith('browser: '))
    if (told === undefined || ended.errors.length > 0 || ended.limit !== null)
      return { problem: firstLine(ended.errors[0]?.message ?? `it ${ended.limit}: ${lines.join(' ')}`) }
    const [version, agent] = JSON.parse(told.slice('browser: '.length)) as [string, string]
    return { version, userAgent: `--user-agent=${agent} ${ownName}` }
  } catch (error) {
    return { problem: firstLine((error as Error).message) }
  }
}

/** Playwright adds the browser's whole log. */
const firstLine = (text: string): string => {
  const lines = text.split('\n').map((line) => line.trim())
  const fatal = lines.find((line) => /FATAL|No usable sandbox|error while loading/.test(line))
  return (fatal ?? lines[0] ?? '').slice(0, 300)
}
