/**
 * The alert state of a check, and what is told about it: a pure function of its judged runs, its rules and the silences.
 *
 * Words: the *level* is the verdict of the last judged run; a *streak* is the judged runs in a row at one level; what was
 * *told* is the level that people know about (null: that all is well). A *transition* closes the difference between level
 * and told as soon as the rules permit: a threshold that is met, a silence that is over. So a run and the passing of
 * time are handled alike, and a failure that outlives a silence is told when the silence ends. Times: epoch milliseconds.
 */
import type { AlertResponse } from '../messages/alert-response.ts'
import type { AlertType } from '../messages/alert-types.ts'
import {
  type FlappingRule,
  type Flaps,
  flapPhase,
  forgottenAt,
  isQuiet,
  noFlaps,
  withStep,
} from './flapping.ts'

export type Level = 'passing' | 'degraded' | 'failing'
type ToldLevel = Exclude<Level, 'passing'>

export type AlertState = {
  level: Level
  /** The level before this streak, since when it lasts, how many judged runs it has, and when the last one was judged. */
  changedFrom: Level
  changedAt: number
  streak: number
  at: number
  /** The latest end of a judged run: what ended long before is history. */
  judgedUpTo: number
  told: ToldLevel | null
  toldAt: number
  /** Since the last transition that was none. */
  reminders: number
  /** Whether people were told of a failure since all was well. */
  failureTold: boolean
  /** When the check last stopped being well, and when people were first told of it; 0: not known. */
  failingSince: number
  openedAt: number
  /** What somebody answered to that. */
  response: AlertResponse | null
  flaps: Flaps
}

/** `from` inclusive, `to` exclusive. */
export type Silence = { from: number; to: number }

export type AlertRules = {
  /** Told when a streak has so many runs, or has lasted so long. */
  escalation: { runs: number } | { afterMs: number }
  reminders: { amount: number; intervalMs: number }
  muted: boolean
  /** While it flaps, that is told once and nothing else; null: whether it does is not looked at. */
  flapping?: FlappingRule | null
  /** Of maintenance, in any order. */
  silences: readonly Silence[]
  /** What keeps back only that something is wrong, never that it is well again: what the check depends on is down. */
  held?: readonly Silence[]
}

/** A run with a verdict: when it was judged, and when it ended on the agent. */
export type JudgedRun = { level: Level; at: number; stoppedAt: number }

/** `quiet`: people are not told (muted), but what was opened for the failure is to be closed. */
export type Transition = {
  alertType: AlertType
  at: number
  reminder: number
  quiet: boolean
  /** A failure was told since all was well, not only a degradation. */
  afterFailure: boolean
  /** A snooze is over and the failure is not: told once more, whatever the settings say of reminders. */
  comesBack: boolean
  /** It tells that the check flaps, or that it does no more. */
  flapping: 'begins' | 'ends' | null
  /** Since when the check has not been well, and the judged runs in a row at its level. */
  failingSince: number
  streak: number
  response: AlertResponse | null
}

export type NextState = { state: AlertState; transitions: Transition[] }

export const allWell: AlertState = {
  level: 'passing',
  changedFrom: 'passing',
  changedAt: 0,
  streak: 0,
  at: 0,
  judgedUpTo: 0,
  told: null,
  toldAt: 0,
  reminders: 0,
  failureTold: false,
  failingSince: 0,
  openedAt: 0,
  response: null,
  flaps: noFlaps,
}

/** Nothing is wrong and nothing is left to tell. */
export const isWell = ({ level, told }: AlertState): boolean => level === 'passing' && told === null

/** It is also as if it had never been otherwise. */
export const isForgotten = (state: AlertState): boolean => isWell(state) && isQuiet(state.flaps)

/** When time alone makes it so; null: never. */
export const forgetsAt = (state: AlertState): number | null =>
  isWell(state) ? forgottenAt(state.flaps, state.at) : null

/** It fails, and people know. */
export const isToldFailing = ({ level, told }: AlertState): boolean =>
  level === 'failing' && told === 'failing'

/** Reports of one moment arrive in any order; one that ended this long before what has been judged is history. */
export const lateMs = 30_000

/** One judged run, after everything that came due before it. A run that is history changes nothing. */
export const advance = (state: AlertState, run: JudgedRun, rules: AlertRules): NextState => {
  const at = Math.max(run.at, state.at)
  const before = elapse(state, at, rules)
  if (run.stoppedAt < state.judgedUpTo - lateMs) return before
  const after = elapse(withRun(before.state, { ...run, at }, rules), at, rules)
  return { state: after.state, transitions: [...before.transitions, ...after.transitions] }
}

/** What comes due by `until`; several reminders that are overdue count as one. */
export const elapse = (state: AlertState, until: number, rules: AlertRules): NextState => {
  const transitions: Transition[] = []
  let current = state
  for (
    let due = nextTransition(current, rules);
    due && due.at <= until;
    due = nextTransition(current, rules)
  ) {
    if (due.reminder > 0 && (transitions.at(-1)?.reminder ?? 0) > 0) transitions.pop()
    transitions.push(due)
    current = told(current, due)
  }
  const forgets = forgetsAt(current)
  if (forgets !== null && forgets <= until) current = { ...current, flaps: noFlaps }
  return { state: current, transitions }
}

/** What is told next if no further run is judged, and when; null for nothing. */
export const nextTransition = (state: AlertState, rules: AlertRules): Transition | null => {
  const phase = flapPhase(state.flaps, rules.flapping)
  if (phase === 'told') return null
  if (phase !== 'none' && state.told !== null) return flapNotice(state, rules, state.told)
  if (state.level === (state.told ?? 'passing'))
    return state.response === null ? nextReminder(state, rules) : comingBack(state, rules)
  const recovers = state.level === 'passing'
  if (rules.muted && !recovers) return null
  const met = recovers ? state.at : metAt(state, rules)
  if (met === null) return null
  return {
    alertType: alertTypeOf[toldFrom(state)][state.level],
    at: rules.muted ? met : silenceOver(met, recovers ? rules.silences : quietTimes(rules)),
    reminder: 0,
    quiet: rules.muted,
    comesBack: false,
    flapping: phase === 'begun' ? 'begins' : null,
    ...historyOf(state),
  }
}

/** That it flaps is told as the worst of it; that it does no more, as what it is now. */
const flapNotice = (state: AlertState, rules: AlertRules, told: ToldLevel): Transition | null => {
  const begins = flapPhase(state.flaps, rules.flapping) === 'begun'
  const level = begins && state.level === 'passing' ? told : state.level
  const recovers = level === 'passing'
  if (rules.muted && !recovers) return null
  const history = historyOf(state)
  return {
    alertType: alertTypeOf[told][level],
    at: rules.muted ? state.at : silenceOver(state.at, recovers ? rules.silences : quietTimes(rules)),
    reminder: 0,
    quiet: rules.muted,
    comesBack: false,
    flapping: begins ? 'begins' : 'ends',
    ...history,
    streak: level === state.level ? history.streak : 0,
  }
}

/** Null: no alert is open, so none can be answered. The same answer again changes nothing. */
export const respond = (state: AlertState, response: Omit<AlertResponse, 'of'>): AlertState | null => {
  if (state.told === null || state.level === 'passing') return null
  if (state.response !== null && state.response.until === response.until) return state
  return { ...state, response: { ...response, of: state.told } }
}

const historyOf = ({ failureTold, failingSince, changedAt, streak, response }: AlertState) => ({
  afterFailure: failureTold,
  failingSince: failingSince === 0 ? changedAt : failingSince,
  streak,
  response,
})

const withRun = (
  state: AlertState,
  { level, at, stoppedAt }: JudgedRun,
  { flapping: rule }: AlertRules,
): AlertState => {
  const judged = {
    ...state,
    level,
    at,
    judgedUpTo: Math.max(state.judgedUpTo, stoppedAt),
    failingSince: state.level === 'passing' && level !== 'passing' ? at : state.failingSince,
    response: level === 'passing' ? null : state.response,
    flaps: withStep(state.flaps, { changed: level !== state.level, at, rule }),
  }
  return level === state.level
    ? { ...judged, streak: state.streak + 1 }
    : { ...judged, streak: 1, changedFrom: state.level, changedAt: at }
}

const told = (state: AlertState, { at, reminder, comesBack, flapping }: Transition): AlertState => {
  // What comes back is as new: its reminders begin again.
  if (comesBack) return { ...state, response: null, toldAt: at, reminders: 0 }
  if (reminder > 0) return { ...state, reminders: reminder }
  const flaps = { ...state.flaps, isTold: flapping === 'begins' }
  const level = state.level === 'passing' && flapping === 'begins' ? (state.told ?? 'passing') : state.level
  if (level === 'passing')
    return { ...state, told: null, toldAt: 0, reminders: 0, failureTold: false, openedAt: 0, flaps }
  const isFailing = level === 'failing'
  return {
    ...state,
    told: level,
    toldAt: at,
    reminders: 0,
    failureTold: state.failureTold || isFailing,
    openedAt: state.told === null ? at : state.openedAt,
    response: isFailing && state.response?.of === 'degraded' ? null : state.response,
    flaps,
  }
}

/** Thresholds are for what passed before; from one bad level to another, and where one was told, none applies. */
const metAt = (state: AlertState, { escalation }: AlertRules): number | null => {
  if (state.told !== null || state.changedFrom !== 'passing') return state.at
  if ('afterMs' in escalation) return state.changedAt + escalation.afterMs
  return state.streak >= escalation.runs ? state.at : null
}

const nextReminder = (state: AlertState, rules: AlertRules): Transition | null => {
  const { reminders, muted } = rules
  if (state.told === null || muted || state.reminders >= reminders.amount) return null
  const due = state.toldAt + reminders.intervalMs * (state.reminders + 1)
  const at = silenceOver(due, quietTimes(rules))
  const reminder = Math.min(reminders.amount, Math.floor((at - state.toldAt) / reminders.intervalMs))
  const alertType = alertTypeOf[state.told][state.told]
  return { alertType, at, reminder, quiet: false, comesBack: false, flapping: null, ...historyOf(state) }
}

/** Once, when the snooze is over: what was acknowledged stays quiet. */
const comingBack = (state: AlertState, rules: AlertRules): Transition | null => {
  const { told, response, reminders } = state
  if (told === null || rules.muted || response === null || response.until === null) return null
  return {
    alertType: alertTypeOf[told][told],
    at: silenceOver(Math.max(response.until, state.toldAt), quietTimes(rules)),
    reminder: reminders + 1,
    quiet: false,
    comesBack: true,
    flapping: null,
    ...historyOf(state),
  }
}

/** What people believe; where they were told nothing, the level before the run that made this necessary. */
const toldFrom = ({ told, streak, changedFrom, level }: AlertState): Level =>
  told ?? (streak === 1 ? changedFrom : level)

const quietTimes = ({ silences, held = [] }: AlertRules): readonly Silence[] =>
  held.length === 0 ? silences : [...silences, ...held]

/** `time`, or the end of the silence that it lies in. */
const silenceOver = (time: number, silences: readonly Silence[]): number => {
  const around = silences.find(({ from, to }) => time >= from && time < to)
  return around === undefined ? time : silenceOver(around.to, silences)
}

const alertTypeOf: Record<Level, Record<Level, AlertType>> = {
  passing: { passing: 'NO_ALERT', degraded: 'ALERT_DEGRADED', failing: 'ALERT_FAILURE' },
  degraded: {
    passing: 'ALERT_DEGRADED_RECOVERY',
    degraded: 'ALERT_DEGRADED_REMAIN',
    failing: 'ALERT_DEGRADED_FAILURE',
  },
  failing: {
    passing: 'ALERT_RECOVERY',
    degraded: 'ALERT_FAILURE_DEGRADED',
    failing: 'ALERT_FAILURE_REMAIN',
  },
}
