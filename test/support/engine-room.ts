/** The engine room alone: a real store, a clock that only moves when told, predictable ids. No HTTP, no loops. */
import { randomBytes, randomUUID } from 'node:crypto'
import pino from 'pino'
import { consequences } from '../../control-plane/consequences.ts'
import { lookups } from '../../control-plane/lookups.ts'
import { metricGroups } from '../../control-plane/metrics.ts'
import { numberChecks } from '../../control-plane/monitoring/definitions/checks/check-numbers.ts'
import { createFinishedRuns } from '../../control-plane/monitoring/outcomes/finished-runs.ts'
import { noRunExport } from '../../control-plane/monitoring/outcomes/run-export.ts'
import { type ScheduledCheck, syncSchedule } from '../../control-plane/monitoring/schedule/schedule.ts'
import { createMetrics } from '../../control-plane/platform/app/metrics.ts'
import { createSteadyClock } from '../../control-plane/platform/services/clock/steady-clock.ts'
import { createWakeups } from '../../control-plane/platform/services/clock/wakeups.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { query } from '../../control-plane/platform/store/database/query.ts'
import { readConfig } from '../../control-plane/read-config.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import type { ClaimRequest } from '../../protocol/agent-api.ts'
import type { HttpCheckResult } from '../../protocol/checks/http-result.ts'
import type { Report } from '../../protocol/result.ts'
import { allResults } from './all-results.ts'

export type EngineRoom = { app: WholeApp; advance: (ms: number) => void; setTime: (ms: number) => void }

export const engineRoom = (db: Database, startMs = 1_700_000_000_000): EngineRoom => {
  const time = { now: startMs }
  const clock = {
    now: () => time.now,
    monotonic: () => time.now,
    sleep: () => Promise.resolve(),
  }
  const steadyClock = createSteadyClock({ wall: clock.now, monotonic: clock.monotonic })
  const app = {
    config: readConfig({}),
    db,
    clock,
    steadyClock,
    newId: randomUUID,
    randomBytes,
    wakeups: createWakeups(),
    consequences,
    lookups,
    runExport: noRunExport,
    finishedRuns: createFinishedRuns(pino({ level: 'silent' })),
    metrics: createMetrics(metricGroups),
  } as unknown as WholeApp
  return {
    app,
    advance: (ms) => {
      time.now += ms
    },
    setTime: (ms) => {
      time.now = ms
    },
  }
}

const insertCheck = query('test-insert-check', (k, p: { id: string; doc: string; now: number }) =>
  k.insertInto('checks').values({
    id: p.id,
    account_id: 'account',
    type: 'URL',
    name: p.id,
    activated: true,
    group_id: null,
    created_at: p.now,
    updated_at: null,
    version: 1,
    doc: p.doc,
  }),
)

export const localLocation = { id: 'location-1', name: 'local' }

/** Stores a URL check and its schedule; every second unless told otherwise. */
export const addCheck = async (
  { app }: EngineRoom,
  options: Partial<ScheduledCheck> & { id: string; doc?: object },
): Promise<void> => {
  const { doc = { request: { url: 'http://127.0.0.1/' } }, ...rest } = options
  const now = app.clock.now()
  await app.db.transaction(async (trx) => {
    await trx.run(insertCheck, {
      id: options.id,
      doc: JSON.stringify({ degradedResponseTime: 3000, maxResponseTime: 5000, ...doc }),
      now,
    })
    await numberChecks(trx, [{ check_id: options.id, account_id: 'account', check_type: 'URL' }])
    await syncSchedule(trx, scheduled(rest), { now, newId: app.newId })
  })
}

export const scheduled = (options: Partial<ScheduledCheck> & { id: string }): ScheduledCheck => ({
  accountId: 'account',
  type: 'URL',
  activated: true,
  periodMs: 10_000,
  phaseMs: 0,
  locations: [localLocation],
  parallel: false,
  runtimeId: null,
  tags: [],
  writes: 0,
  ...options,
})

export const claimRequest = (more: Partial<ClaimRequest> = {}): ClaimRequest => ({
  agentId: 'agent-1',
  version: '1.0.0',
  platform: 'linux-x64',
  checkTypes: ['URL'],
  runtimeIds: [],
  maxUptime: 100,
  maxMain: 1,
  waitMs: 0,
  ...more,
})

/** The least that a URL run can have seen. */
export const emptyHttpDetail: HttpCheckResult = {
  assertions: [],
  request: { method: 'GET', url: 'http://127.0.0.1/', data: '', headers: {}, params: {} },
  response: null,
  requestError: null,
  jobLog: null,
  jobAssets: null,
  pcapDataUrl: null,
}

export const passingReport = (job: { id: string; fence: number }, at = 1_700_000_000_000): Report => ({
  jobId: job.id,
  fence: job.fence,
  startedAt: at,
  stoppedAt: at + 5,
  outcome: {
    kind: 'observed',
    observation: {
      responseTime: 5,
      failure: null,
      assertions: [],
      degraded: false,
      metrics: {},
      detail: emptyHttpDetail,
    },
  },
  log: [],
})

/** Every due time that was accounted for, as `check location dueAt outcome`, missed ranges expanded. */
export const accountedFor = async (db: Database): Promise<string[]> => {
  const results = (await allResults(db)).filter(({ result_type }) => result_type === 'FINAL')
  const missed = await db.select((k) => k.selectFrom('missed_runs').selectAll())
  return [
    ...results.map((row) => `${row.check_id} ${row.location} ${row.due_at} RESULT`),
    ...missed.flatMap((row) =>
      Array.from(
        { length: row.count },
        (_, i) => `${row.check_id} ${row.location} ${row.first_due_at + i * row.period_ms} ${row.reason}`,
      ),
    ),
  ].sort()
}
