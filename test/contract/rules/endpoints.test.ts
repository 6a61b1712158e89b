import type { TestApp } from '../../support/app.ts'
import { documentCheck } from '../../support/contract-document.ts'
import { type RuleTest, testRules } from '../../support/contract-rules.ts'
import { type Resource, readBack, refused } from '../../support/field-rules.ts'
import { browserCheck, heartbeatCheck, urlMonitor } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const missing = '00000000-0000-4000-8000-000000000000'

const newChannel = async (plane: TestApp) =>
  (
    await plane.call('POST', '/v1/alert-channels', {
      body: { type: 'EMAIL', config: { address: `${plane.app.newId()}@example.com` } },
    })
  ).body.id as number

/** The default subscribes it to every channel there is; false to none. */
const autoAssign =
  (kind: Resource, shown: string): RuleTest =>
  async (t, plane) => {
    const channel = await newChannel(plane)
    const create = async (query: string) => {
      const body = await kind.minimum(plane)
      const { body: created } = await plane.call('POST', `${kind.create}${query}`, { body })
      const read = await plane.call('GET', `${shown}/${created.id}`)
      return read.body.alertChannelSubscriptions.map(
        ({ alertChannelId }: { alertChannelId: number }) => alertChannelId,
      )
    }
    t.ok((await create('')).includes(channel), 'default true')
    t.ok((await create('?autoAssignAlerts=true')).includes(channel))
    t.strictSame(await create('?autoAssignAlerts=false'), [])
    await refused(t, plane, {
      path: `${kind.create}?autoAssignAlerts=maybe`,
      body: await kind.minimum(plane),
      expected: 'autoAssignAlerts type',
    })
  }

const createdAnswer =
  (kind: Resource, checkType: string, ...more: string[]): RuleTest =>
  async (t, plane) => {
    const answer = await plane.call('POST', kind.create, { body: await kind.minimum(plane) })
    t.equal(answer.status, 201)
    hasShape(t, answer.body, {
      id: 'text',
      checkType: 'text',
      alertChannels: 'object',
      created_at: 'instant',
      updated_at: 'instant?',
    })
    t.equal(answer.body.checkType, checkType)
    for (const name of more) t.ok(name in answer.body, name)
  }

testRules('POST /v1/checks/browser', {
  'autoAssignAlerts: boolean, default true: subscribed to all existing alert channels': autoAssign(
    browserCheck,
    '/v1/checks',
  ),
  'only `name` and `script` are required': async (t, plane) => {
    await readBack(t, plane, browserCheck, { name: 'x', script: '' })
  },
  'Created: the browser check with id, checkType, alertChannels, created_at and updated_at': createdAnswer(
    browserCheck,
    'BROWSER',
    ...[
      'name',
      'script',
      'scriptPath',
      'dependencies',
      'sslCheckDomain',
      'environmentVariables',
      'frequency',
    ],
  ),
})

testRules('POST /v1/checks/url', {
  'autoAssignAlerts: boolean, default true: subscribed to all existing alert channels': autoAssign(
    urlMonitor,
    '/v1/checks',
  ),
  'only `name` and `request` are required': async (t, plane) => {
    await readBack(t, plane, urlMonitor, { name: 'x', request: { url: 'https://example.com/' } })
  },
  'Created: the URL monitor with id, checkType, alertChannels, created_at and updated_at': createdAnswer(
    urlMonitor,
    'URL',
    ...['name', 'request', 'frequency', 'frequencyOffset', 'degradedResponseTime', 'maxResponseTime'],
  ),
})

testRules('POST /v1/checks/heartbeat', {
  'autoAssignAlerts: boolean, default true: subscribed to all existing alert channels': autoAssign(
    heartbeatCheck,
    '/v1/checks',
  ),
  'only `name`, `heartbeat` and `script` are required': async (t, plane) => {
    await readBack(t, plane, heartbeatCheck, { name: 'x', heartbeat: { period: 60, grace: 0 }, script: '' })
  },
  'Created: the listed fields, `heartbeat` with its pingUrl': async (t, plane) => {
    const { status, body } = await plane.call('POST', heartbeatCheck.create, {
      body: await heartbeatCheck.minimum(plane),
    })
    t.equal(status, 201)
    hasShape(t, body, {
      id: 'text',
      name: 'text',
      activated: 'boolean',
      muted: 'boolean',
      tags: 'texts',
      alertSettings: 'object',
      useGlobalAlertSettings: 'boolean',
      alertChannelSubscriptions: 'list',
      triggerIncident: 'object?',
      runParallel: 'boolean',
      description: 'text?',
      checkType: 'text',
      heartbeat: 'object',
      alertChannels: 'object',
      created_at: 'instant',
      updated_at: 'instant?',
    })
    hasShape(t, body.heartbeat, { pingUrl: 'text' })
    t.equal(body.checkType, 'HEARTBEAT')
  },
})

const newGroup = async (plane: TestApp) =>
  (await plane.call('POST', '/v1/check-groups', { body: { name: 'shop' } })).body.id as number

testRules('PUT /v1/check-groups/{id}', {
  'id: an integer': async (t, plane) => {
    await refused(t, plane, { method: 'PUT', path: '/v1/check-groups/x', body: {}, expected: 'id type' })
    await refused(t, plane, { method: 'PUT', path: '/v1/check-groups/1.5', body: {}, expected: 'id type' })
    t.equal((await plane.call('PUT', '/v1/check-groups/1000000', { body: {} })).status, 404)
  },
  'autoAssignAlerts: boolean, default true': async (t, plane) => {
    const path = `/v1/check-groups/${await newGroup(plane)}`
    for (const query of ['', '?autoAssignAlerts=true', '?autoAssignAlerts=false'])
      t.equal((await plane.call('PUT', `${path}${query}`, { body: { muted: true } })).status, 200, query)
    const expected = 'autoAssignAlerts type'
    await refused(t, plane, { method: 'PUT', path: `${path}?autoAssignAlerts=maybe`, body: {}, expected })
  },
  'no field of the body is required': async (t, plane) => {
    const path = `/v1/check-groups/${await newGroup(plane)}`
    const before = (await plane.call('GET', path)).body
    const { status, body } = await plane.call('PUT', path, { body: {} })
    t.equal(status, 200)
    t.strictSame({ ...body, updated_at: null }, before, 'and what is not sent stays')
  },
  'response: the check group, always with name, activated, concurrency and apiCheckDefaults': async (
    t,
    plane,
  ) => {
    const { body } = await plane.call('PUT', `/v1/check-groups/${await newGroup(plane)}`, { body: {} })
    hasShape(t, body, {
      name: 'text',
      activated: 'boolean',
      concurrency: 'number',
      apiCheckDefaults: 'object',
    })
  },
})

const newService = async (plane: TestApp) =>
  (await plane.call('POST', '/v1/status-pages/services', { body: { name: 'shop' } })).body.id as string

testRules('POST /v1/status-pages', {
  'Created: a record with name, url and id': async (t, plane) => {
    const body = { name: 'Status', url: `page-${plane.app.newId()}`, cards: [] }
    const created = await plane.call('POST', '/v1/status-pages', { body })
    t.equal(created.status, 201)
    hasShape(t, created.body, { name: 'text', url: 'text', id: 'text' })
  },
})

testRules('GET /v1/status-pages/services/{serviceId}', {
  'serviceId: text; the answer is the service': async (t, plane) => {
    const id = await newService(plane)
    const { status, body } = await plane.call('GET', `/v1/status-pages/services/${id}`)
    t.equal(status, 200)
    t.equal(body.id, id)
    t.equal((await plane.call('GET', `/v1/status-pages/services/${missing}`)).status, 404)
  },
})

testRules('DELETE /v1/status-pages/incidents/{incidentId}', {
  'incidentId: text; No Content, and it is gone': async (t, plane) => {
    const services = [{ id: await newService(plane) }]
    const incidentUpdates = [{ description: 'We are looking at it' }]
    const incident = { name: 'Down', severity: 'MINOR', services, incidentUpdates }
    const created = await plane.call('POST', '/v1/status-pages/incidents', { body: incident })
    const path = `/v1/status-pages/incidents/${created.body.id}`
    const deleted = await plane.call('DELETE', path)
    t.equal(deleted.status, 204)
    t.equal(deleted.text, '')
    t.equal((await plane.call('GET', path)).status, 404)
  },
})

testRules('GET /v1/maintenance-windows/{id}', {
  'id: an integer; the answer is the window': async (t, plane) => {
    const window = { name: 'Upgrade', startsAt: '2027-01-01T10:00:00Z', endsAt: '2027-01-01T11:00:00Z' }
    const { id } = (await plane.call('POST', '/v1/maintenance-windows', { body: window })).body
    const { status, body } = await plane.call('GET', `/v1/maintenance-windows/${id}`)
    t.equal(status, 200)
    t.equal(body.id, id)
    await refused(t, plane, { method: 'GET', path: '/v1/maintenance-windows/x', expected: 'id type' })
  },
})

testRules('POST /v1/client-certificates', {
  'Created: the certificate': async (t, plane) => {
    const { cert } = await exampleCertificate(plane)
    const created = await plane.call('POST', '/v1/client-certificates', {
      body: { host: 'example.com', cert },
    })
    t.equal(created.status, 201)
    t.match(created.body, { host: 'example.com', cert })
  },
})

testRules('DELETE /v1/client-certificates/{id}', {
  'id: text; No Content, and it is gone': async (t, plane) => {
    const { cert } = await exampleCertificate(plane)
    const { body } = await plane.call('POST', '/v1/client-certificates', {
      body: { host: 'example.com', cert },
    })
    const deleted = await plane.call('DELETE', `/v1/client-certificates/${body.id}`)
    t.strictSame([deleted.status, deleted.text], [204, ''])
    t.equal((await plane.call('GET', `/v1/client-certificates/${body.id}`)).status, 404)
  },
})

/** The one that the published document shows. */
const exampleCertificate = async ({ call }: TestApp): Promise<{ cert: string }> => {
  const { body } = await call('GET', '/openapi.json', { key: null })
  return body.paths['/v1/client-certificates'].post.requestBody.content['application/json'].example
}

testRules('GET /v1/alert-channels/{id}', {
  'id: an integer; the answer is the channel': async (t, plane) => {
    const id = await newChannel(plane)
    const { status, body } = await plane.call('GET', `/v1/alert-channels/${id}`)
    t.equal(status, 200)
    t.equal(body.id, id)
    await refused(t, plane, { method: 'GET', path: '/v1/alert-channels/x', expected: 'id type' })
  },
})

testRules('POST /v1/snippets', {
  'Created: the snippet': async (t, plane) => {
    const { status, body } = await plane.call('POST', '/v1/snippets', { body: { name: 'a', script: 'x' } })
    t.equal(status, 201)
    t.match(body, { name: 'a', script: 'x' })
  },
})

testRules('GET /v1/locations', {
  'no parameters; a list of locations': async (t, plane) => {
    const { status, body } = await plane.call('GET', '/v1/locations')
    t.equal(status, 200)
    t.equal(body.length, 22)
    const { document } = await documentCheck(plane)
    const parameters = document.paths['/v1/locations']?.['get']?.parameters ?? []
    t.strictSame(
      parameters.filter(({ in: place }) => place !== 'header'),
      [],
    )
  },
})
