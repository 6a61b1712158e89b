/**
 * From pure steps of alert states to what follows from them, in the caller's transaction: the stored states, the alerts
 * with their notifications, the incidents.
 */

import { activeIntervals, type WindowPlan } from '../../communication/maintenance-windows/active-windows.ts'
import { windowsOfAccount } from '../../communication/maintenance-windows/window-plans.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import type { AlertEvent, RunDetails } from '../messages/alert-event.ts'
import { notificationsWakeup } from '../notifications/queue-notifications.ts'
import {
  type AlertRules,
  advance,
  elapse,
  isWell,
  type JudgedRun,
  type NextState,
  nextTransition,
  type Silence,
  type Transition,
} from './advance.ts'
import { advancePast, type PastRuns } from './advance-past.ts'
import { type AlertStateDoc, alertStateDoc } from './alert-state-doc.ts'
import type { AlertSubject } from './alert-subject.ts'
import { changeIncidents, keepOpen } from './change-incidents.ts'
import type { FailureToTell, HeldBack, Hold } from './held-back.ts'
import { recordAlerts } from './record-alert.ts'
import { alertStateRows, deleteAlertStates } from './state-queries.ts'

/** While alerts are kept back it is looked so often whether the silence was ended by hand. */
const lookAgainMs = 60_000
/** Silences longer ago decide nothing any more. */
const longestLookBackMs = 7 * 24 * 60 * 60_000

/** What happened to a check: `run` was judged, or only time has passed (null). `after`: what is stored beside the next state. */
export type StateChange = {
  subject: AlertSubject
  before: AlertStateDoc
  after: Pick<AlertStateDoc, 'last' | 'openRound'>
  run: JudgedRun | null
  /** Instead of `run`: runs of the past, and what somebody else has told of them (advance-past.ts). */
  past?: PastRuns
}

/** What is asked of whoever knows what checks depend on (monitoring/watches/dependencies). */
export type Neighbours = {
  /** Null: nothing keeps this failure back. What is to be run first is on its way then. */
  holdOf(failure: Omit<FailureToTell, 'dependencies'> & { subject: AlertSubject }): Promise<Hold | null>
  /** How many checks say nothing of their own while this one fails. */
  dependentsOf(subject: AlertSubject): Promise<number>
  /** It failed before and does not now, or the other way round; what is asked next is asked after that. */
  turned(subject: AlertSubject, isDown: boolean): void
  /** All of these are stored: what depends on them is to be looked at again. */
  changed(subjects: readonly AlertSubject[]): Promise<void>
  /** The names to wake after the commit. */
  wake: readonly string[]
}

/** Of many checks: taken one after the other, written together, a statement for each kind of row. */
type Transitions = {
  /** The state after it, with which the next change of the check begins. */
  take(change: StateChange): Promise<AlertStateDoc>
  /** Returns the names to wake after the commit. */
  write(): Promise<string[]>
}

export const transitionsIn = (trx: Db, { now, newId }: Stamp, neighbours: Neighbours): Transitions => {
  const around = { plansOf: plansOfAccounts(trx, now), neighbours }
  const told: ToldTransition[] = []
  const states = new Map<string, StateToStore>()
  const judged = new Set<string>()
  const turned = new Map<string, AlertSubject>()
  return {
    take: async ({ subject, before, after, run, past }) => {
      const details = run === null && past === undefined ? before.last : after.last
      const change = { subject, before, details, happened: { run, past, now } }
      const { next, silences, heldBack, heldUntil } = await advanceInSilence(around, change)
      for (const transition of next.transitions) {
        const event = eventOf(subject, transition, {
          details,
          id: newId(),
          now,
          toldLate: past !== undefined,
          dependents: isRecovery(transition) ? 0 : await neighbours.dependentsOf(subject),
        })
        told.push({
          event,
          transition,
          trigger: subject.triggerIncident,
          at: sinceWhen(transition, next, past),
        })
      }
      const isDown = next.state.level === 'failing'
      if (isDown !== (before.state.level === 'failing')) {
        neighbours.turned(subject, isDown)
        turned.set(subject.id, subject)
      }
      const stored = { ...after, heldBack, state: next.state }
      states.set(subject.id, { stored, subject, silences, heldUntil, now })
      if (run !== null || past !== undefined) judged.add(subject.id)
      return stored
    },
    write: async () => {
      const alerts = told.filter(({ transition }) => !transition.quiet)
      await recordAlerts(
        trx,
        alerts.map(({ event, transition }) => ({ event, afterFailure: transition.afterFailure })),
        { now, newId },
      )
      await changeIncidents(trx, told, { now, newId })
      for (const { subject, stored } of states.values()) {
        const { id: checkId, accountId, triggerIncident } = subject
        if (triggerIncident !== null && judged.has(checkId))
          await keepOpen(trx, { accountId, checkId, triggerIncident }, { state: stored.state, now, newId })
      }
      await storeStates(trx, [...states.values()])
      if (turned.size > 0) await neighbours.changed([...turned.values()])
      return told.length > 0 ? [...neighbours.wake, notificationsWakeup] : [...neighbours.wake]
    },
  }
}

/** What visitors see begins and ends when it did, not when somebody could say so. */
const sinceWhen = (transition: Transition, { state }: NextState, past: PastRuns | undefined): number => {
  if (past === undefined) return transition.at
  return state.level === 'passing' ? state.changedAt : transition.failingSince
}

type ToldTransition = {
  at: number
  event: AlertEvent
  transition: Transition
  trigger: AlertSubject['triggerIncident']
}

/** Of one check. Returns the names to wake after the commit. */
export const applyTransitions = async (
  trx: Db,
  change: StateChange,
  { neighbours, ...stamp }: Stamp & { neighbours: Neighbours },
): Promise<string[]> => {
  const transitions = transitionsIn(trx, stamp, neighbours)
  await transitions.take(change)
  return transitions.write()
}

type PlansOf = (accountId: string) => Promise<WindowPlan[]>

/** Each account's are read once, and only when something is due. */
const plansOfAccounts = (trx: Db, now: number): PlansOf => {
  const known = new Map<string, WindowPlan[]>()
  return async (accountId) => {
    const plans = known.get(accountId) ?? (await windowsOfAccount(trx, accountId, now - longestLookBackMs))
    known.set(accountId, plans)
    return plans
  }
}

type Happened = { run: JudgedRun | null; past?: PastRuns | undefined; now: number }

type Around = { plansOf: PlansOf; neighbours: Neighbours }
type Change = { subject: AlertSubject; before: AlertStateDoc; details: RunDetails | null; happened: Happened }
type Advanced = { next: NextState; silences: Silence[]; heldBack: HeldBack | null; heldUntil: number | null }

/** Silences can only delay a transition: where none is due without them, they need not be read, and what is depended on neither. */
const advanceInSilence = async ({ plansOf, neighbours }: Around, change: Change): Promise<Advanced> => {
  const { subject, before, details, happened } = change
  const { next, silences } = await advanceWithSilences(plansOf, change)
  const failure = next.transitions.find((one) => !one.quiet && !isRecovery(one))
  const told = { next, silences, heldBack: null, heldUntil: null }
  if (failure === undefined) return told
  // It is well before it could be told: then it is not told at all.
  if (before.heldBack !== null && happened.run?.level === 'passing') {
    const held = heldOf(happened.now + 1)
    return { ...told, next: advanced(change, { ...subject.rules, silences, held }) }
  }
  const hold = await neighbours.holdOf({
    subject,
    dueAt: failure.at,
    startedAt: details?.startedAt ?? failure.at,
    isFirst: failure.reminder === 0,
    before: before.heldBack,
    now: happened.now,
  })
  // What was kept back until now is told now.
  if (hold === null && before.heldBack !== null)
    return { ...told, next: advanced(change, { ...subject.rules, silences, held: heldOf(happened.now) }) }
  if (hold === null) return told
  const state = advanced(change, { ...subject.rules, silences, held: heldOf(hold.until) })
  return { next: state, silences, heldBack: hold.held, heldUntil: hold.until }
}

const isRecovery = ({ alertType }: Transition): boolean =>
  alertType === 'ALERT_RECOVERY' || alertType === 'ALERT_DEGRADED_RECOVERY'

const advanced = (
  { before: { state }, happened: { run, past, now } }: Omit<Change, 'details'>,
  rules: AlertRules,
): NextState => {
  if (past !== undefined) return advancePast(state, { ...past, now, rules })
  return run === null ? elapse(state, now, rules) : advance(state, run, rules)
}

const advanceWithSilences = async (
  plansOf: PlansOf,
  change: Change,
): Promise<{ next: NextState; silences: Silence[] }> => {
  const { subject, happened } = change
  const next = advanced(change, { ...subject.rules, silences: [] })
  const earliest = next.transitions[0]
  if (earliest === undefined) return { next, silences: [] }
  const from = Math.max(Math.min(earliest.at, happened.now), happened.now - longestLookBackMs)
  const plans = await plansOf(subject.accountId)
  const silences = silencesIn(plans, subject.tags, { from, to: happened.now + lookAgainMs })
  return { next: silences.length === 0 ? next : advanced(change, { ...subject.rules, silences }), silences }
}

type StateToStore = {
  stored: AlertStateDoc
  subject: AlertSubject
  silences: Silence[]
  heldUntil: number | null
  now: number
}

/** A check that is well, and waits for nothing, has no row. */
export const isOver = ({ state, openRound }: AlertStateDoc): boolean => isWell(state) && openRound === null

const storeStates = async (trx: Db, states: readonly StateToStore[]): Promise<void> => {
  const over = states.filter(({ stored }) => isOver(stored))
  if (over.length > 0)
    await trx.run(deleteAlertStates, { checkIds: over.map(({ subject }) => subject.id).toSorted() })
  const kept = states.filter(({ stored }) => !isOver(stored))
  await runForRows(trx, alertStateRows, kept.map(rowOf))
}

const rowOf = ({ stored, subject, silences, heldUntil, now }: StateToStore) => ({
  check_id: subject.id,
  account_id: subject.accountId,
  level: stored.state.level,
  wake_at: nextTransition(stored.state, { ...subject.rules, silences, held: heldOf(heldUntil) })?.at ?? null,
  updated_at: now,
  doc: alertStateDoc.write(stored),
})

const heldOf = (until: number | null): Silence[] =>
  until === null ? [] : [{ from: Number.NEGATIVE_INFINITY, to: until }]

type EventContext = {
  details: RunDetails | null
  id: string
  now: number
  toldLate: boolean
  dependents: number
}

const eventOf = (
  subject: AlertSubject,
  transition: Transition,
  { details, id, now, toldLate, dependents }: EventContext,
): AlertEvent => ({
  alertType: transition.alertType,
  accountId: subject.accountId,
  checkAlertId: id,
  checkId: subject.id,
  checkName: subject.name,
  checkType: subject.type,
  checkDescription: subject.description,
  groupId: subject.groupId,
  groupName: subject.groupName,
  tags: subject.tags,
  checkResultId: details?.checkResultId ?? null,
  errorMessage: details?.errorMessage ?? null,
  responseTime: details?.responseTime ?? null,
  apiStatus: details?.apiStatus ?? null,
  runLocation: details?.runLocation ?? null,
  startedAt: details?.startedAt ?? now,
  at: transition.at,
  reminder: transition.reminder,
  comesBack: transition.comesBack,
  failingSince: transition.failingSince,
  streak: transition.streak,
  response: transition.response,
  toldLate,
  dependents,
  ssl: null,
  location: null,
})

type SilenceQuestion = { accountId: string; tags: readonly string[]; within: Silence }

/** When maintenance keeps back the alerts of a check with these tags (its own and its group's), within `within`. */
export const silencesOf = async (db: Db, { accountId, tags, within }: SilenceQuestion): Promise<Silence[]> =>
  silencesIn(await windowsOfAccount(db, accountId, within.from), tags, within)

export const silencesIn = (
  plans: readonly WindowPlan[],
  tags: readonly string[],
  within: Silence,
): Silence[] =>
  plans
    .filter((plan) => plan.silenceAllAlerts || plan.silenceAlertsTags.some((tag) => tags.includes(tag)))
    .flatMap((plan) => activeIntervals(plan, within))
