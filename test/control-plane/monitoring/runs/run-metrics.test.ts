/** What happens to runs is counted once it is committed. */

import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { missedRunReasons } from '../../../../control-plane/monitoring/schedule/missed-runs.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { eachEngine, type TestApp } from '../../../support/app.ts'

const minuteMs = 60_000

const shown = async ({ call }: TestApp, series: string): Promise<number> => {
  const { text } = await call('GET', '/metrics')
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return Number(line?.slice(series.length + 1) ?? 0)
}

const missed = async (plane: TestApp): Promise<Record<string, number>> =>
  Object.fromEntries(
    await Promise.all(
      missedRunReasons.map(async (reason) => [
        reason,
        await shown(plane, `watchpost_missed_runs_total{reason="${reason}"}`),
      ]),
    ),
  )

const createCheck = async ({ call }: TestApp): Promise<string> => {
  const body = {
    name: 'site',
    request: { url: 'https://example.com' },
    privateLocations: ['local'],
    frequency: 1,
  }
  return (await call('POST', '/v1/checks/url', { body })).body.id
}

const agent = ({ call, agentKey: key }: TestApp) => ({
  claim: async () => {
    const body = {
      agentId: 'a1',
      version: '0.1.0',
      platform: 'test',
      checkTypes: ['URL'],
      runtimeIds: [],
      maxUptime: 10,
      maxMain: 0,
      waitMs: 0,
    }
    return (await call('POST', '/agent/v1/claim', { key, body })).body.jobs
  },
  report: async (reports: unknown[]) =>
    call('POST', '/agent/v1/report', { key, body: { agentId: 'a1', reports } }),
})

eachEngine('missed runs are counted by their reason', async (t, plane) => {
  const { app, advance, call } = plane
  await createCheck(plane)
  advance(5 * minuteMs)
  await sweepTick(app)
  t.strictSame(await missed(plane), { NO_AGENT: 1, EXPIRED: 0, OVERLAP: 0, CONTROL_PLANE_DOWN: 0 })
  await scheduleTick(app)
  const stored = (await call('GET', '/v1/missed-runs')).body
  const down = (await missed(plane))['CONTROL_PLANE_DOWN']
  const rows = await app.db.select((k) => k.selectFrom('missed_runs').select(['reason', 'count']))
  const inStore = rows
    .filter(({ reason }) => reason === 'CONTROL_PLANE_DOWN')
    .reduce((sum, { count }) => sum + count, 0)
  t.ok(inStore > 1, JSON.stringify(stored))
  t.equal(down, inStore, 'each due time of a range')
})

eachEngine('leases, lateness and reports are counted', async (t, plane) => {
  const { app, advance } = plane
  await createCheck(plane)
  advance(3000)
  const { claim, report } = agent(plane)
  t.equal((await claim()).length, 1)
  const lateness = 'watchpost_claim_lateness_seconds'
  t.equal(await shown(plane, `${lateness}_sum{queue="uptime"}`), 3)
  t.equal(await shown(plane, `${lateness}_count{queue="uptime"}`), 1)

  t.equal(await shown(plane, 'watchpost_leases_expired_total'), 0)
  advance(20_000)
  await sweepTick(app)
  t.equal(await shown(plane, 'watchpost_leases_expired_total'), 1)

  await report([{ jobId: 'nobody', fence: 1 }, 'no report'])
  t.equal(await shown(plane, 'watchpost_reports_total{outcome="stale"}'), 1)
  t.equal(await shown(plane, 'watchpost_reports_total{outcome="refused"}'), 1)
  t.equal(await shown(plane, 'watchpost_report_batch_size_sum'), 2)
  t.equal(await shown(plane, 'watchpost_report_batch_size_count'), 1)
})
