import { testApp } from './support/app.ts'
import { checkRoutes } from '../control-plane/checks/routes.ts'
import { createEndpoints } from '../control-plane/http/endpoint.ts'
import { findCheck } from '../control-plane/checks/queries.ts'
import { alertingOfChecks } from '../control-plane/alert-channels/subscriptions.ts'
import { presentCheck } from '../control-plane/checks/present-check.ts'
const downs: Array<() => unknown> = []
const t = { teardown: (f: () => unknown) => downs.push(f) } as never
const { call, app, accountId } = await testApp(t, { strictResponses: false })
const { id } = (await call('POST', '/v1/checks/url', { body: { name: 'x', request: { url: 'https://example.com/' , assertions: [{source:'STATUS_CODE',comparison:'EQUALS',target:'200'}]} } })).body
const [ep] = createEndpoints(checkRoutes.filter((r) => r.path === '/v1/checks/:id' && r.method === 'GET'), app)
const principal = { kind: 'account', accountId, role: 'OWNER', keyId: 'k', userId: null } as const
const n = 20000
const time = async (name: string, f: () => Promise<unknown>) => {
  for (let i = 0; i < 2000; i++) await f()
  const c = process.cpuUsage()
  for (let i = 0; i < n; i++) await f()
  const d = process.cpuUsage(c)
  console.log(name, ((d.user + d.system) / n).toFixed(1), 'µs')
}
const input = { params: { id }, query: {}, body: undefined, principal, headers: {}, signal: AbortSignal.abort() } as never
await time('find', () => app.db.get(findCheck, { id, accountId }))
const row = (await app.db.get(findCheck, { id, accountId }))!
await time('alerting', () => alertingOfChecks(app.db, { accountId, checkIds: [id] }))
await time('present', () => presentCheck(app, row, { principal }))
await time('handle', () => ep!.route.handle(input, app))
const answer = (await ep!.route.handle(input, app)) as { body: unknown }
await time('serialize', async () => ep!.serialize(answer.body))
await time('find all', () => app.db.all(findCheck, { id, accountId }))
await time('parse', async () => JSON.parse(row.doc))
for (const d of downs.reverse()) await d()
