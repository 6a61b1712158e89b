/**
 * Somebody answers the open alert of a check: by key, in a page, from a mail, in Slack. All of them call this: the state
 * under its lock, the alert that was answered, and what comes due by it, in one transaction.
 */

import { checkAlertDoc } from '../../../alerting/check-alerts/check-alert-doc.ts'
import {
  findCheckAlert,
  newestFailureAlert,
  updateCheckAlertDoc,
} from '../../../alerting/check-alerts/queries.ts'
import { type AlertState, respond } from '../../../alerting/engine/advance.ts'
import { alertStateDoc } from '../../../alerting/engine/alert-state-doc.ts'
import { applyTransitions } from '../../../alerting/engine/apply-transitions.ts'
import { findAlertState, lockOpenAlertState } from '../../../alerting/engine/state-queries.ts'
import type { AlertResponse, Responder } from '../../../alerting/messages/alert-response.ts'
import type { App } from '../../../platform/app/app.ts'
import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { CheckAlertsTable } from '../../../platform/store/database/tables/alert-channels.ts'
import { neighboursIn } from '../dependencies/neighbours.ts'
import { alertSubject } from './read-alert-subject.ts'

/** `withdraw`: as if nobody had answered. `until`: epoch milliseconds. */
export type AlertAction = { kind: 'acknowledge' } | { kind: 'snooze'; until: number } | { kind: 'withdraw' }

type AnsweredCheck = {
  accountId: string
  checkId: string
  /** The alert that the answer is for, if it names one: it must belong to the failure that is open. */
  alertId?: string | undefined
}

type ResponseOutcome = { response: AlertResponse | null }

/** Undefined: no alert is open that could be answered. */
export const respondToAlert = async (
  app: App & HasWakeups,
  check: AnsweredCheck,
  { action, by, via }: { action: AlertAction } & Responder,
): Promise<ResponseOutcome | undefined> => {
  const stamp = { now: app.clock.now(), newId: app.newId }
  const done = await app.db.transaction((trx) => inTransaction(trx, check, { action, by, via, stamp }))
  for (const name of done?.wake ?? []) app.wakeups.wake(name)
  return done === undefined ? undefined : { response: done.response }
}

type Answer = { action: AlertAction; stamp: Stamp } & Responder

const inTransaction = async (
  trx: Db,
  check: AnsweredCheck,
  { action, by, via, stamp }: Answer,
): Promise<(ResponseOutcome & { wake: string[] }) | undefined> => {
  const { checkId, accountId } = check
  const row = await trx.get(lockOpenAlertState, { checkId })
  if (row === undefined || row.account_id !== accountId) return undefined
  const { state, ...rest } = alertStateDoc.read(row.doc)
  const alert = await openAlert(trx, check, state)
  const answered = stateAfter(state, action, { by, via, at: stamp.now })
  if (alert === undefined || answered === null) return undefined
  const { response } = answered
  if (answered === state) return { response, wake: [] }
  const doc = checkAlertDoc.read(alert.doc)
  await trx.run(updateCheckAlertDoc, { id: alert.id, doc: checkAlertDoc.write({ ...doc, response }) })
  const subject = await alertSubject(trx, checkId)
  if (!subject) return undefined
  const before = { ...rest, state: answered }
  const neighbours = neighboursIn(trx, stamp, { subjects: [subject] })
  const change = { subject, before, after: rest, run: null }
  const wake = await applyTransitions(trx, change, { ...stamp, neighbours })
  return { response, wake }
}

const stateAfter = (
  state: AlertState,
  action: AlertAction,
  by: Responder & { at: number },
): AlertState | null => {
  if (action.kind !== 'withdraw')
    return respond(state, { ...by, until: action.kind === 'snooze' ? action.until : null })
  if (state.told === null) return null
  return state.response === null ? state : { ...state, response: null }
}

/** Whether the alert belongs to a failure that can be answered now. */
export const isOpenAlert = async (db: Db, check: AnsweredCheck): Promise<boolean> => {
  const row = await db.get(findAlertState, { checkId: check.checkId })
  if (row === undefined) return false
  const { state } = alertStateDoc.read(row.doc)
  if (state.told === null || state.level === 'passing') return false
  return (await openAlert(db, check, state)) !== undefined
}

/** The newest alert of the failure that is open; undefined also when the answer is for one from before it. */
const openAlert = async (
  trx: Db,
  { checkId, accountId, alertId }: AnsweredCheck,
  { openedAt }: AlertState,
): Promise<CheckAlertsTable | undefined> => {
  const newest = await trx.get(newestFailureAlert, { checkId, accountId })
  if (newest === undefined || newest.created_at < openedAt) return undefined
  if (alertId === undefined || alertId === newest.id) return newest
  const named = await trx.get(findCheckAlert, { id: alertId })
  const isOfIt = named?.check_id === checkId && named.created_at >= openedAt
  return isOfIt && !named.alert_type.endsWith('RECOVERY') && named.alert_type !== 'ALERT_SSL'
    ? named
    : undefined
}
