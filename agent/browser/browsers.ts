/**
 * Scripts of browser and multi-step checks: programs that use Playwright, and files of its test runner. Each runs in a process
 * group of its own behind the walls (`agent/walls`), with a browser that is as new as it is, and with the broker as its way out.
 *
 * Invariants: no process of a run outlives it; its folder goes with it on every path; what it leaves is taken from the folder
 * once nobody can change it any more.
 */
import { createHash, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import type { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import { hyphenated } from '../../protocol/runtime.ts'
import type { OpenBroker } from '../broker/broker.ts'
import { CannotRun } from '../cannot-run.ts'
import type { Io, Log } from '../io.ts'
import { createPreparedChildren, type PreparedChildren } from '../sandbox/prepared-children.ts'
import type { Program } from '../sandbox/program.ts'
import { installedModules, type Runtime } from '../sandbox/runtimes.ts'
import type { Host, ScriptListener } from '../sandbox/sandbox.ts'
import { missingWalls } from '../walls/missing-walls.ts'
import type { Walls } from '../walls/walls.ts'
import { type Collected, collectFiles } from './collect-files.ts'
import { layoutOf, styleOf, writeLayout } from './layout.ts'
import { type BrowserEnding, runBrowserChild } from './run-browser-child.ts'
import { runFiles } from './run-files.ts'
import { type BrowserShape, startBrowserChild } from './start-browser-child.ts'
import type { Chromium } from './task.ts'
import { type BrowserStanding, tryBrowser } from './try-browser.ts'

export type BrowserJob = {
  spec: ScriptSpec
  runtimeId: string | null
  variables: Record<string, string>
  secretNames: readonly string[]
  /** False: a check that has none, or does without. */
  withBrowser: boolean
  userAgent: string
  /** Its trace is kept even if it passes. */
  isRetry: boolean
  /** When a script that still runs is to be stopped. */
  timeMs: number
}

/** `problem`: why the script was never run, in a sentence about it. */
export type BrowserRun = BrowserEnding & Collected & { sandbox: boolean | null }

export type RunBrowser = (
  job: BrowserJob,
  listener: ScriptListener,
  io: Io,
) => Promise<BrowserRun | { problem: string }>

export type Browsers = {
  /** Tries the first time that it is called. */
  standing(io: Io): Promise<BrowserStanding>
  /** What is known without waiting; null: nothing yet. */
  known(): BrowserStanding | null
  /** Rejects with CannotRun when this agent is at fault, and with the signal's reason when the run is cancelled. */
  run: RunBrowser
  /** Those that wait for a task end. */
  end(): Promise<void>
}

export type BrowsersOptions = {
  host: Host
  clock: TimerClock
  log: Pick<Log, 'debug'>
  extraCaCerts: string | null
  /** Processes that may wait for scripts. */
  preparedBrowsers: number
  runtimes: readonly Runtime[]
  browserProgram(): Promise<Program>
  /** The browser's program; null: there is none. */
  chromium: string | null
  /** What records pages; null: there is nothing. */
  ffmpeg: string | null
  walls: Walls
  scriptIsolation: 'required' | 'best'
  openBroker: OpenBroker
}

type Children = PreparedChildren<BrowserShape>

/** Starts nothing before somebody asks how it stands, or has a script. */
export const createBrowsers = (options: BrowsersOptions): Browsers => {
  let asking: Promise<BrowserStanding> | null = null
  let known: BrowserStanding | null = null
  const start = { ...options, program: options.browserProgram }
  const children: Children = createPreparedChildren({
    start: (shape) => startBrowserChild(shape, start),
    most: options.preparedBrowsers,
    clock: options.clock,
    onProblem: ({ message }) => options.log.debug(`no process was prepared for browser checks: ${message}`),
  })
  const standing = async (io: Io): Promise<BrowserStanding> => {
    asking ??= tryBrowser(
      options,
      (chromium, job, listener) => runOne({ ...job, chromium }, { listener, io, options, children }),
      io,
    )
    known = await asking
    return known
  }
  return {
    standing,
    known: () => known,
    run: async (job, listener, io) => {
      await holdToIsolation(options)
      const { chromium, problem } = job.withBrowser ? await standing(io) : { chromium: null, problem: null }
      if (job.withBrowser && chromium === null) throw new CannotRun(`This agent has no browser: ${problem}`)
      const trusting = chromium && withTrust(chromium, options.extraCaCerts)
      return runOne({ ...job, chromium: trusting }, { listener, io, options, children })
    },
    end: children.close,
  }
}

type RunContext = { listener: ScriptListener; io: Io; options: BrowsersOptions; children: Children }

const runOne = async (
  job: BrowserJob & { chromium: Chromium | null },
  { listener, io, options, children }: RunContext,
): Promise<BrowserRun | { problem: string }> => {
  const layout = layoutOf(job.spec)
  if ('problem' in layout) return layout
  const { chromium, variables, secretNames, userAgent } = job
  const stopAt = options.clock.monotonic() + job.timeMs
  const style = styleOf(layout)
  const child = await children.take({
    style,
    modules: modulesOf(job, options.runtimes),
    hasProxy: io.egressRoute.proxy !== null,
    chromium: chromium && { path: chromium.path, sandbox: chromium.sandbox },
  })
  try {
    const { writable, path } = child.folder
    const spent = new AbortController()
    child.broker.serve({ io, say: listener.say, onSpent: () => spent.abort() })
    await writeLayout(join(writable, runFiles.project), layout, child.owner)
    const task = { style, entry: layout.entry, variables, secretNames, userAgent, chromium }
    const traced = { ...task, traces: job.withBrowser, keepsTraces: job.isRetry }
    const bounds = { stopAt, timeMs: job.timeMs, spent: spent.signal }
    const ending = await runBrowserChild(traced, { ...options, child, listener, ...bounds })
    const collected = await collectFiles(writable, new Set(layout.files.keys()), io.newId)
    return { ...withoutFolder(ending, path), ...collected, sandbox: chromium?.sandbox ?? null }
  } finally {
    await child.end()
    await child.remove()
  }
}

const holdToIsolation = async ({ scriptIsolation, walls }: BrowsersOptions): Promise<void> => {
  if (scriptIsolation === 'best') return
  const problem = missingWalls((await walls.standing()).walls)
  if (problem !== null) throw new CannotRun(problem)
}

const modulesOf = ({ runtimeId }: BrowserJob, runtimes: readonly Runtime[]): string => {
  const runtime = runtimes.find(({ id }) => id === runtimeId)
  const modules = runtime === undefined ? null : installedModules(runtime)
  if (runtime === undefined) throw new CannotRun(`This agent does not have the runtime ${runtimeId}`)
  if (modules === null || !runtime.packages.includes('playwright'))
    throw new CannotRun(
      `Playwright of the runtime ${runtimeId} is not installed on this agent; "npm run runtime ${hyphenated(runtime.id)}" installs it`,
    )
  return modules
}

/** The location's own authorities: certificates with a key of theirs in their chain are taken. */
const withTrust = (chromium: Chromium, extraCaCerts: string | null): Chromium => {
  const blocks = extraCaCerts?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) return chromium
  const keys = blocks.map((pem) =>
    createHash('sha256')
      .update(new X509Certificate(pem).publicKey.export({ type: 'spki', format: 'der' }))
      .digest('base64'),
  )
  return { ...chromium, args: [...chromium.args, `--ignore-certificate-errors-spki-list=${keys.join()}`] }
}

/** Where a run lay is nobody's business, and another place each time. */
const withoutFolder = (ending: BrowserEnding, folder: string): BrowserEnding => ({
  ...ending,
  errors: ending.errors.map(({ message, line }) => ({
    message: message.replaceAll(join(folder, 'tmp', runFiles.project), '').replaceAll(folder, ''),
    line,
  })),
})
