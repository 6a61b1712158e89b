/** Two versions beside each other on one PostgreSQL, as docs/deploy/upgrade.md promises. */
import t from 'tap'
import { loops } from '../../../../control-plane/loops.ts'
import { storeVersionTick } from '../../../../control-plane/platform/app/newer-store.ts'
import { query } from '../../../../control-plane/platform/store/database/query.ts'
import type { Tables } from '../../../../control-plane/platform/store/database/tables.ts'
import { allResults } from '../../../support/all-results.ts'
import { urlMonitor } from '../../../support/api.ts'
import { testApp } from '../../../support/app.ts'
import { claimRequest, passingReport } from '../../../support/engine-room.ts'

const record = query('test-record-newer-migration', (k, p: { id: string }) =>
  k.insertInto('migrations' as keyof Tables).values({ id: p.id, applied_at: 1 } as never),
)
const forget = query('test-forget-newer-migration', (k, p: { id: string }) =>
  k.deleteFrom('migrations' as keyof Tables).where('id' as never, '=', p.id as never),
)
const id = '9999-of-a-newer-version'

t.test('an older program that meets a newer store stops with a reason, and writes no verdicts', async (t) => {
  const plane = await testApp(t, { engine: 'postgres' })
  const { app, call, agentKey } = plane
  for (const name of ['one', 'two']) {
    const body = { ...urlMonitor(name, 'http://127.0.0.1/'), privateLocations: ['local'], locations: [] }
    t.equal((await call('POST', '/v1/checks/url', { body })).status, 201)
  }
  const ask = (path: string, body: object) => call('POST', `/agent/v1/${path}`, { key: agentKey, body })
  const claim = () => ask('claim', claimRequest({ maxUptime: 1 }))
  const claimed = await claim()
  const [job] = claimed.body.jobs
  const report = () => ask('report', { agentId: 'agent-1', reports: [passingReport(job, app.clock.now())] })

  await app.db.run(record, { id })
  const reason =
    /brought up to date by a newer version \(9999-of-a-newer-version\).*start that version in its place/
  t.match(await claim(), { status: 503, body: { message: reason } }, 'at once: nothing has looked yet')
  t.match(await report(), { status: 503, body: { message: reason } }, 'agents keep what they have seen')
  await storeVersionTick(app)
  await storeVersionTick(app)
  t.match(await call('GET', '/-/readiness', { key: null }), { status: 503, body: { status: 'newer store' } })
  t.equal(plane.logged.filter(({ msg }) => reason.test(String(msg))).length, 1, 'it is said once')
  plane.advance(20 * 60_000)
  const before = JSON.stringify(await app.db.select((k) => k.selectFrom('jobs').selectAll().orderBy('id')))
  for (const { tick } of loops) await tick(app, new AbortController().signal)
  t.equal(JSON.stringify(await app.db.select((k) => k.selectFrom('jobs').selectAll().orderBy('id'))), before)
  t.strictSame(await app.db.select((k) => k.selectFrom('missed_runs').select('id')), [], 'nothing is judged')
  t.strictSame(await allResults(app.db), [])

  await app.db.run(forget, { id })
  await storeVersionTick(app)
  t.match(await call('GET', '/-/readiness', { key: null }), { status: 200 }, 'a backup was restored')
  t.match((await report()).body, { outcomes: [{ outcome: 'accepted' }] })
})
