/** An agent's parts that run browser and multi-step checks, in the isolation of this machine, with its own Chromium. */
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { findChromium } from '../../agent/browser/find-chromium.ts'
import { findFfmpeg } from '../../agent/browser/find-ffmpeg.ts'
import { runJob } from '../../agent/jobs/run-job.ts'
import { realClock } from '../../agent/program/real-io.ts'
import { findRuntimes, installedModules, ownRuntimes } from '../../agent/sandbox/runtimes.ts'
import type { BrowserCheckResult } from '../../protocol/checks/script-result.ts'
import type { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import type { TimerClock } from '../../protocol/clock.ts'
import type { Job } from '../../protocol/job.ts'
import { hyphenated, type RuntimeId } from '../../protocol/runtime.ts'
import { agentIo } from './agent-io.ts'
import { urlJob } from './fake-control-plane.ts'
import { runsIn } from './length.ts'

const noFolder = '/none'

/** Whether pages can be recorded here. */
export const recordsVideos = findFfmpeg(noFolder) !== null

/** Why nothing can be tested here, or false. */
export const cannotBrowse = (): string | false => {
  const newest = findRuntimes(ownRuntimes)[0]
  if (newest === undefined || installedModules(newest) === null)
    return 'the packages of runtimes/2026-04 are not installed'
  return findChromium(noFolder) === null && 'no Chromium is installed'
}

/**
 * Those that scripts of Playwright run in, each with why it cannot be tested here, or false. What holds for the newest and for the
 * oldest is tried with those between them in long runs only; browser.test and prepared-worker.test run 2025.04 always.
 */
export const browsingRuntimes = (): { id: RuntimeId; isNewest: boolean; skip: string | false }[] =>
  (runsIn('long') ? (['2026.04', '2025.04', '2024.09'] as const) : (['2026.04', '2024.09'] as const)).map(
    (id) => {
      const runtime = findRuntimes(ownRuntimes).find((one) => one.id === id)
      const isMissing = runtime === undefined || installedModules(runtime) === null
      const skip =
        cannotBrowse() || (isMissing && `the packages of runtimes/${hyphenated(id)} are not installed`)
      return { id, isNewest: id === '2026.04', skip }
    },
  )

export type RunChange = Partial<Omit<Job, 'spec'>> & Partial<ScriptSpec>

export type ScriptRunSeen = {
  failure: { code: string; message: string } | null
  detail: BrowserCheckResult
  log: string
  /** Kept files by their names, as they would be uploaded. */
  files: Map<string, Buffer>
}

export const leftFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('watchpost-script-'))

/** `prepared`: processes that wait for scripts. `ffmpeg`: null where the machine's is not to be used. `clock`: of scripts. */
type RoomOptions = {
  prepared?: number
  ffmpeg?: null
  clock?: TimerClock
  volumes?: boolean
  extraCaCerts?: string
}

export const browserRoom = async (
  t: Test,
  { prepared = 0, ffmpeg, clock = realClock(), volumes = true, extraCaCerts }: RoomOptions = {},
) => {
  const io = agentIo({
    isolated: true,
    volumes,
    preparedBrowsers: prepared,
    scriptClock: clock,
    ...(ffmpeg === undefined ? {} : { ffmpeg }),
    ...(extraCaCerts === undefined ? {} : { extraCaCerts }),
  })
  t.teardown(async () => {
    await io.browsers.end()
    await io.endScripts()
  })
  const status = await io.browsers.status(io)
  const job = (script: string, change: RunChange): Job => {
    const { scriptPath = null, dependencies = [], snippets = [], shouldFail = false, ...rest } = change
    return urlJob('', {
      checkType: 'BROWSER',
      runtimeId: '2026.04',
      deadlineMs: 120_000,
      ...rest,
      spec: { script, scriptPath, dependencies, snippets, shouldFail },
    })
  }
  const attempt = async (script: string, change: RunChange = {}, controller = new AbortController()) => {
    const result = await runJob(job(script, change), io, controller)
    const files = new Map<string, Buffer>()
    for (const artifact of result.artifacts) {
      files.set(artifact.name, await buffer(artifact.bytes()))
      await artifact.discard()
    }
    return { ...result, files }
  }
  const run = async (script: string, change: RunChange = {}): Promise<ScriptRunSeen> => {
    const { outcome, log, files } = await attempt(script, change)
    if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
    const { failure, detail } = outcome.observation
    return {
      failure,
      detail: detail as BrowserCheckResult,
      log: log.map(({ level, msg }) => `${level} ${msg}`).join('\n'),
      files,
    }
  }
  return { io, status, run, attempt }
}

/** One for all tests of a file, made when the first of them asks: to try its browser takes as long as a script does. */
export const sharedRoom = (t: Test, options: RoomOptions = {}): (() => ReturnType<typeof browserRoom>) => {
  let room: ReturnType<typeof browserRoom> | undefined
  return () => {
    room ??= browserRoom(t, options)
    return room
  }
}
