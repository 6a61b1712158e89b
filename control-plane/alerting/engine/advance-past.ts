/**
 * Runs of the past, judged in their order: what they lead to now, and what is over already. Nobody could be told while it lasted, so of each
 * check at most one thing is told, about now: it is as if a silence had lasted until this moment. Pure.
 */
import {
  type AlertRules,
  type AlertState,
  advance,
  elapse,
  type JudgedRun,
  type Level,
  type NextState,
} from './advance.ts'

/** A time in which people would have been told that a check was not well, until they would have been told that it is again. */
export type PastOutage = { level: Exclude<Level, 'passing'>; from: number; to: number }

/** `told`: the level that somebody else has told people of meanwhile; null: nobody has. */
export type PastRuns = { runs: readonly JudgedRun[]; told: Level | null }

type Past = PastRuns & { now: number; rules: AlertRules }

/** Runs in the order of their due times; each is judged at its own time, before now. What has been told already changes what was opened for it, and is not told again. */
export const advancePast = (
  state: AlertState,
  { runs, told, now, rules }: Past,
): NextState & { over: PastOutage[] } => {
  const past = { from: Number.NEGATIVE_INFINITY, to: now }
  const untold: AlertRules = { ...rules, silences: [...rules.silences, past] }
  let current = state
  for (const run of runs) current = judged(current, run, { now, rules: untold }).state
  const next = elapse(current, now, untold)
  const transitions = next.transitions.map((one) =>
    next.state.level === told ? { ...one, quiet: true } : one,
  )
  return { state: next.state, transitions, over: overIn(state, { runs, now, rules }) }
}

/** Reports of the past come in the order of due times, not of their ends: none is history. */
const judged = (
  state: AlertState,
  run: JudgedRun,
  { now, rules }: { now: number; rules: AlertRules },
): NextState => {
  const at = Math.min(Math.max(run.at, state.at), now - 1)
  return advance(state, { ...run, at, stoppedAt: Math.max(run.stoppedAt, state.judgedUpTo) }, rules)
}

const overIn = (state: AlertState, { runs, now, rules }: Omit<Past, 'told'>): PastOutage[] => {
  const over: PastOutage[] = []
  let current = state
  let open = null as Omit<PastOutage, 'to'> | null
  for (const run of runs) {
    const before = current.told
    const next = judged(current, run, { now, rules })
    for (const { failingSince, at, quiet } of next.transitions) {
      if (quiet) continue
      const level = next.state.told
      if (level === null) {
        if (open !== null) over.push({ ...open, to: at })
        open = null
      } else if (open !== null) open = { ...open, level: level === 'failing' ? level : open.level }
      else if (before === null) open = { level, from: failingSince }
    }
    current = next.state
  }
  return over
}
