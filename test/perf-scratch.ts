import { testApp } from './support/app.ts'
import { insertCheck, } from '../control-plane/checks/queries.ts'
import { recordStatus } from '../control-plane/check-statuses/queries.ts'
const downs: Array<() => unknown> = []
const t = { teardown: (f: () => unknown) => downs.push(f) } as never
for (const strictResponses of [false]) {
const { call, app, accountId, advance } = await testApp(t, { strictResponses })
await call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config: { address: 'a@example.com' } } })
const { id } = (await call('POST', '/v1/checks/url', { body: { name: 'x', request: { url: 'https://example.com/' , assertions: [{source:'STATUS_CODE',comparison:'EQUALS',target:'200'}]} } })).body
const [row] = await app.db.select((k) => k.selectFrom('checks').select('doc').where('id', '=', id))
await app.db.transaction(async (trx) => {
  for (let i = 0; i < 10000; i++) {
    const cid = app.newId()
    await trx.run(insertCheck, { id: cid, account_id: accountId, type: 'URL', name: `check ${i}`, activated: 0, group_id: null, created_at: i, doc: row!.doc })
    await trx.run(recordStatus, { checkId: cid, accountId, state: i % 2 ? 'passing' : 'failing', hasFailures: false, hasErrors: false, isDegraded: false, runMs: 1, location: 'l', checkRunId: 1, startedAt: 1, sslDaysRemaining: null, now: 1 })
  }
})
const time = async (path: string, n = 30) => {
  const times: number[] = []
  let cpu = process.cpuUsage()
  for (let i = 0; i < n; i++) { advance(1000); const a = performance.now(); const r = await call('GET', path); if (r.status !== 200) throw new Error(r.text); times.push(performance.now() - a) }
  times.sort((a, b) => a - b)
  cpu = process.cpuUsage(cpu)
  console.log(path, 'p50', times[n >> 1]!.toFixed(2), 'max', times[n - 1]!.toFixed(1), 'cpu ms/req (client too)', ((cpu.user + cpu.system) / 1000 / n).toFixed(2))
}
await time('/v1/checks')
await time('/v1/checks?limit=100')
await time('/v1/checks?limit=100&status=failing')
await time('/v1/checks?limit=100&tag=a')
await time('/v1/checks?limit=100&search=99')
await time('/v1/checks?apiCheckUrlFilterPattern=example')
await time('/v1/check-statuses', 5)
await time(`/v1/checks/${id}`, 2000)
}
for (const d of downs.reverse()) await d()
