/** What else grows over a year: missed runs, sessions, alerts with their notifications, and error groups. */
import { randomUUID } from 'node:crypto'
import { alertEvent as storedEvent } from '../../control-plane/alerting/messages/alert-event.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { alertEvent } from '../../test/support/alerting.ts'
import { accountId } from '../../test/support/programs.ts'
import { idAt, type Rows, storeRows } from '../../test/support/retention-rows.ts'

type Span = { from: number; to: number; checkIds: readonly string[]; results: number }

/** Each of them of so many results one. */
const oneIn = { missed: 100, sessions: 1000, alerts: 500, groups: 2000 }
const rowsAtOnce = 5000

type Instant = { at: number; checkId: string }

const instants = ({ from, to, checkIds, results }: Span, share: number): Instant[] => {
  const count = Math.max(1, Math.floor(results / share))
  return Array.from({ length: count }, (_, n) => ({
    at: Math.floor(from + ((to - from) * n) / count),
    checkId: checkIds[n % checkIds.length] ?? '',
  }))
}

const missedAt = ({ at, checkId }: Instant): Rows['missed_runs'][number] => ({
  id: idAt(at),
  account_id: accountId,
  check_id: checkId,
  location: 'local',
  reason: 'NO_AGENT',
  detail: '',
  first_due_at: at - 60_000,
  last_due_at: at,
  period_ms: 60_000,
  count: 2,
  created_at: at,
  job: null,
})

const sessionAt = ({ at, checkId }: Instant): Rows['check_sessions'][number] => ({
  id: idAt(at),
  account_id: accountId,
  check_id: checkId,
  check_type: 'URL',
  name: 'site',
  status: 'PASSED',
  run_source: 'TRIGGER_API',
  trigger_id: randomUUID(),
  group_id: null,
  position: 0,
  locations: '[{"id":"local","name":"local"}]',
  runtime_id: null,
  refresh_cache: false,
  is_test: false,
  variables: null,
  created_at: at,
  started_at: at,
  stopped_at: at + 900,
})

const sessionRunOf = ({ id }: Rows['check_sessions'][number]): Rows['check_session_runs'][number] => ({
  id: randomUUID(),
  session_id: id,
  account_id: accountId,
  run_location: 'local',
  sequence_id: randomUUID(),
  state: 'passed',
})

const alertAt = ({ at, checkId }: Instant): Rows['check_alerts'][number] => ({
  id: idAt(at),
  account_id: accountId,
  check_id: checkId,
  check_type: 'URL',
  problem: null,
  opening_host: null,
  opening_location: null,
  alert_type: 'ALERT_FAILURE',
  name: 'site',
  started_at: at,
  created_at: at,
  doc: JSON.stringify({ runLocation: 'local', responseTime: 180, error: null, statusCode: '500' }),
})

const notificationOf = (alert: Rows['check_alerts'][number]): Rows['alert_notifications'][number] => ({
  id: idAt(alert.created_at),
  account_id: accountId,
  channel_id: 1,
  type: 'WEBHOOK',
  check_id: alert.check_id,
  check_type: 'URL',
  check_alert_id: alert.id,
  check_result_id: randomUUID(),
  status: 'SUCCESS',
  held: null,
  gather: null,
  bundle_id: null,
  sent_at: alert.created_at,
  created_at: alert.created_at,
  doc: JSON.stringify({ alertConfig: {}, notificationResult: null }),
  due_at: null,
  claimed_until: 0,
  claims: 1,
  tries: 1,
  sequence: 0,
  event: storedEvent.write(alertEvent({ accountId, checkId: alert.check_id })),
})

const groupAt = ({ at, checkId }: Instant): Rows['error_groups'][number] => ({
  id: randomUUID(),
  account_id: accountId,
  check_id: checkId,
  of_tests: false,
  project: null,
  error_hash: randomUUID(),
  raw_error_message: 'connect ECONNREFUSED 192.0.2.7:443',
  cleaned_error_message: 'connect ECONNREFUSED <ADDRESS>',
  first_seen_at: at,
  last_seen_at: at,
  events: 3,
  archived_until_next_event: false,
  archived_at: null,
  archived_for_ever: false,
})

/** In their proportion to the results; returns how many there are of each. */
export const fillLists = async (db: Database, span: Span): Promise<Record<string, number>> => {
  const check_sessions = instants(span, oneIn.sessions).map(sessionAt)
  const check_alerts = instants(span, oneIn.alerts).map(alertAt)
  const rows = {
    missed_runs: instants(span, oneIn.missed).map(missedAt),
    check_sessions,
    check_session_runs: check_sessions.map(sessionRunOf),
    check_alerts,
    alert_notifications: check_alerts.map(notificationOf),
    error_groups: instants(span, oneIn.groups).map(groupAt),
  }
  for (const [table, list] of Object.entries(rows))
    for (let from = 0; from < list.length; from += rowsAtOnce)
      await storeRows(db, { [table]: list.slice(from, from + rowsAtOnce) })
  return Object.fromEntries(Object.entries(rows).map(([table, list]) => [table, list.length]))
}
