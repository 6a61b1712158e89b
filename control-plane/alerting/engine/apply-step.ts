/**
 * From a pure step of the alert state to what follows from it, in the caller's transaction: the stored state, the alerts
 * with their notifications, the incidents.
 */

import type { Stamp } from '../../platform/clock/stamp.ts'
import type { Db } from '../../platform/database/db.ts'
import {
  type AlertState,
  advance,
  elapse,
  isWell,
  type JudgedRun,
  type Notice,
  nextNotice,
  type Silence,
  type Step,
} from './advance.ts'
import type { AlertEvent } from './alert-event.ts'
import type { AlertSubject } from './alert-subject.ts'
import { changeIncidents } from './change-incidents.ts'
import { notificationsWakeup } from './queue-notifications.ts'
import { recordAlert } from './record-alert.ts'
import { silencesOf } from './silences.ts'
import { deleteAlertState, updateAlertState } from './state-queries.ts'

/** What an alert shows of a run. */
export type RunDetails = Pick<
  AlertEvent,
  'checkResultId' | 'errorMessage' | 'responseTime' | 'apiStatus' | 'runLocation' | 'startedAt'
>

/** `alert_states.doc`. `last`: the last judged run; `openRound`: a parallel run that is still without a verdict. */
export type StoredState = { state: AlertState; last: RunDetails | null; openRound: number | null }

/** What happened: a run was judged, or only time has passed. */
type Happened = { run: JudgedRun | null; now: number }

/** While alerts are kept back it is looked so often whether the silence was ended by hand. */
const lookAgainMs = 60_000
/** Silences longer ago decide nothing any more. */
const longestLookBackMs = 7 * 24 * 60 * 60_000

type Given = { subject: AlertSubject; before: StoredState; after: Omit<StoredState, 'state'> }

/** Returns the names to wake after the commit. */
export const applyStep = async (
  trx: Db,
  { subject, before, after }: Given,
  { run, now, newId }: Happened & Stamp,
): Promise<string[]> => {
  const happened = { run, now }
  const { step, silences } = await stepWithSilences(trx, { subject, state: before.state }, happened)
  const details = run === null ? before.last : after.last
  for (const notice of step.notices) {
    const event = eventOf(subject, notice, { details, id: newId(), now })
    if (!notice.quiet) await recordAlert(trx, event, { now, newId, afterFailure: notice.afterFailure })
    await changeIncidents(trx, event, subject.triggerIncident, { now, newId })
  }
  await store(trx, subject.id, { stored: { ...after, state: step.state }, subject, silences, now })
  return step.notices.length > 0 ? [notificationsWakeup] : []
}

/** Silences only ever put a notice off: where none is due without them, nobody need ask for them. */
const stepWithSilences = async (
  trx: Db,
  { subject, state }: { subject: AlertSubject; state: AlertState },
  { run, now }: Happened,
): Promise<{ step: Step; silences: Silence[] }> => {
  const stepped = (silences: Silence[]): Step => {
    const rules = { ...subject.rules, silences }
    return run === null ? elapse(state, now, rules) : advance(state, run, rules)
  }
  const step = stepped([])
  const earliest = step.notices[0]
  if (earliest === undefined) return { step, silences: [] }
  const from = Math.max(Math.min(earliest.at, now), now - longestLookBackMs)
  const silences = await silencesOf(trx, {
    accountId: subject.accountId,
    tags: subject.tags,
    within: { from, to: now + lookAgainMs },
  })
  return { step: silences.length === 0 ? step : stepped(silences), silences }
}

type Stored = { stored: StoredState; subject: AlertSubject; silences: Silence[]; now: number }

const store = async (trx: Db, checkId: string, { stored, subject, silences, now }: Stored): Promise<void> => {
  const { state, openRound } = stored
  if (isWell(state) && openRound === null) {
    await trx.run(deleteAlertState, { checkId })
    return
  }
  const next = nextNotice(state, { ...subject.rules, silences })
  await trx.run(updateAlertState, {
    check_id: checkId,
    level: state.level,
    wake_at: next?.at ?? null,
    updated_at: now,
    doc: JSON.stringify(stored),
  })
}

type Told = { details: RunDetails | null; id: string; now: number }

const eventOf = (subject: AlertSubject, notice: Notice, { details, id, now }: Told): AlertEvent => ({
  alertType: notice.alertType,
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
  at: notice.at,
  reminder: notice.reminder,
  ssl: null,
})
