import { isForPrograms } from '../../../control-plane/platform/web/http/route.ts'
import { routes } from '../../../control-plane/routes.ts'
import { documentCheck } from '../../support/contract-document.ts'
import { testRules } from '../../support/contract-rules.ts'
import { urlMonitor } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const missing = '00000000-0000-4000-8000-000000000000'

testRules('Authentication', {
  'every request carries `Authorization: Bearer <API_KEY>`': async (t, plane) => {
    for (const authorization of ['', 'Bearer', `Basic ${plane.apiKey}`, 'Bearer wp_unknown'])
      t.equal((await plane.call('GET', '/v1/checks', { key: null, headers: { authorization } })).status, 401)
    const headers = { authorization: `Bearer ${plane.apiKey}` }
    t.equal((await plane.call('GET', '/v1/checks', { key: null, headers })).status, 200)
  },
  '`x-service-account` names the account, and is optional': async (t, plane) => {
    const call = (account: string) =>
      plane.call('GET', '/v1/checks', { headers: { 'x-service-account': account } })
    t.equal((await call(plane.accountId)).status, 200)
    t.equal((await plane.call('GET', '/v1/checks')).status, 200, 'left out')
    const { accountId: another } = await plane.addKey()
    t.equal((await call(another)).status, 403, 'not an account of the key')
    const { document } = await documentCheck(plane)
    const parameters = document.paths['/v1/checks']?.['get']?.parameters ?? []
    const [header] = parameters.filter(({ name }) => name === 'x-service-account')
    t.match(header, { in: 'header' })
    t.notMatch(header, { required: true })
  },
  'members have one of five roles': async (t, plane) => {
    for (const role of ['OWNER', 'ADMIN', 'READ_WRITE', 'READ_RUN', 'READ_ONLY'] as const) {
      const { apiKey: key } = await plane.addKey({ accountId: plane.accountId, role })
      t.equal((await plane.call('GET', '/v1/checks', { key })).status, 200, role)
    }
    const answer = await plane.call('GET', '/v1/accounts/me/members?role=JANITOR')
    t.equal(answer.status, 400)
  },
  'private location agents have credentials of their own': async (t, plane) => {
    const body = { agentId: 'a', leases: [] }
    t.equal((await plane.call('POST', '/agent/v1/renew', { key: plane.agentKey, body })).status, 200)
    t.equal((await plane.call('POST', '/agent/v1/renew', { body })).status, 401, 'an API key is none')
    t.equal((await plane.call('GET', '/v1/checks', { key: plane.agentKey })).status, 401, 'nor the other way')
  },
})

testRules('Errors', {
  'an error body is `{ message, attributes }`, text and object': async (t, plane) => {
    const errors = [
      await plane.call('GET', `/v1/checks/${missing}`),
      await plane.call('POST', '/v1/checks/url', { body: {} }),
      await plane.call('GET', '/v1/checks', { key: null }),
      await plane.call('GET', '/v1/nothing'),
      await plane.call('POST', '/v1/checks/url', { raw: '{' }),
      await plane.call('PATCH', '/v1/checks'),
    ]
    for (const { status, body } of errors) {
      t.ok(status >= 400 && status < 500, String(status))
      hasShape(t, body, { message: 'text', attributes: 'object' })
    }
  },
  '200 for reads and updates, 201 for creation, 204 for deletions': async (t, plane) => {
    const created = await plane.call('POST', urlMonitor.create, { body: await urlMonitor.minimum(plane) })
    const path = `/v1/checks/${created.body.id}`
    const changed = await plane.call('PUT', `/v1/checks/url/${created.body.id}`, { body: { name: 'x' } })
    const read = await plane.call('GET', path)
    const deleted = await plane.call('DELETE', path)
    t.strictSame(
      [created, changed, read, deleted].map(({ status }) => status),
      [201, 200, 200, 204],
    )
    const creates = routes.filter(
      ({ method, summary }) => method === 'POST' && /^(Create|Open|Post|Store|Make a key)\b/.test(summary),
    )
    t.ok(creates.length > 20)
    for (const { path, status } of creates) t.equal(status, 201, path)
  },
  'every operation of the contract declares its success status': async (t) => {
    const declared = (method: string, path: string) =>
      routes.find((route) => route.method === method && route.path === path)?.status
    const contract: Array<[method: string, path: string, status: number]> = [
      ['POST', '/v1/checks/browser', 201],
      ['POST', '/v1/checks/url', 201],
      ['POST', '/v1/checks/heartbeat', 201],
      ['PUT', '/v1/check-groups/:id', 200],
      ['GET', '/v2/check-results/:checkId', 200],
      ['GET', '/v1/analytics/playwright-checks/:id', 200],
      ['POST', '/v1/status-pages', 201],
      ['GET', '/v1/status-pages/services/:serviceId', 200],
      ['DELETE', '/v1/status-pages/incidents/:incidentId', 204],
      ['GET', '/v1/maintenance-windows/:id', 200],
      ['GET', '/v1/root-cause-analyses/:id', 200],
      ['POST', '/v1/root-cause-analyses/error-groups/:errorGroupId', 202],
      ['POST', '/v1/check-sessions/trigger', 201],
      ['GET', '/v1/accounts/me/members', 200],
      ['POST', '/v1/client-certificates', 201],
      ['DELETE', '/v1/client-certificates/:id', 204],
      ['GET', '/v1/alert-channels/:id', 200],
      ['POST', '/v1/snippets', 201],
      ['GET', '/v1/locations', 200],
    ]
    for (const [method, path, status] of contract)
      t.equal(declared(method, path), status, `${method} ${path}`)
  },
})

testRules('Versioning', {
  'the version is in the path: /v1 for most resources, /v2 for check results': async (t) => {
    const api = routes.filter(({ access }) => access !== 'PUBLIC' && !isForPrograms(access))
    for (const { path } of api) t.match(path, /^\/(v[123]|next|accounts\/:accountId\/v2)\//)
    t.ok(api.some(({ path }) => path === '/v2/check-results/:checkId'))
  },
  'the current specification is at /openapi.json': async (t, plane) => {
    const { status, body } = await plane.call('GET', '/openapi.json', { key: null })
    t.equal(status, 200)
    t.match(body.openapi, /^3\.1/)
  },
  'an older specification at /swagger.json is deprecated': async (t, plane) => {
    const { status, headers } = await plane.call('GET', '/swagger.json', { key: null })
    t.equal(status, 200)
    t.equal(headers.get('deprecation'), 'true')
  },
  '`doubleCheck` is deprecated': async (t, plane) => {
    const { document } = await documentCheck(plane)
    const { NewUrlMonitor, NewBrowserCheck } = document.components.schemas
    for (const schema of [NewUrlMonitor, NewBrowserCheck])
      t.match(schema, { properties: { doubleCheck: { deprecated: true } } })
  },
})
