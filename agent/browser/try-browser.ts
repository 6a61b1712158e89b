import { hyphenated, runtimeIds } from '../../protocol/runtime.ts'
import type { Io } from '../io.ts'
import { installedModules } from '../sandbox/runtimes.ts'
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
  /** Why no page can be recorded; null: they can. */
  videoProblem: string | null
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

const howToGetVideos = '; "apt-get install ffmpeg" installs one'

/** Launches the browser as runs do: with its own sandbox if the kernel lets it, else without. */
export const tryBrowser = async (
  options: Pick<BrowsersOptions, 'runtimes' | 'chromium' | 'ffmpeg'>,
  run: TryRun,
  io: Io,
): Promise<BrowserStanding> => {
  const { runtimes, chromium: path, ffmpeg } = options
  const none = { chromium: null, version: null, videoProblem: null }
  const runtime = runtimes.find(
    (one) => one.packages.includes('playwright') && installedModules(one) !== null,
  )
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
    const trial = { run, runtimeId: runtime.id, io, ffmpeg }
    const told = await launchOnce({ path, sandbox, videos: false, args: [] }, trial)
    if ('problem' in told) problems.push(told.problem)
    else {
      const { version, userAgent, videoProblem } = told
      const problem = sandbox ? null : `its own sandbox is off (${problems[0]})`
      const videos = videoProblem === null
      const chromium = { path, sandbox, videos, args: [userAgent] }
      return { library: true, version, problem, videoProblem, chromium }
    }
  }
  return { ...none, library: true, problem: `${path} does not start: ${problems.join('; ')}` }
}

type Trial = { run: TryRun; runtimeId: string; io: Io; ffmpeg: string | null }

type Launched = { version: string; userAgent: string; videoProblem: string | null }

const launchOnce = async (
  chromium: Chromium,
  { run, runtimeId, io, ffmpeg }: Trial,
): Promise<Launched | { problem: string }> => {
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
    variables: ffmpeg === null ? {} : { FFMPEG: ffmpeg },
    secretNames: [],
    withBrowser: false,
    userAgent: '',
    isRetry: false,
    timeMs: tryMs,
  }
  try {
    const ended = await run(chromium, job, listener, io)
    if ('problem' in ended) return ended
    const told = lines.find((line) => line.startsWith('browser: '))
    if (told === undefined || ended.errors.length > 0 || ended.limit !== null)
      return { problem: firstLine(ended.errors[0]?.message ?? `it ${ended.limit}: ${lines.join(' ')}`) }
    const [version, agent, video] = JSON.parse(told.slice('browser: '.length)) as [
      string,
      string,
      string | null,
    ]
    return {
      version,
      videoProblem: video && `${firstLine(video)}${howToGetVideos}`,
      userAgent: `--user-agent=${agent} ${ownName}`,
    }
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
