/**
 * Whether a failure is kept back because of what the check depends on. While that is down, the check says nothing by itself; where it is not known
 * yet, it is run first, and where it has come back, the check is. Each of these waits ends after `waitMs`: then the
 * failure is told. What a dependency keeps back is never a recovery (advance.ts `held`). Pure; times: epoch milliseconds.
 */
import { type Static, Type } from 'typebox'

/** While it is down, it is looked again so often; its next change of level wakes its dependents before. */
const lookWhileDownMs = 15_000

/** `asked`: it is being run; `down`; `recovered`: it is well again, and the check itself is being run. */
export const heldBackPhases = ['asked', 'down', 'recovered'] as const

/** What keeps a failure back now, and since when; `on`: a check or group as `check:<id>` or `group:<id>`. */
export const HeldBack = Type.Object(
  {
    on: Type.String(),
    phase: Type.Enum([...heldBackPhases]),
    since: Type.Number(),
    /** How that was called then, and since when the failure is explained by it (`down`); a failure that was told before is so from now on. */
    name: Type.String({ default: '' }),
    from: Type.Number({ default: 0 }),
  },
  { additionalProperties: false },
)
export type HeldBack = Static<typeof HeldBack>

/** A check or group that a failing check depends on. */
export type Dependency = {
  on: string
  name: string
  isDown: boolean
  /** When it was last judged otherwise; 0: not known, or it is well. */
  downSince: number
  /** When its latest run began; of a group the earliest of these. */
  startedAt: number
  /** It has runs of its own that can be asked for. */
  canRun: boolean
}

export type FailureToTell = {
  /** When it came due, and when the run began that says so. */
  dueAt: number
  startedAt: number
  /** Not told before: a reminder waits for no run. */
  isFirst: boolean
  /** When the check began to fail, if nobody knows that it does; else null. */
  untoldSince: number | null
  dependencies: readonly Dependency[]
  before: HeldBack | null
  /** How long it waits at most for a run of what it depends on, or for one of its own after that is well again. */
  waitMs: number
  now: number
}

/** `run`: what is to be run now, the check itself or what it depends on. */
export type Hold = { held: HeldBack; until: number; run: readonly string[] | 'itself' }

/** Null: it is told now. */
export const holdFor = (failure: FailureToTell): Hold | null => {
  const { dependencies, before, startedAt, isFirst, now } = failure
  const down = dependencies.find(({ isDown }) => isDown)
  if (down !== undefined) {
    const since = before?.phase === 'down' ? before.since : now
    const isSame = before?.phase === 'down' && before.on === down.on
    const from = isSame ? before.from : explainedFrom(failure, down)
    // It may have come back long before its next run.
    const isStale = down.startedAt < startedAt - lookWhileDownMs
    const run = before === null && isFirst && isStale && down.canRun ? [down.on] : []
    const held: HeldBack = { on: down.on, phase: 'down', since, name: down.name, from }
    return { held, until: now + lookWhileDownMs, run }
  }
  if (before?.phase === 'down' || before?.phase === 'recovered') return afterRecovery(failure, before)
  return failure.isFirst ? untilKnown(failure) : null
}

/** What failed before that was down failed for another reason, as far as is known. */
const explainedFrom = ({ before, untoldSince, now }: FailureToTell, { downSince }: Dependency): number =>
  untoldSince === null || before?.phase === 'down' ? now : Math.min(now, Math.max(untoldSince, downSince))

/** The check failed while that was down: it is told only if it still does. */
const afterRecovery = ({ startedAt, waitMs, now }: FailureToTell, before: HeldBack): Hold | null => {
  if (waitMs === 0) return null
  if (before.phase === 'down') {
    const held: HeldBack = { ...before, phase: 'recovered', since: now }
    return { held, until: now + waitMs, run: 'itself' }
  }
  const until = before.since + waitMs
  return startedAt >= before.since || now >= until ? null : { held: before, until, run: [] }
}

const untilKnown = ({ dependencies, before, startedAt, dueAt, waitMs, now }: FailureToTell): Hold | null => {
  const unknown = dependencies.filter((one) => one.canRun && one.startedAt < startedAt)
  // Each further failing run comes due by itself; none of them makes the wait longer.
  const until = Math.min(dueAt, before?.since ?? dueAt) + waitMs
  const [first] = unknown
  if (first === undefined || now >= until) return null
  const held: HeldBack = before ?? { on: first.on, phase: 'asked', since: now, name: first.name, from: now }
  return { held, until, run: before === null ? unknown.map(({ on }) => on) : [] }
}
