import { CannotRun } from '../base/cannot-run.ts'
import { DeadlinePassed } from '../base/deadline.ts'
import { longestWaitMs, longestWorkMs, type RunBudget } from './limits.ts'
import type { TaskEnd } from './pool.ts'

const inSeconds = (milliseconds: number): string => `${milliseconds / 1000} s`

/**
 * Why assertions have no outcome, for those that have none. Not the target's fault, and not the check's, is what is thrown:
 * CannotRun when this agent or its machine had no time, the signal's reason when nobody wants the run any more.
 */
export const judgingError = (
  end: TaskEnd,
  { budget, signal }: { budget: RunBudget; signal: AbortSignal },
): string => {
  const { why, cpuMs, wallMs } = end
  if (why instanceof Error) throw why
  if (why === 'out-of-time')
    return `ran out of the run's ${inSeconds(budget.cpuMs)} of processor time before this assertion was judged`
  if (why === 'out-of-memory')
    return `ran out of the run's ${budget.memoryMb} MB of memory before this assertion was judged`
  if (why === 'busy' || why === 'starved') throw noTime(why)
  if (why === 'done') throw new Error('an assertion was left out')
  if (!(signal.reason instanceof DeadlinePassed)) throw signal.reason
  if (wallMs === 0) throw noTime('busy')
  if (wallMs > shortestStarvedMs && cpuMs < wallMs / 2) throw noTime('starved')
  return `the run's limit of ${inSeconds(signal.reason.timeoutMs)} passed before this assertion was judged`
}

/** Shorter work says nothing about the machine. */
const shortestStarvedMs = 1000

/** Nothing of a run is shown whose secrets are still in it. */
export const scrubbingError = ({ why }: TaskEnd, { scrubCpuMs, memoryMb }: RunBudget): Error => {
  if (why instanceof Error) return why
  if (why === 'busy' || why === 'starved') return noTime(why)
  return new CannotRun(
    why === 'out-of-memory'
      ? `its secrets could not be taken out of the result within ${memoryMb} MB of memory`
      : `its secrets could not be taken out of the result within ${inSeconds(scrubCpuMs)} of processor time`,
  )
}

const noTime = (why: 'busy' | 'starved'): CannotRun =>
  new CannotRun(
    why === 'busy'
      ? `this agent had no process free within ${inSeconds(longestWaitMs)} to judge what the run saw: too many expensive assertions at once`
      : `this machine gave the agent too little processor time to judge what the run saw within ${inSeconds(longestWorkMs)}`,
  )
