import { type CheckType, type JobQueue, queueOf } from '../../../protocol/check-type.ts'
import type { RunObservation } from './run-observations.ts'

const windowMs = 10 * 60_000
/** Of one location and queue; the oldest go first. */
const maxRetained = 2000

type Delay = { at: number; delayMs: number }

/** How long runs of the last ten minutes waited from when they were due until they started, by location and queue. */
export type StartDelays = {
  add(run: Pick<RunObservation, 'checkType' | 'location' | 'dueAt' | 'startedAt'>, now: number): void
  /** In rising order. */
  of(location: string, queue: JobQueue, now: number): number[]
}

export const createStartDelays = (): StartDelays => {
  const retained = new Map<string, Delay[]>()
  return {
    add: ({ checkType, location, dueAt, startedAt }, now) => {
      const key = `${queueOf(checkType as CheckType)} ${location}`
      const delays = retained.get(key) ?? []
      delays.push({ at: now, delayMs: Math.max(0, startedAt - dueAt) })
      if (delays.length >= 2 * maxRetained) delays.splice(0, delays.length - maxRetained)
      retained.set(key, delays)
    },
    of: (location, queue, now) =>
      (retained.get(`${queue} ${location}`) ?? [])
        .filter(({ at }) => at > now - windowMs)
        .slice(-maxRetained)
        .map(({ delayMs }) => delayMs)
        .sort((a, b) => a - b),
  }
}
