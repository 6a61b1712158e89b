/** The operations that the interface document names, with the status of success that it states. */
import t from 'tap'
import { routes } from '../../control-plane/routes.ts'
import { testApp } from '../support/app.ts'

const stated: Array<[method: string, path: string, status: number]> = [
  ['POST', '/v1/checks/browser', 201],
  ['POST', '/v1/checks/url', 201],
  ['POST', '/v1/checks/heartbeat', 201],
  ['PUT', '/v1/check-groups/{id}', 200],
  ['GET', '/v2/check-results/{checkId}', 200],
  ['GET', '/v1/analytics/playwright-checks/{id}', 200],
  ['POST', '/v1/status-pages', 201],
  ['GET', '/v1/status-pages/services/{serviceId}', 200],
  ['DELETE', '/v1/status-pages/incidents/{incidentId}', 204],
  ['GET', '/v1/maintenance-windows/{id}', 200],
  ['GET', '/v1/root-cause-analyses/{id}', 200],
  ['POST', '/v1/root-cause-analyses/error-groups/{errorGroupId}', 202],
  // The document does not show its status: a session is created.
  ['POST', '/v1/check-sessions/trigger', 201],
  ['GET', '/v1/accounts/me/members', 200],
  ['POST', '/v1/client-certificates', 201],
  ['DELETE', '/v1/client-certificates/{id}', 204],
  ['GET', '/v1/alert-channels/{id}', 200],
  ['POST', '/v1/snippets', 201],
  ['GET', '/v1/locations', 200],
  ['GET', '/openapi.json', 200],
  ['GET', '/swagger.json', 200],
]

for (const [method, path, status] of stated)
  t.test(`${method} ${path} answers ${status} when it succeeds`, async (t) => {
    const route = routes.find(
      (each) => each.method === method && each.path.replace(/:(\w+)/g, '{$1}') === path,
    )
    t.equal(route?.status, status)
  })

t.test('operations that the document does not exempt take a key', async (t) => {
  for (const [method, path] of stated) {
    const route = routes.find(
      (each) => each.method === method && each.path.replace(/:(\w+)/g, '{$1}') === path,
    )
    const open = ['/v1/locations', '/openapi.json', '/swagger.json'].includes(path)
    t.equal(route?.access === 'PUBLIC', open, `${method} ${path}`)
  }
})

t.test('there are no two routes for one method and path, whatever their parameters are called', async (t) => {
  const shapes = routes.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`)
  t.equal(new Set(shapes).size, shapes.length)
  const { call } = await testApp(t)
  t.equal((await call('GET', '/v1/nothing-here')).status, 404)
})
