import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { HeldLimits } from '../../../protocol/checks/held-limits.ts'
import { compile } from '../../../protocol/validate.ts'
import { DeadlinePassed } from '../../base/deadline.ts'
import type { ControlGroup } from '../../isolation/control-groups.ts'
import { whenGone } from '../../sandbox/end-group.ts'
import { ifMeasured, tooManyFiles, tooMuchMemory } from '../../sandbox/limits.ts'
import { readLines } from '../../sandbox/read-lines.ts'
import { watchFiles } from '../../sandbox/watch-files.ts'
import { type TreeUse, watchTree } from '../watch-tree.ts'
import type { Stage, StageContext } from './stage.ts'
import { filesOfSuites } from './suite-folder.ts'
import { StageEvent } from './task.ts'

type StageEnd = { kind: 'ended'; code: number | null } | { kind: 'not-started' | 'stopped'; problem: string }

const validate = compile(StageEvent)
const softStopMs = 10_000
const wroteNonsense = 'was stopped: it wrote to a descriptor that is not its own'

type Watched = {
  leader: ChildProcess
  stage: Stage
  context: StageContext
  limits: HeldLimits
  group: ControlGroup | null
}

/** Follows the leader of a stage until it ends or has to be ended. */
export const watchStage = ({ leader, stage, context, limits, group }: Watched) => {
  const { clock } = context.options
  const { promise, resolve } = Promise.withResolvers<StageEnd>()
  let startedAt: number | null = null
  let whyStopped: string | null = null
  const stopped = (problem: string): void => resolve({ kind: 'stopped', problem })
  let cancelTimer = clock.at(stage.timeMs, () => resolve(notInTime(stage)))
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
    onNonsense: () => stopped(wroteNonsense),
    onEvent: (event) => {
      if (event.type === 'ended') resolve({ kind: 'ended', code: event.code })
      else if (startedAt !== null) stopped(wroteNonsense)
      else if (event.type === 'not-started') resolve({ kind: 'not-started', problem: event.problem })
      else {
        startedAt = Math.floor(clock.now())
        cancelTimer()
        cancelTimer = clock.at(stage.timeMs, () => stop(timeWasUp(stage.timeMs)))
      }
    },
  })
  const maxBytes = limits.memory.mb * 1024 * 1024
  const tree = watchTree(
    { group: leader.pid as number, maxBytes, clock },
    ifMeasured(limits.memory, () => stopped(tooMuchMemory(limits.memory))),
  )
  const { folder } = context.suiteFolder
  const disk = watchFiles({ folder, files: filesOfSuites, members: tree.members, clock }, () =>
    stopped(tooManyFiles(limits.files)),
  )
  whenGone(leader, context.options, async () => {
    const wasKilled = (await group?.ranOutOfMemory()) ?? false
    stopped(wasKilled ? tooMuchMemory(limits.memory) : 'ended its process before it was done')
  })
  const forget = whenAborted(context.listener.signal, (problem, reason) =>
    startedAt === null && reason instanceof DeadlinePassed ? resolve(notInTime(stage)) : stop(problem),
  )
  return {
    ending: promise,
    startedAt: () => startedAt,
    whyStopped: () => whyStopped,
    wereFull: disk.wereFull,
    stop: (): TreeUse => {
      cancelTimer()
      forget()
      disk.stop()
      return tree.stop()
    },
  }
}

const whenAborted = (signal: AbortSignal, stop: (problem: string, reason: unknown) => void): (() => void) => {
  const abort = (): void =>
    stop(
      signal.reason instanceof DeadlinePassed
        ? 'was stopped: the time of the whole run was up'
        : 'was stopped: the run was cancelled',
      signal.reason,
    )
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  return () => signal.removeEventListener('abort', abort)
}

const notInTime = ({ timeMs }: Stage): StageEnd => ({
  kind: 'not-started',
  problem: `not within ${Math.round(timeMs / 1000)} seconds`,
})

const timeWasUp = (timeMs: number): string =>
  `was stopped: it took longer than ${timeMs >= 120_000 ? `${Math.round(timeMs / 60_000)} minutes` : `${Math.round(timeMs / 1000)} seconds`}`
