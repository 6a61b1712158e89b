import { hyphenated, type RuntimeId, runtimeIds } from '../../protocol/runtime.ts'
import { userAgent as ownName } from '../base/version.ts'
import type { Io } from '../net/io.ts'
import { runtimesWithPlaywright } from '../sandbox/runtimes.ts'
import type { ScriptListener } from '../sandbox/sandbox-options.ts'
import type { BrowserJob, BrowserRun } from './browser-job.ts'
import type { BrowsersOptions } from './browsers-options.ts'
import { howToGetChromium } from './find-chromium.ts'
import { StartedLate } from './run-browser-child.ts'
import type { Chromium } from './task.ts'

/**
 * What this machine can do for browser and multi-step checks. `runtimes`: those whose Playwright is installed; `library`: there is one.
 * `chromium`: the browser that was launched, and which `kind` it is; null with the `problem` why there is none.
 */
export type BrowserStatus = {
  runtimes: readonly RuntimeId[]
  library: boolean
  chromium: Chromium | null
  kind: string | null
  version: string | null
  problem: string | null
  /** Why no page can be recorded; null: they can. */
  videoError: string | null
  /** It may start some other time: this machine had no time for it. */
  wasLate: boolean
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
let video = 'there is no ffmpeg'
const ffmpeg = globalThis.process.env.FFMPEG
if (ffmpeg) try {
  const encoders = require('child_process').execFileSync(ffmpeg, ['-hide_banner', '-encoders'], { encoding: 'utf8' })
  video = encoders.includes('libvpx') ? null : ffmpeg + ' cannot write VP8'
} catch (error) { video = error.message }
const browser = await chromium.launch()
const page = await browser.newPage()
await page.setContent('<span>word</span>')
const [agent, width] = await page.evaluate(() => [navigator.userAgent, document.querySelector('span').offsetWidth])
if (!(width > 0)) throw new Error('it shows no text: are there fonts?')
console.log('browser: ' + JSON.stringify([browser.version(), agent, video]))
await browser.close()
`

const tryMs = 120_000

/** A browser that cannot start says so within seconds; Playwright itself waits for it for half a minute. */
const lateMs = 15_000

const howToGetVideos = '; "apt-get install ffmpeg" installs one'

/** Launches the browser as runs do: with its own sandbox if the kernel lets it, else without. */
export const tryBrowser = async (
  options: Pick<BrowsersOptions, 'runtimes' | 'chromium' | 'ffmpeg'>,
  run: TryRun,
  { io, signal }: { io: Io; signal: AbortSignal },
): Promise<BrowserStatus> => {
  const { chromium: program, ffmpeg } = options
  const runtimes = runtimesWithPlaywright(options.runtimes)
  const [runtimeId] = runtimes
  const common = { runtimes, library: runtimeId !== undefined, kind: program?.kind ?? null }
  const none = { ...common, chromium: null, version: null, videoError: null, wasLate: false }
  if (runtimeId === undefined || program === null)
    return { ...none, problem: missingParts(options, runtimeId !== undefined) }
  const { path } = program
  const problems: string[] = []
  for (const sandbox of [true, false]) {
    const trial = { run, runtimeId, io, ffmpeg, signal }
    const told = await launchOnce({ path, sandbox, videos: false, args: [] }, trial)
    if ('problem' in told) {
      problems.push(told.problem)
      // Its sandbox is not to blame.
      if (told.wasLate || signal.aborted)
        return { ...none, wasLate: told.wasLate, problem: `${path} did not start in time: ${told.problem}` }
    } else {
      const { version, userAgent, videoError } = told
      const problem = sandbox ? null : `its own sandbox is off (${problems[0]})`
      const videos = videoError === null
      const chromium = { path, sandbox, videos, args: [userAgent] }
      return { ...common, version, problem, videoError, chromium, wasLate: false }
    }
  }
  const shell = program.kind.includes('shell') ? '' : `; ${howToGetChromium}`
  return { ...none, problem: `${path} (${program.kind}) does not start: ${problems.join('; ')}${shell}` }
}

/** All that has to be installed, in one sentence. */
const missingParts = (
  { runtimes, chromium }: Pick<BrowsersOptions, 'runtimes' | 'chromium'>,
  hasPlaywright: boolean,
): string => {
  const newest = hyphenated(runtimes[0]?.id ?? runtimeIds[0])
  const parts = [
    ...(hasPlaywright
      ? []
      : [`no runtime with Playwright is installed; "npm run runtime ${newest}" installs one`]),
    ...(chromium === null ? [`no Chromium was found; ${howToGetChromium}`] : []),
  ]
  return parts.join(', and ')
}

type Trial = { run: TryRun; runtimeId: string; io: Io; ffmpeg: string | null; signal: AbortSignal }

type NotLaunched = { problem: string; wasLate: boolean }
type Launched = { version: string; userAgent: string; videoError: string | null }

const launchOnce = async (
  chromium: Chromium,
  { run, runtimeId, io, ffmpeg, signal }: Trial,
): Promise<Launched | NotLaunched> => {
  const lines: string[] = []
  const listener = {
    signal,
    say: (_: string, msg: string) => void lines.push(msg),
    hide: () => true,
  }
  const spec = { script, scriptPath: null, dependencies: [], shouldFail: false }
  const job = {
    spec,
    runtimeId,
    variables: ffmpeg === null ? {} : { FFMPEG: ffmpeg },
    secretNames: [],
    withBrowser: false,
    traces: false,
    userAgent: '',
    isRetry: false,
    timeMs: tryMs,
  }
  try {
    const ended = await run(chromium, job, listener, io)
    if ('problem' in ended) return { problem: ended.problem, wasLate: false }
    const told = lines.find((line) => line.startsWith('browser: '))
    if (told === undefined || ended.errors.length > 0 || ended.limit !== null)
      return {
        problem: firstLine(ended.errors[0]?.message ?? `it ${ended.limit}: ${lines.join(' ')}`),
        wasLate: ended.endedAt - ended.startedAt > lateMs,
      }
    const [version, agent, video] = JSON.parse(told.slice('browser: '.length)) as [
      string,
      string,
      string | null,
    ]
    return {
      version,
      videoError: video && `${firstLine(video)}${howToGetVideos}`,
      userAgent: `--user-agent=${agent} ${ownName}`,
    }
  } catch (error) {
    return { problem: firstLine((error as Error).message), wasLate: error instanceof StartedLate }
  }
}

/** Playwright adds the browser's whole log. */
const firstLine = (text: string): string => {
  const lines = text.split('\n').map((line) => line.trim())
  const fatal = lines.find((line) => /FATAL|No usable sandbox|error while loading/.test(line))
  return (fatal ?? lines[0] ?? '').slice(0, 300)
}
