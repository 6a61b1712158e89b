import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { compile } from '../../../protocol/validate.ts'
import { CannotRun } from '../../cannot-run.ts'
import { DeadlinePassed } from '../../deadline.ts'
import { closeGraceMs, endGroup, signalGroup } from '../../sandbox/end-group.ts'
import { readLines } from '../../sandbox/read-lines.ts'
import type { ScriptListener } from '../../sandbox/sandbox.ts'
import type { PathRule } from '../../walls/landlock.ts'
import { type TreeUse, watchTree } from '../watch-tree.ts'
import { readStageOutput } from './stage-output.ts'
import { pathless, type SuiteFolder } from './suite-folder.ts'
import type { SuitesOptions } from './suites.ts'
import { StageEvent, type StageTask } from './task.ts'

/** `limit`: what it was stopped for, in words. `lastLines`: of what it printed. */
export type StageEnding = {
  code: number | null
  limit: string | null
  lastLines: string
  use: TreeUse
  startedAt: number
  endedAt: number
}

export type Stage = {
  /** In a sentence: "The install command". */
  name: string
  task: StageTask
  /** Beside the folder's own. */
  files: readonly PathRule[]
  /** Chromium builds a sandbox of its own. */
  ownSandbox: boolean
  timeMs: number
  maxMemoryMb: number
  /** It has something to put away when it is stopped. */
  softly: boolean
}

type StageContext = { place: SuiteFolder; options: SuitesOptions; listener: ScriptListener }

type Ended = { kind: 'ended'; code: number | null } | { kind: 'not-started' | 'stopped'; problem: string }

const validate = compile(StageEvent)
const startTimeMs = 30_000
const softStopMs = 10_000

/** One command from its start to the end of all its processes. */
export const runStage = async (stage: Stage, context: StageContext): Promise<StageEnding> => {
  const { place, options, listener } = context
  const { walls, clock, host } = options
  const leader = await started(stage, context)
  const output = readStageOutput(leader, {
    say: listener.say,
    clean: (line) => pathless(line, place),
  })
  const watched = watch(leader, stage, context)
  // A child that ends early does not read; how it ended says why.
  const stdin = leader.stdin as Writable
  stdin.on('error', () => undefined)
  stdin.end(JSON.stringify(stage.task))
  const ended = await watched.ending
  const endedAt = Math.ceil(clock.now())
  const use = watched.stop()
  await endGroup(leader, { host, clock })
  if (place.walled) await walls.reap(leader.pid as number)
  if (ended.kind === 'not-started')
    throw new CannotRun(`This agent cannot start a process for the suite: ${ended.problem}`)
  return {
    code: ended.kind === 'ended' ? ended.code : null,
    limit: ended.kind === 'stopped' ? ended.problem : watched.whyStopped(),
    lastLines: output.end(),
    use,
    startedAt: watched.startedAt() ?? endedAt,
    endedAt,
  }
}

const started = async (stage: Stage, context: StageContext): Promise<ChildProcess> => {
  try {
    const child = start(stage, context)
    await once(child, 'spawn')
    child.on('error', () => undefined)
    return child
  } catch (error) {
    throw new CannotRun(`This agent cannot start a process for the suite: ${(error as Error).message}`)
  }
}

const maxHeapMb = 64

const start = ({ files, ownSandbox }: Stage, { place, options }: StageContext): ChildProcess => {
  const { folder, owner, broker, programs, walled } = place
  const args = ['--no-warnings', `--max-old-space-size=${maxHeapMb}`, join(folder.path, 'suite-main.mjs')]
  if (!walled)
    return spawn(options.host.execPath, args, {
      cwd: folder.path,
      env: { TZ: 'UTC', HOME: folder.writable, TMPDIR: folder.writable },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    })
  return options.walls.launch({
    profile: ownSandbox ? 'browser-sandbox' : 'browser',
    folder: folder.path,
    writable: folder.writable,
    readable: [
      ...files,
      { path: programs, file: false, may: 'run' },
      { path: folder.writable, file: false, may: 'run' },
    ],
    brokerPort: broker.port,
    owner,
    args,
    env: {},
  })
}

const watch = (leader: ChildProcess, stage: Stage, { options, listener }: StageContext) => {
  const { clock, host } = options
  const { promise, resolve } = Promise.withResolvers<Ended>()
  let startedAt: number | null = null
  let whyStopped: string | null = null
  const stopped = (problem: string): void => resolve({ kind: 'stopped', problem })
  let cancelTimer = clock.at(startTimeMs, () =>
    resolve({ kind: 'not-started', problem: `not within ${startTimeMs / 1000} seconds` }),
  )
  const stop = (problem: string): void => {
    cancelTimer()
    if (!stage.softly || startedAt === null) {
      stopped(problem)
      return
    }
    whyStopped = problem
    leader.kill('SIGINT')
    cancelTimer = clock.at(softStopMs, () => stopped(problem))
  }
  readLines(leader.stdio[3] as Readable, validate, {
    maxBytes: 64 * 1024,
    onNonsense: () => stopped('was stopped: it wrote to a descriptor that is not its own'),
    onEvent: (event) => {
      if (event.type === 'ended') resolve({ kind: 'ended', code: event.code })
      else if (startedAt !== null) stopped('was stopped: it wrote to a descriptor that is not its own')
      else if (event.type === 'not-started') resolve({ kind: 'not-started', problem: event.problem })
      else {
        startedAt = Math.floor(clock.now())
        cancelTimer()
        cancelTimer = clock.at(stage.timeMs, () => stop(timeWasUp(stage.timeMs)))
      }
    },
  })
  const maxBytes = stage.maxMemoryMb * 1024 * 1024
  const tree = watchTree({ group: leader.pid as number, maxBytes, clock }, () =>
    stopped(`was stopped: it used more than its ${stage.maxMemoryMb} MB of memory`),
  )
  leader.once('exit', () => {
    // Descendants would hold the pipes open; what it said before may still be on its way.
    signalGroup(leader, host, 'SIGKILL')
    const problem = 'ended its process before it was done'
    const late = clock.at(closeGraceMs, () => stopped(problem))
    leader.once('close', () => {
      late()
      stopped(problem)
    })
  })
  const abort = (): void =>
    stop(
      listener.signal.reason instanceof DeadlinePassed
        ? 'was stopped: the time of the whole run was up'
        : 'was stopped: the run was cancelled',
    )
  listener.signal.addEventListener('abort', abort)
  if (listener.signal.aborted) abort()
  return {
    ending: promise,
    startedAt: () => startedAt,
    whyStopped: () => whyStopped,
    stop: (): TreeUse => {
      cancelTimer()
      listener.signal.removeEventListener('abort', abort)
      return tree.stop()
    },
  }
}

const timeWasUp = (timeMs: number): string =>
  `was stopped: it took longer than ${timeMs >= 120_000 ? `${Math.round(timeMs / 60_000)} minutes` : `${Math.round(timeMs / 1000)} seconds`}`
