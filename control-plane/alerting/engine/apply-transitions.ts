/**
 * From pure steps of alert states to what follows from them, in the caller's transaction: the stored states, the alerts
 * with their notifications, the incidents.
 */

import { rulesFor } from '../../communication/incidents/open-by-rules.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { runForRows } from '../../platform/store/database/row-statement.ts'
import type { KeptBack } from '../check-alerts/check-alert-doc.ts'
import type { AlertEvent, RunDetails } from '../messages/alert-event.ts'
import type { Gathering } from '../notifications/gathering.ts'
import { notificationsWakeup } from '../notifications/queue-notifications.ts'
import {
  forgetsAt,
  isForgotten,
  isToldFailing,
  type JudgedRun,
  type NextState,
  nextTransition,
  type Silence,
  type Transition,
} from './advance.ts'
import {
  advanceInSilence,
  heldOf,
  isRecovery,
  type Neighbours,
  plansOfAccounts,
} from './advance-in-silence.ts'
import type { PastRuns } from './advance-past.ts'
import { type AlertStateDoc, alertStateDoc } from './alert-state-doc.ts'
import type { AlertSubject } from './alert-subject.ts'
import { changeIncidents, type FailingCheck, keepOpen, type ToldEvent } from './change-incidents.ts'
import { groupHealthWakeup, markGroups } from './group-health-queries.ts'
import { keptBackPeriods, keptBackUntilNow } from './kept-back-periods.ts'
import { recordAlerts } from './record-alert.ts'
import { alertStateRows, deleteAlertStates } from './state-queries.ts'

/** What happened to a check: `run` was judged, or only time has passed (null). `after`: what is stored beside the next state. */
export type StateChange = {
  subject: AlertSubject
  before: AlertStateDoc
  after: Pick<AlertStateDoc, 'last' | 'openRound'>
  run: JudgedRun | null
  /** Instead of `run`: runs of the past, and what somebody else has told of them (advance-past.ts). */
  past?: PastRuns
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
  const groups = groupsToJudge()
  const periods = keptBackPeriods({ now, newId })
  return {
    take: async ({ subject, before, after, run, past }) => {
      const details = run === null && past === undefined ? before.last : after.last
      const change = { subject, before, details, happened: { run, past, now } }
      const { next, silences, heldBack, heldUntil } = await advanceInSilence(around, change)
      const firsts = firstsOf(next.transitions, before.state.told !== null)
      for (const transition of worthTelling(next.transitions, firsts)) {
        const event = eventOf(subject, transition, {
          details,
          id: newId(),
          now,
          toldLate: past !== undefined,
          dependents: isRecovery(transition) ? 0 : await neighbours.dependentsOf(subject),
        })
        told.push({
          ...{ event, transition, isFirst: firsts.includes(transition), gathering: subject.gathering },
          keptBack: isRecovery(transition) ? null : keptBackUntilNow(before, now),
          toldByGroup: subject.groupTells === 'GROUP',
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
      for (const noted of [groups, periods]) noted.note(subject, before, stored)
      states.set(subject.id, { stored, subject, silences, heldUntil, now })
      if (run !== null || past !== undefined) judged.add(subject.id)
      return stored
    },
    write: async () => {
      const alerts = told.filter(({ transition }) => !transition.quiet)
      await recordAlerts(trx, alerts.map(alertOf), { now, newId })
      const failing = [...states.values()].filter(
        ({ subject, stored }) => judged.has(subject.id) && isToldFailing(stored.state),
      )
      await incidentsOf(trx, { told, failing: failing.map(failingOf) }, { now, newId })
      await storeStates(trx, [...states.values()])
      await periods.write(trx)
      if (turned.size > 0) await neighbours.changed([...turned.values()])
      const wake = told.length > 0 ? [notificationsWakeup] : []
      return [...neighbours.wake, ...wake, ...(await groups.mark(trx, now))]
    },
  }
}

type Happened = { told: readonly ToldEvent[]; failing: readonly FailingCheck[] }

const incidentsOf = async (trx: Db, { told, failing }: Happened, stamp: Stamp): Promise<void> => {
  const failed = told.flatMap(({ event }) => (isRecovery(event) ? [] : event))
  const rules = await rulesFor(
    trx,
    [...failed, ...failing].map(({ accountId }) => accountId),
  )
  await changeIncidents(trx, told, { rules, ...stamp })
  await keepOpen(trx, failing, { rules, ...stamp })
}

const failingOf = ({ subject: { id: checkId, accountId, triggerIncident, tags } }: StateToStore) => ({
  ...{ checkId, accountId, triggerIncident, tags },
})

/** Those that are judged as a whole, by what people were told of their checks and what is kept back (group-verdict.ts). */
const groupsToJudge = () => {
  const groups = new Map<number, string>()
  return {
    note: (
      { groupId, groupTells, accountId }: AlertSubject,
      before: AlertStateDoc,
      after: AlertStateDoc,
    ): void => {
      const isSame =
        before.state.told === after.state.told && (before.heldBack === null) === (after.heldBack === null)
      if (groupId !== null && groupTells !== null && !isSame) groups.set(groupId, accountId)
    },
    /** Returns whom to wake. */
    mark: async (trx: Db, now: number): Promise<string[]> => {
      if (groups.size === 0) return []
      const marked = [...groups].map(([group_id, account_id]) => ({ group_id, account_id }))
      await trx.run(markGroups, { groups: marked, now })
      return [groupHealthWakeup]
    },
  }
}

/** What is told late, after a mute or a downtime of ours, is not reminded of in the same breath. */
const worthTelling = (transitions: readonly Transition[], firsts: readonly Transition[]): Transition[] =>
  transitions.filter(
    ({ reminder, at }) => reminder === 0 || !firsts.some((one) => !isRecovery(one) && one.at <= at),
  )

/** Those before which nobody had been told that the check is not well. */
const firstsOf = (transitions: readonly Transition[], wasTold: boolean): Transition[] =>
  transitions.filter((_, position) => {
    const before = transitions[position - 1]
    return before === undefined ? !wasTold : isRecovery(before)
  })

/** What visitors see begins and ends when it did, not when somebody could say so. */
const sinceWhen = (transition: Transition, { state }: NextState, past: PastRuns | undefined): number => {
  if (past === undefined) return transition.at
  return state.level === 'passing' ? state.changedAt : transition.failingSince
}

type ToldTransition = {
  at: number
  event: AlertEvent
  transition: Transition
  isFirst: boolean
  gathering: Gathering
  toldByGroup: boolean
  keptBack: KeptBack | null
  trigger: AlertSubject['triggerIncident']
}

const alertOf = ({ transition: { afterFailure }, ...alert }: ToldTransition) => ({ ...alert, afterFailure })

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

type StateToStore = {
  stored: AlertStateDoc
  subject: AlertSubject
  silences: Silence[]
  heldUntil: number | null
  now: number
}

/** A check that is well, waits for nothing and has not changed lately has no row. */
export const isOver = ({ state, openRound }: AlertStateDoc): boolean =>
  isForgotten(state) && openRound === null

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
  wake_at:
    nextTransition(stored.state, { ...subject.rules, silences, held: heldOf(heldUntil) })?.at ??
    forgetsAt(stored.state),
  updated_at: now,
  doc: alertStateDoc.write(stored),
})

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
  flapping: transition.flapping,
  failingSince: transition.failingSince,
  streak: transition.streak,
  response: transition.response,
  severity: subject.severity,
  toldLate,
  dependents,
  insteadOf: null,
  ssl: null,
  location: null,
  group: null,
})
