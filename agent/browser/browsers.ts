/**
 * Scripts of browser and multi-step checks: programs that use Playwright, and files of its test runner. Each runs in a process
 * group of its own in isolation (`agent/isolation`), with a browser that is as new as it is, and with the egress proxy as its way out.
 *
 * Invariants: no process of a run outlives it; its folder goes with it on every path; what it leaves is taken from the folder
 * once nobody can change it any more.
 */
import { join } from 'node:path'
import { hyphenated } from '../../protocol/runtime.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { missingIsolation } from '../isolation/missing-isolation.ts'
import type { Io } from '../net/io.ts'
import { createPreparedChildren, type PreparedChildren } from '../sandbox/prepared-children.ts'
import { installedModules, type Runtime, runtimesWithPlaywright } from '../sandbox/runtimes.ts'
import type { ScriptListener } from '../sandbox/sandbox-options.ts'
import type { PreparedBounds } from '../sandbox/waiting-child.ts'
import { createAuthorities, type LayAuthorities, withAuthorities } from './authorities.ts'
import type { BrowserJob, BrowserRun } from './browser-job.ts'
import type { BrowsersOptions } from './browsers-options.ts'
import { type Collected, collectFiles } from './collect-files.ts'
import { type Driven, type Driver, drivePage } from './drive-page.ts'
import { type Layout, layoutOf, writeLayout } from './layout.ts'
import { type BrowserEnding, DeclaresTests, NeverBegan, runBrowserChild } from './run-browser-child.ts'
import { runFiles } from './run-files.ts'
import { type BrowserShape, startBrowserChild } from './start-browser-child.ts'
import { styleOf } from './style-of.ts'
import type { Chromium, Style } from './task.ts'
import { type BrowserStatus, tryBrowser } from './try-browser.ts'

type RunBrowser = (
  job: BrowserJob,
  listener: ScriptListener,
  io: Io,
) => Promise<BrowserRun | { problem: string }>

/** Where the pages of a run may be, and what drives them. */
type DriveJob<T> = { origins: readonly string[]; userAgent: string; timeMs: number; driver: Driver<T> }

export type DrivenRun<T> = Driven<T> & Collected & { sandbox: boolean }

type DriveBrowser = <T>(job: DriveJob<T>, listener: ScriptListener, io: Io) => Promise<DrivenRun<T>>

export type Browsers = {
  /** Tries the first time that it is called. */
  status(io: Io): Promise<BrowserStatus>
  /** What is known without waiting; null: nothing yet. */
  known(): BrowserStatus | null
  /** Rejects with CannotRun when this agent is at fault, and with the signal's reason when the run is cancelled. */
  run: RunBrowser
  /** Has a page driven from outside, by the same rules. */
  drive: DriveBrowser
  /** Lets a browser that is started elsewhere trust as these do. */
  layAuthorities: LayAuthorities
  /** Those that wait for a task end. */
  end(): Promise<void>
}

type Children = PreparedChildren<BrowserShape>

/** For checks that come every half an hour, or more often. A runner with its worker holds some 200 MB. */
const boundsOfBrowsers: PreparedBounds = {
  idleMs: 31 * 60_000,
  maxAgeMs: 15 * 60_000,
  maxBytes: 500 * 1024 * 1024,
  prepareAfterMs: 3000,
}

/** Starts nothing before somebody asks how it stands, or has a script. */
export const createBrowsers = (options: BrowsersOptions): Browsers => {
  const ending = new AbortController()
  let asking: Promise<BrowserStatus> | null = null
  let known: BrowserStatus | null = null
  const program = withAuthorities(options.browserProgram, options.extraCaCerts)
  const start = { ...options, program }
  const layAuthorities = createAuthorities(options.extraCaCerts, options.host)
  const children: Children = createPreparedChildren({
    start: (shape) => startBrowserChild(shape, start),
    max: options.preparedBrowsers,
    clock: options.clock,
    bounds: boundsOfBrowsers,
    onError: ({ message }) => options.log.debug(`no process was prepared for browser checks: ${message}`),
  })
  const tools = { options, children, layAuthorities }
  const status = async (io: Io): Promise<BrowserStatus> => {
    asking ??= tryBrowser(
      options,
      (chromium, job, listener) => runAnyway({ ...job, chromium }, { listener, io, ...tools }),
      { io, signal: ending.signal },
    )
    known = await asking
    if (known.wasLate) asking = null
    return known
  }
  return {
    status,
    known: () => known,
    run: async (job, listener, io) => {
      await holdToIsolation(options)
      const chromium = job.withBrowser ? await chromiumFor(() => status(io)) : null
      return runAnyway({ ...job, chromium }, { listener, io, ...tools })
    },
    drive: async (job, listener, io) => {
      await holdToIsolation(options)
      const chromium = await chromiumFor(() => status(io))
      return driveOne({ ...job, chromium }, { listener, io, ...tools })
    },
    layAuthorities,
    end: async () => {
      // What tries the browser has a folder, too.
      ending.abort()
      await asking
      await children.close()
    },
  }
}

type RunContext = {
  listener: ScriptListener
  io: Io
  options: BrowsersOptions
  children: Children
  layAuthorities: LayAuthorities
}

type LaunchedJob = BrowserJob & { chromium: Chromium | null }

const runAnyway = async (
  job: LaunchedJob,
  context: RunContext,
): Promise<BrowserRun | { problem: string }> => {
  const layout = layoutOf(job.spec)
  if ('problem' in layout) return layout
  const stopAt = context.options.clock.monotonic() + job.timeMs
  const runAs = (style: Style): Promise<BrowserRun> => runTwice({ ...job, layout, style, stopAt }, context)
  return runAs(styleOf(layout)).catch((error: unknown) => {
    if (error instanceof DeclaresTests) return runAs('test')
    throw error
  })
}

type StyledJob = LaunchedJob & { layout: Layout; style: Style; stopAt: number }

/** One that died just when it got its task has run nothing of it: a second one may have it. */
const runTwice = (job: StyledJob, context: RunContext): Promise<BrowserRun> =>
  runOne(job, context).catch((error: unknown) => {
    if (error instanceof NeverBegan) return runOne(job, context)
    throw error
  })

const runOne = async (
  job: StyledJob,
  { listener, io, options, children, layAuthorities }: RunContext,
): Promise<BrowserRun> => {
  const { chromium, variables, secretNames, userAgent, layout, style, stopAt } = job
  const child = await children.take({
    style,
    modules: modulesOf(job, options.runtimes),
    hasProxy: io.egressRoute.proxy !== null,
    chromium: chromium && { path: chromium.path, sandbox: chromium.sandbox },
  })
  try {
    const { inside, path } = child.folder
    const spent = new AbortController()
    child.egressProxy.serve({ io, say: listener.say, onSpent: () => spent.abort() })
    await writeLayout(join(inside, runFiles.project), layout, child.owner)
    if (chromium !== null) await layAuthorities(inside, child.owner)
    const task = { style, entry: layout.entry, variables, secretNames, userAgent, chromium }
    const traced = { ...task, traces: job.traces, keepsTraces: job.isRetry }
    const bounds = { stopAt, timeMs: job.timeMs, spent: spent.signal }
    const ending = await runBrowserChild(traced, { ...options, child, listener, ...bounds })
    const collected = await collectFiles(inside, new Set(layout.files.keys()), io.newId)
    return { ...withoutFolder(ending, path), ...collected, sandbox: chromium?.sandbox ?? null }
  } finally {
    await child.end()
    await child.remove()
  }
}

const chromiumFor = async (status: () => Promise<BrowserStatus>): Promise<Chromium> => {
  const { chromium, problem } = await status()
  if (chromium === null) throw new CannotRun(`This agent has no browser: ${problem}`)
  return chromium
}

const driveOne = async <T>(
  { chromium, origins, userAgent, timeMs, driver }: DriveJob<T> & { chromium: Chromium },
  { listener, io, options, children, layAuthorities }: RunContext,
): Promise<DrivenRun<T>> => {
  const stopAt = options.clock.monotonic() + timeMs
  const { path, sandbox } = chromium
  const child = await children.take({
    style: 'page',
    modules: modulesOf({ runtimeId: runtimesWithPlaywright(options.runtimes)[0] ?? null }, options.runtimes),
    hasProxy: io.egressRoute.proxy !== null,
    chromium: { path, sandbox },
  })
  try {
    child.egressProxy.serve({ io, say: listener.say })
    await layAuthorities(child.folder.inside, child.owner)
    const task = { chromium, userAgent, origins }
    const driven = await drivePage(task, { clock: options.clock, child, listener, stopAt, driver })
    return { ...driven, ...(await collectFiles(child.folder.inside, new Set(), io.newId)), sandbox }
  } finally {
    await child.end()
    await child.remove()
  }
}

const holdToIsolation = async ({ scriptIsolation, isolation }: BrowsersOptions): Promise<void> => {
  if (scriptIsolation === 'best') return
  const problem = missingIsolation((await isolation.status()).layers)
  if (problem !== null) throw new CannotRun(problem)
}

const modulesOf = ({ runtimeId }: Pick<BrowserJob, 'runtimeId'>, runtimes: readonly Runtime[]): string => {
  const runtime = runtimes.find(({ id }) => id === runtimeId)
  const modules = runtime === undefined ? null : installedModules(runtime)
  if (runtime === undefined) throw new CannotRun(`This agent does not have the runtime ${runtimeId}`)
  if (modules === null || !runtime.packages.includes('playwright'))
    throw new CannotRun(
      `Playwright of the runtime ${runtimeId} is not installed on this agent; "npm run runtime ${hyphenated(runtime.id)}" installs it`,
    )
  return modules
}

/** The folder of a run is not shown: it says nothing, and differs each time. */
const withoutFolder = (ending: BrowserEnding, folder: string): BrowserEnding => ({
  ...ending,
  errors: ending.errors.map((error) => ({
    ...error,
    message: error.message.replaceAll(join(folder, 'tmp', runFiles.project), '').replaceAll(folder, ''),
  })),
})
