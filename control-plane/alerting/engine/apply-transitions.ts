/**
 * From a pure step of the alert state to what follows from it, in the caller's transaction: the stored state, the alerts
 * with their notifications, the incidents.
 */

import { activeIntervals } from '../../communication/maintenance-windows/active-windows.ts'
import { windowsOfAccount } from '../../communication/maintenance-windows/window-plans.ts'
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { AlertEvent, RunDetails } from '../messages/alert-event.ts'
import { notificationsWakeup } from '../notifications/queue-notifications.ts'
import {
  type AlertState,
  advance,
  elapse,
  isWell,
  type JudgedRun,
  type NextState,
  nextTransition,
  type Silence,
  type Transition,
} from './advance.ts'
import { type AlertStateDoc, alertStateDoc } from './alert-state-doc.ts'
import type { AlertSubject } from './alert-subject.ts'
import { changeIncidents, keepOpen } from './change-incidents.ts'
import { recordAlert } from './record-alert.ts'
import { deleteAlertState, updateAlertState } from './state-queries.ts'

/** What happened: a run was judged, or only time has passed. */
type StateInput = { run: JudgedRun | null; now: number }

/** While alerts are kept back it is looked so often whether the silence was ended by hand. */
const lookAgainMs = 60_000
/** Silences longer ago decide nothing any more. */
const longestLookBackMs = 7 * 24 * 60 * 60_000

type StateChange = { subject: AlertSubject; before: AlertStateDoc; after: Omit<AlertStateDoc, 'state'> }

/** Returns the names to wake after the commit. */
export const applyTransitions = async (
  trx: Db,
  { subject, before, after }: StateChange,
  { run, now, newId }: StateInput & Stamp,
): Promise<string[]> => {
  const happened = { run, now }
  const { next, silences } = await advanceWithSilences(trx, { subject, state: before.state }, happened)
  const details = run === null ? before.last : after.last
  for (const transition of next.transitions) {
    const event = eventOf(subject, transition, { details, id: newId(), now })
    if (!transition.quiet)
      await recordAlert(trx, event, { now, newId, afterFailure: transition.afterFailure })
    await changeIncidents(trx, event, subject.triggerIncident, { now, newId })
  }
  const { id: checkId, accountId, triggerIncident } = subject
  if (run !== null && triggerIncident !== null)
    await keepOpen(trx, { accountId, checkId, triggerIncident }, { state: next.state, now, newId })
  await store(trx, subject.id, { stored: { ...after, state: next.state }, subject, silences, now })
  return next.transitions.length > 0 ? [notificationsWakeup] : []
}

/** Silences can only delay a transition: where none is due without them, they need not be read. */
const advanceWithSilences = async (
  trx: Db,
  { subject, state }: { subject: AlertSubject; state: AlertState },
  { run, now }: StateInput,
): Promise<{ next: NextState; silences: Silence[] }> => {
  const advanced = (silences: Silence[]): NextState => {
    const rules = { ...subject.rules, silences }
    return run === null ? elapse(state, now, rules) : advance(state, run, rules)
  }
  const next = advanced([])
  const earliest = next.transitions[0]
  if (earliest === undefined) return { next, silences: [] }
  const from = Math.max(Math.min(earliest.at, now), now - longestLookBackMs)
  const silences = await silencesOf(trx, {
    accountId: subject.accountId,
    tags: subject.tags,
    within: { from, to: now + lookAgainMs },
  })
  return { next: silences.length === 0 ? next : advanced(silences), silences }
}

type StateToStore = { stored: AlertStateDoc; subject: AlertSubject; silences: Silence[]; now: number }

const store = async (
  trx: Db,
  checkId: string,
  { stored, subject, silences, now }: StateToStore,
): Promise<void> => {
  const { state, openRound } = stored
  if (isWell(state) && openRound === null) {
    await trx.run(deleteAlertState, { checkId })
    return
  }
  const next = nextTransition(state, { ...subject.rules, silences })
  await trx.run(updateAlertState, {
    check_id: checkId,
    level: state.level,
    wake_at: next?.at ?? null,
    updated_at: now,
    doc: alertStateDoc.write(stored),
  })
}

type EventContext = { details: RunDetails | null; id: string; now: number }

const eventOf = (
  subject: AlertSubject,
  transition: Transition,
  { details, id, now }: EventContext,
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
  ssl: null,
})

type SilenceQuestion = { accountId: string; tags: readonly string[]; within: Silence }

/** When maintenance keeps back the alerts of a check with these tags (its own and its group's), within `within`. */
export const silencesOf = async (db: Db, { accountId, tags, within }: SilenceQuestion): Promise<Silence[]> =>
  (await windowsOfAccount(db, accountId, within.from))
    .filter((plan) => plan.silenceAllAlerts || plan.silenceAlertsTags.some((tag) => tags.includes(tag)))
    .flatMap((plan) => activeIntervals(plan, within))
