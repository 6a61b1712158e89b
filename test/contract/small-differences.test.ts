/** What clients of such services send and expect in small things, a line each. */
import t from 'tap'
import { testApp } from '../support/app.ts'
import { createWorld } from '../support/world.ts'

const dark = {
  ...{ bodyBackgroundColor: '#777777', headerBackgroundColor: '#777777', headerFontColor: '#888888' },
  ...{ titleFontColor: '#000000', bodyFontColor: '#000000', bodyFontColorMuted: '#000000' },
  ...{ navigationFontColor: '#888888', linkFontColor: '#000000', cardBackgroundColor: '#FFFFFF' },
  ...{ borderColor: '#000000', primaryButtonBackgroundColor: '#000000', primaryButtonFontColor: '#FFFFFF' },
}
const themeColors = { light: dark, dark }
const request = { url: 'https://example.com/' }
const tcpRequest = { hostname: 'example.com', port: 443 }
const webhook = { name: 'w', url: 'https://example.com/' }
const times = { startsAt: '2027-01-01T00:00:00.000Z', endsAt: '2027-01-01T01:00:00.000Z' }
const retries = { type: 'FIXED', maxRetries: 1 }
const nullsOfOthers = {
  ...{ environmentVariables: null, setupSnippetId: null, localSetupScript: '', scriptPath: null },
  ...{ script: '', snapshots: [], agentRuntime: 'node', dependencies: null, prompt: null },
}

type Case = [what: string, path: string, body: object, answer: object]

const cases: Case[] = [
  [
    'a method in lower case',
    '/v1/alert-channels',
    { type: 'WEBHOOK', config: { ...webhook, method: 'get' } },
    { config: { method: 'GET' } },
  ],
  [
    'a method in mixed case',
    '/v1/alert-channels',
    { type: 'WEBHOOK', config: { ...webhook, method: 'Put' } },
    { config: { method: 'PUT' } },
  ],
  [
    'thresholds of TCP in any order',
    '/v1/checks/tcp',
    { name: 'a', request: tcpRequest, degradedResponseTime: 4000, maxResponseTime: 3000 },
    { degradedResponseTime: 4000, maxResponseTime: 3000 },
  ],
  [
    'a window that ends as it begins',
    '/v1/maintenance-windows',
    { name: 'a', ...times, endsAt: times.startsAt },
    { endsAt: times.startsAt },
  ],
  [
    'repeatEndsAt as a moment',
    '/v1/maintenance-windows',
    { name: 'a', ...times, repeatUnit: 'DAY', repeatInterval: 1, repeatEndsAt: '2027-02-01T10:30:00.000Z' },
    { repeatEndsAt: '2027-02-01T10:30:00.000Z' },
  ],
  [
    'repeatEndsAt as a date',
    '/v1/maintenance-windows',
    { name: 'a', ...times, repeatUnit: 'DAY', repeatInterval: 1, repeatEndsAt: '2027-02-01' },
    { repeatEndsAt: '2027-02-01' },
  ],
  [
    'onlyOn that was not sent',
    '/v1/checks/url',
    { name: 'a', request, retryStrategy: retries },
    { retryStrategy: { type: 'FIXED', onlyOn: undefined } },
  ],
  [
    'onlyOn that was sent',
    '/v1/checks/url',
    { name: 'a', request, retryStrategy: { ...retries, onlyOn: ['NETWORK_ERROR'] } },
    { retryStrategy: { onlyOn: ['NETWORK_ERROR'] } },
  ],
  [
    'what a type does not have',
    '/v1/checks/url',
    { name: 'a', request, ...nullsOfOthers, sslCheckDomain: 'example.com' },
    { name: 'a', sslCheckDomain: undefined, script: undefined },
  ],
  [
    'thresholds of a type without any',
    '/v1/checks/browser',
    { name: 'a', script: '', degradedResponseTime: 0, maxResponseTime: null },
    { name: 'a' },
  ],
  ['the v of a group', '/v2/check-groups', { name: 'a', v: 2 }, { name: 'a' }],
  [
    'colours that are hard to read',
    '/v1/status-pages',
    { name: 'a', url: 'a', cards: [], themeColors },
    { themeColors, warnings: [{ message: /headerFontColor" has a contrast of 1\.\d\d:1/ }] },
  ],
]

t.test('small things that clients send are taken', async (t) => {
  const world = await createWorld(await testApp(t))
  for (const [what, path, body, expected] of cases) {
    const answer = await world.call('POST', path, body)
    t.equal(answer.status, 201, what, { answer: answer.text.slice(0, 500) })
    t.match(answer.body, expected, what)
    const id = answer.body.id
    const again = await world.call('PUT', `${path}/${id}`, answer.body)
    t.equal(again.status, 200, `${what}: what was read can be sent back`, {
      answer: again.text.slice(0, 500),
    })
    const read = await world.call('GET', `${path.replace(/checks\/\w+/, 'checks').replace('v2', 'v1')}/${id}`)
    const { warnings: _, ...stored } = expected as Record<string, unknown>
    t.match(read.body, stored, `${what}: and read`)
  }
})

t.test('what a type does not have is still refused where it says something', async (t) => {
  const world = await createWorld(await testApp(t))
  const body = { name: 'a', request, localSetupScript: 'x' }
  const refused = await world.call('POST', '/v1/checks/url', body)
  t.equal(refused.status, 400)
  t.match(refused.body.attributes.violations, [{ path: 'localSetupScript' }])
})

t.test('an update of maintenance says what it belongs to', async (t) => {
  const world = await createWorld(await testApp(t))
  const { body: window } = await world.call('POST', '/v1/maintenance-windows', { name: 'a', ...times })
  const path = `/v1/maintenance-windows/${window.id}/maintenances`
  const [maintenance] = (await world.call('GET', path)).body
  const update = await world.call('POST', `${path}/${maintenance.id}/updates`, {
    status: 'SCHEDULED',
    description: 'Soon',
  })
  t.match(update.body, { maintenanceId: maintenance.id, maintenanceWindowId: window.id })
  const read = await world.call('GET', `${path}/${maintenance.id}`)
  t.match(read.body.updates, [{ maintenanceId: maintenance.id, maintenanceWindowId: window.id }])
})

t.test('a type of checks that is not there is answered with those that are', async (t) => {
  const world = await createWorld(await testApp(t))
  const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
  for (const [method, path] of [
    ['POST', 'pigeon'],
    ['PUT', `pigeon/${id}`],
    ['PATCH', `pigeon/${id}`],
  ] as const)
    t.match(
      await world.call(method, `/v1/checks/${path}`, { name: 'a' }),
      {
        status: 404,
        body: { message: /no such type of checks; there are .*\burl, api, .*\bheartbeat\b/ },
      },
      `${method} ${path}`,
    )
  for (const path of [`url/${id}`, `${id}/url`, `pigeon/${id}/feathers`])
    t.strictSame(
      (await world.call('PUT', `/v1/checks/${path}`, { name: 'a' })).body.message,
      'Not Found',
      path,
    )
  t.equal((await world.call('POST', `/v1/checks/${id}`, { name: 'a' })).status, 405, 'a check has no POST')
})
