/** Rows of every kind that ends, of random ages, put straight into the store. */
import { randomUUID } from 'node:crypto'
import { insertResults } from '../../control-plane/monitoring/results/stored/insert-results.ts'
import type { ResultWithDoc } from '../../control-plane/monitoring/results/stored/result.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import type { Tables } from '../../control-plane/platform/store/database/tables.ts'
import { uuidV7 } from '../../control-plane/platform/words/uuid.ts'

export type Rows = {
  results: ResultWithDoc[]
  error_groups: Tables['error_groups'][]
  root_cause_analyses: Tables['root_cause_analyses'][]
  missed_runs: Tables['missed_runs'][]
  check_sessions: Tables['check_sessions'][]
  check_session_runs: Tables['check_session_runs'][]
  alert_states: Tables['alert_states'][]
  check_alerts: Tables['check_alerts'][]
  alert_notifications: Tables['alert_notifications'][]
  artifacts: Tables['artifacts'][]
}

export const dayMs = 86_400_000
/** Results take a moment from their job to their row. */
const tookMs = 5000

export type Dice = { below(n: number): number }
type World = { dice: Dice; now: number; checkIds: readonly string[] }

const instantOf = ({ dice, now }: World, days: number): number => now - dice.below(days * dayMs)
const checkOf = ({ dice, checkIds }: World): string => checkIds[dice.below(checkIds.length)] ?? ''
const chance = ({ dice }: World, oneIn: number): boolean => dice.below(oneIn) === 0
export const idAt = (at: number): string => uuidV7(at, randomUUID())
const accountId = randomUUID()
const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

export const resultAt = (at: number, checkId: string, more: Partial<ResultWithDoc> = {}): ResultWithDoc => ({
  id: idAt(at),
  account_id: accountId,
  check_id: checkId,
  check_type: 'URL',
  result_type: 'FINAL',
  location: 'local',
  due_at: at,
  started_at: at,
  stopped_at: at + 10,
  created_at: at + tookMs,
  response_time: 10,
  has_failures: false,
  has_errors: false,
  is_degraded: false,
  is_cancelled: false,
  over_max: false,
  attempts: 0,
  sequence_id: randomUUID(),
  check_run_id: at,
  doc: JSON.stringify({ name: 'site', error: null }),
  ...more,
})

export const randomRows = (world: World): Rows => {
  const results = many(400, () =>
    resultAt(instantOf(world, 60), checkOf(world), {
      result_type: chance(world, 4) ? 'ATTEMPT' : 'FINAL',
      has_failures: chance(world, 3),
      has_errors: chance(world, 9),
    }),
  )
  const error_groups = many(60, () => groupOf(world, results))
  const check_sessions = many(60, () => sessionOf(world))
  const check_alerts = many(80, () => alertOf(world))
  return {
    results,
    error_groups,
    root_cause_analyses: many(90, () => analysisOf(world, error_groups)),
    missed_runs: many(60, () => missedOf(world)),
    check_sessions,
    check_session_runs: check_sessions.flatMap(({ id }) => many(2, () => runOf(id))),
    alert_states: world.checkIds.slice(0, 3).map((check_id) => stateOf(check_id)),
    check_alerts,
    alert_notifications: many(120, () => notificationOf(world, check_alerts)),
    artifacts: results.slice(0, 150).map(({ id, check_id }) => fileOf(world, id, check_id)),
  }
}

const groupOf = (world: World, results: ResultWithDoc[]): Tables['error_groups'] => {
  const result = results[world.dice.below(results.length)]
  return {
    id: randomUUID(),
    account_id: accountId,
    check_id: result?.check_id ?? '',
    of_tests: false,
    project: null,
    error_hash: 'x',
    raw_error_message: null,
    cleaned_error_message: 'x',
    first_seen_at: 0,
    last_seen_at: chance(world, 3) ? instantOf(world, 200) : (result?.started_at ?? 0),
    events: 1,
    archived_until_next_event: chance(world, 6),
    archived_at: null,
    archived_for_ever: chance(world, 6),
  }
}

const analysisOf = (world: World, groups: Tables['error_groups'][]): Tables['root_cause_analyses'] => {
  const at = instantOf(world, 200)
  const group = groups[world.dice.below(groups.length)]
  const isDone = !chance(world, 5)
  return {
    id: randomUUID(),
    account_id: accountId,
    check_id: group?.check_id ?? '',
    error_group_id: chance(world, 8) ? randomUUID() : (group?.id ?? ''),
    check_type: 'URL',
    status: isDone ? 'COMPLETED' : 'PENDING',
    user_context: '',
    claimed_until: 0,
    claims: 0,
    created_at: at,
    completed_at: isDone ? at + tookMs : null,
    doc: '{}',
  }
}

const missedOf = (world: World): Tables['missed_runs'] => {
  const at = instantOf(world, 60)
  return {
    id: idAt(at),
    account_id: accountId,
    check_id: checkOf(world),
    location: 'local',
    reason: 'EXPIRED',
    detail: '',
    first_due_at: at - dayMs,
    last_due_at: at + world.dice.below(2) * tookMs,
    period_ms: 60_000,
    count: 1,
    created_at: at,
    job: null,
  }
}

const sessionOf = (world: World): Tables['check_sessions'] => {
  const at = instantOf(world, 60)
  return {
    id: idAt(at),
    account_id: accountId,
    check_id: checkOf(world),
    check_type: 'URL',
    name: 'site',
    status: 'PASSED',
    run_source: 'TRIGGER_API',
    trigger_id: randomUUID(),
    group_id: null,
    position: 0,
    locations: '[]',
    runtime_id: null,
    refresh_cache: false,
    is_test: false,
    variables: null,
    created_at: at,
    started_at: at,
    stopped_at: chance(world, 4) ? null : at + tookMs,
  }
}

const runOf = (sessionId: string): Tables['check_session_runs'] => ({
  id: randomUUID(),
  session_id: sessionId,
  account_id: accountId,
  run_location: 'local',
  sequence_id: randomUUID(),
  state: 'passed',
})

const stateOf = (checkId: string): Tables['alert_states'] => ({
  check_id: checkId,
  account_id: accountId,
  level: 'failing',
  wake_at: null,
  updated_at: 0,
  doc: '{}',
})

const alertOf = (world: World): Tables['check_alerts'] => {
  const at = instantOf(world, 200)
  return {
    id: idAt(at),
    account_id: accountId,
    check_id: checkOf(world),
    check_type: 'URL',
    problem: null,
    opening_host: null,
    opening_location: null,
    alert_type: 'ALERT_FAILURE',
    name: 'site',
    started_at: at,
    created_at: at,
    doc: '{}',
  }
}

const notificationOf = (world: World, alerts: Tables['check_alerts'][]): Tables['alert_notifications'] => {
  const alert = alerts[world.dice.below(alerts.length)]
  const at = alert?.created_at ?? 0
  return {
    id: idAt(at),
    account_id: accountId,
    channel_id: 1,
    type: 'EMAIL',
    check_id: alert?.check_id ?? '',
    check_type: 'URL',
    check_alert_id: alert?.id ?? '',
    check_result_id: '',
    status: 'SUCCESS',
    sent_at: at,
    created_at: at,
    doc: '{}',
    due_at: chance(world, 5) ? at : null,
    held: null,
    gather: null,
    bundle_id: null,
    claimed_until: 0,
    claims: 0,
    tries: 0,
    sequence: 0,
    event: '',
  }
}

const fileOf = (world: World, resultId: string, checkId: string): Tables['artifacts'] => ({
  result_id: resultId,
  name: 'capture.pcap',
  position: 0,
  account_id: accountId,
  check_id: checkId,
  location: 'local',
  type: 'pcap',
  content_type: 'application/vnd.tcpdump.pcap',
  size: 1,
  sha256: null,
  refused: 'by the test',
  created_at: 0,
  completed_at: null,
  expires_at: world.now + 365 * dayMs,
})

/** Results that are older than the first period are stored beside the periods. */
export const storeRows = async (db: Database, { results = [], ...rows }: Partial<Rows>): Promise<void> => {
  for (let from = 0; from < results.length; from += 500)
    await db.transaction((trx) => insertResults(trx, results.slice(from, from + 500)))
  for (const [table, list] of Object.entries(rows) as [Exclude<keyof Rows, 'results'>, object[]][])
    for (let from = 0; from < list.length; from += 100)
      await db.execute((k) => k.insertInto(table).values(list.slice(from, from + 100).map(asStored) as never))
}

const asStored = (row: object): object =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'boolean' ? Number(value) : value]),
  )
