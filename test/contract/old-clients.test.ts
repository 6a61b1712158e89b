/** Clients that send every field they know, filled in or not, are understood; names that nobody knows are not. */

import t, { type Test } from 'tap'
import { checkKinds } from '../../control-plane/monitoring/definitions/checks/types/index.ts'
import { ignoredNamesOf } from '../../control-plane/platform/web/http/openapi/openapi-operation.ts'
import { isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { routes } from '../../control-plane/routes.ts'
import { testApp } from '../support/app.ts'
import { bundleOf, uploadBundle } from '../support/bundles.ts'
import { clientBodies } from '../support/client-bodies.ts'
import { sdkSuite } from '../support/client-check-bodies.ts'
import { createWorld, type World } from '../support/world.ts'

t.test('what older and generated clients send is taken, to create and to change', async (t) => {
  const world = await createWorld(await testApp(t))
  for (const { name, path, body } of clientBodies) {
    world.plane.advance(61_000)
    const sent = await body(world)
    const created = await world.call('POST', path, sent)
    t.equal(created.status, 201, `${name}: POST ${path}`, { answer: created.text.slice(0, 1000) })
    const changed = await world.call('PUT', `${path}/${created.body?.id}`, sent)
    t.equal(changed.status, 200, `${name}: PUT ${path}`, { answer: changed.text.slice(0, 1000) })
    const again = (await world.call('GET', `${path.replace(/checks\/\w+$/, 'checks')}/${created.body?.id}`))
      .body
    if (!path.startsWith('/v2')) t.equal(again.id, created.body.id, 'an id that is sent means nothing')
  }
})

const violationsOf = async (world: World, method: string, path: string, body: unknown): Promise<string[]> => {
  const answer = await world.call(method, path, body)
  return answer.status === 400
    ? answer.body.attributes.violations
        .map((one: { path: string; rule: string }) => `${one.path} ${one.rule}`)
        .sort()
    : [String(answer.status)]
}

const name = 'a'
const request = { url: 'https://example.com/' }

const refusals: Array<[path: string, body: unknown, violations: string[]]> = [
  [
    '/v1/checks/url',
    { name, request, ids: 1, alertChanels: {} },
    ['alertChanels additionalProperties', 'ids additionalProperties'],
  ],
  ['/v1/checks/url', { name, request: { ...request, body: 'x' } }, ['request.body additionalProperties']],
  [
    '/v1/checks/url',
    { name, request: { ...request, headers: [{}, { key: 'a' }] } },
    ['request.headers additionalProperties'],
  ],
  ['/v1/checks/url', { name, request, scriptPath: 'a.ts' }, ['scriptPath additionalProperties']],
  [
    '/v1/checks/url',
    { name, request: { ...request, assertions: [{ edit: true, arrayIndexes: 0 }] } },
    [
      'request.assertions.0.arrayIndexes additionalProperties',
      'request.assertions.0.comparison required',
      'request.assertions.0.source required',
    ],
  ],
  ['/v1/checks/browser', { name, script: '', request }, ['request additionalProperties']],
  ['/v1/checks', { name, request, checkType: 'URL', ids: 1 }, ['ids additionalProperties']],
  ['/v1/checks', { name, request }, ['checkType required']],
  ['/v1/checks', { checkType: 'URL' }, ['name required', 'request required']],
  ['/v1/snippets', { name, script: '', createdBy: 'ada' }, ['createdBy additionalProperties']],
  [
    '/v1/status-pages',
    { name, url: 'a', cards: [{ name, created: '' }] },
    ['cards.0.created additionalProperties'],
  ],
  ['/v1/check-groups', { name: '', id: '' }, ['name minLength']],
]

t.test('unknown names are refused, all of them by name', async (t) => {
  const world = await createWorld(await testApp(t))
  for (const [path, body, violations] of refusals)
    t.strictSame(await violationsOf(world, 'POST', path, body), violations, `${path} ${JSON.stringify(body)}`)
})

t.test('ignored names are ignored whatever they hold', async (t) => {
  const world = await createWorld(await testApp(t))
  for (const value of [null, '', 0, 7, true, [], {}, [{ a: [1] }], '0001-01-01T00:00:00Z']) {
    const ignored = Object.fromEntries(
      [
        'id',
        'created_at',
        'updated_at',
        'createdAt',
        'updatedAt',
        'alertChannels',
        'sslCheck',
        'heartbeat',
      ].map((key) => [key, value]),
    )
    const body = { name, request, alertSettings: { sslCertificates: value }, ...ignored }
    t.equal((await world.call('POST', '/v1/checks/url', body)).status, 201, JSON.stringify(value))
  }
})

t.test('a list that is null is empty, and a text that is empty is none', async (t) => {
  const world = await createWorld(await testApp(t))
  const check = await made(t, world, '/v1/checks/browser', {
    name,
    script: 'x',
    tags: ['a'],
    scriptPath: 'a.js',
    runtimeId: '2026.04',
  })
  const changed = await world.call('PUT', `/v1/checks/${check.id}`, {
    tags: null,
    scriptPath: '',
    runtimeId: '',
  })
  t.match(changed.body, { tags: [], scriptPath: null, runtimeId: null })
  const kept = await world.call('PUT', `/v1/checks/${check.id}`, { name: '' })
  t.equal(kept.status, 400, 'a name is not optional')
  const location = await made(t, world, '/v1/private-locations', { name, slugName: 'a', icon: 'home' })
  const same = await world.call('PUT', `/v1/private-locations/${location.id}`, { name, icon: '' })
  t.match([same.status, same.body.icon], [200, 'home'], 'what takes no null is left as it is')
})

const made = async (t: Test, world: World, path: string, body: unknown) => {
  const answer = await world.call('POST', path, body)
  t.equal(answer.status, 201, answer.text)
  return answer.body
}

t.test('what an address says may be said again, and nothing else', async (t) => {
  const world = await createWorld(await testApp(t))
  await made(t, world, '/v1/variables', { key: 'A', value: 'x' })
  t.equal((await world.call('PUT', '/v1/variables/A', { key: 'A', value: 'y' })).status, 200)
  t.strictSame(await violationsOf(world, 'PUT', '/v1/variables/A', { key: 'B', value: 'y', b: 1 }), [
    'b additionalProperties',
    'key constant',
  ])
  const { id } = await made(t, world, '/v1/private-locations', { name, slugName: 'a' })
  t.equal((await world.call('PUT', `/v1/private-locations/${id}`, { name, slugName: 'a' })).status, 200)
  t.strictSame(await violationsOf(world, 'PUT', `/v1/private-locations/${id}`, { name, slugName: 'b' }), [
    'slugName constant',
  ])
})

t.test('checks of any type are made and changed by one address', async (t) => {
  const world = await createWorld(await testApp(t))
  const check = await made(t, world, '/v1/checks', { checkType: 'URL', name, request })
  t.equal(check.checkType, 'URL')
  const { body } = await world.call('PUT', `/v1/checks/${check.id}`, { checkType: 'URL', muted: true })
  t.match(body, { name, muted: true, checkType: 'URL' })
  t.strictSame(await violationsOf(world, 'PUT', `/v1/checks/${check.id}`, { checkType: 'API' }), [
    'checkType const',
  ])
  const nowhere = await world.call('PUT', `/v1/checks/${world.plane.app.newId()}`, { muted: true })
  t.equal(nowhere.status, 404)
  t.strictSame(await violationsOf(world, 'POST', '/v1/checks', { checkType: 'FTP', name }), [
    'checkType enum',
  ])
})

t.test('a suite of the Go SDK is shown as it was sent, and may be sent back', async (t) => {
  const world = await createWorld(await testApp(t))
  const codeBundlePath = await world.id('/v1/code-bundles')
  const sent = { ...sdkSuite, codeBundlePath }
  const { id } = await made(t, world, '/v1/checks/playwright?autoAssignAlerts=false', sent)
  const read = async () => (await world.call('GET', `/v1/checks/${id}`)).body
  const before = await read()
  const { alertSettings: _, ...same } = sent
  t.match(before, { ...same, codeBundleId: codeBundlePath })

  /** What the SDK has of it, and nothing else. */
  const known = (shown: Record<string, unknown>) =>
    Object.fromEntries([...Object.keys(sent), 'created_at'].map((name) => [name, shown[name]]))
  const put = (body: Record<string, unknown>) => world.call('PUT', `/v1/checks/playwright/${id}`, body)
  world.plane.advance(61_000)
  t.equal((await put(known(before))).status, 200)
  t.strictSame({ ...(await read()), updated_at: null }, { ...before, updated_at: null }, 'nothing changed')

  const other = (await uploadBundle(world.plane, bundleOf({ path: 'next.txt', content: '' }))).body.id
  const changed = await put({
    ...sent,
    codeBundlePath: other,
    engineVersion: '24.1.0',
    browsers: ['chromium'],
  })
  t.match(changed.body, { codeBundleId: other, codeBundlePath: other, engineVersion: '24.1.0' })
  t.strictSame(changed.body.browsers, ['chromium'])
  const ours = await put({ ...changed.body, codeBundleId: codeBundlePath, engine: 'node@22' })
  const now = { codeBundleId: codeBundlePath, codeBundlePath, engine: 'node@22', engineVersion: null }
  t.match([ours.status, ours.body], [200, now], 'what was read and then changed by our own names')
  t.match((await put({ name: 'x', tags: ['a'], codeBundlePath })).body, { tags: ['a'], testCommand: String })
  t.strictSame((await put({ name: 'x', codeBundlePath })).body.tags, [], 'it is the whole, without tags')
})

t.test('a suite of files is read by the SDK and sent back', async (t) => {
  const world = await createWorld(await testApp(t))
  const { files } = checkKinds.PLAYWRIGHT.example
  const { id } = await made(t, world, '/v1/checks/playwright', { name, files, engine: 'node@24' })
  const nothing = { codeBundlePath: '', cacheHash: '', browsers: [], engine: 'node@24', engineVersion: null }
  const { status, body } = await world.call('PUT', `/v1/checks/playwright/${id}`, { ...sdkSuite, ...nothing })
  t.equal(status, 200)
  const kept = { codeBundleId: null, codeBundlePath: null, cacheHash: null, engine: 'node@24' }
  t.match(body, { ...kept, files, browsers: [] })
})

t.test('what a suite cannot have here is said by name', async (t) => {
  const world = await createWorld(await testApp(t))
  const codeBundlePath = await world.id('/v1/code-bundles')
  const other = (await uploadBundle(world.plane, bundleOf({ path: 'next.txt', content: '' }))).body.id
  const refused: Array<[more: Record<string, unknown>, violations: string[]]> = [
    [{ engineVersion: '20' }, ['engineVersion available']],
    [{ engineVersion: null }, ['engineVersion available']],
    [{ engine: 'bun' }, ['engineVersion available']],
    [{ engine: null }, ['engineVersion engine']],
    [{ engine: 'node@24' }, ['engineVersion engine']],
    [{ engine: 'deno' }, ['engine enum']],
    [{ browsers: ['firefox'] }, ['browsers available']],
    [{ browsers: ['netscape'] }, ['browsers.0 enum']],
    [{ codeBundleId: other }, ['codeBundlePath same']],
    [{ codeBundlePath: world.plane.app.newId() }, ['codeBundlePath exists']],
    [{ codeBundlePath: 'bundles/1.tar.gz' }, ['codeBundlePath format']],
    [{ codeBundlePath: '' }, ['files source']],
    [{ engineVersion: '18', browsers: ['webkit'] }, ['browsers available', 'engineVersion available']],
  ]
  const sent = { ...sdkSuite, codeBundlePath }
  const { id } = await made(t, world, '/v1/checks/playwright', sent)
  for (const [more, violations] of refused) {
    const said = JSON.stringify(more)
    t.strictSame(
      await violationsOf(world, 'POST', '/v1/checks/playwright', { ...sent, ...more }),
      violations,
      said,
    )
  }
  const both = { codeBundlePath: other, codeBundleId: world.plane.app.newId() }
  t.strictSame(await violationsOf(world, 'PATCH', `/v1/checks/playwright/${id}`, both), [
    'codeBundleId exists',
    'codeBundlePath same',
  ])
  const versions = /engine that there is: node 22, 24, 26/
  t.match(await world.call('POST', '/v1/checks/playwright', { ...sent, engineVersion: '20' }), {
    body: { message: versions },
  })
})

t.test('1 and 0 are true and false in queries', async (t) => {
  const { call } = await testApp(t)
  const { body } = await call('POST', '/v1/checks/url?autoAssignAlerts=0', { body: { name, request } })
  for (const [text, status] of [
    ['1', 200],
    ['0', 200],
    ['true', 200],
    ['2', 400],
    ['', 400],
  ] as const)
    t.equal((await call('GET', `/v1/checks/${body.id}?applyGroupSettings=${text}`)).status, status, text)
  await call('POST', '/v1/alert-channels', { body: { type: 'EMAIL', config: { address: 'a@example.com' } } })
  const [without, withAll] = await Promise.all(
    ['0', '1'].map((text) =>
      call('POST', `/v1/checks/url?autoAssignAlerts=${text}`, { body: { name, request } }),
    ),
  )
  t.equal(without?.body.alertChannelSubscriptions.length, 0)
  t.equal(withAll?.body.alertChannelSubscriptions.length, 1)
})

t.test('the document says which names an operation ignores', async (t) => {
  const { call } = await testApp(t)
  const { paths } = (await call('GET', '/openapi.json', { key: null })).body
  const ofSnippets = ['id', 'created_at', 'updated_at', 'createdAt', 'updatedAt', 'warnings']
  const { put } = paths['/v1/snippets/{id}']
  t.strictSame(put['x-ignored'], ofSnippets)
  t.match(put.description, 'Accepted and ignored: `id`, `created_at`')
  const variable = paths['/v1/variables/{key}'].put
  t.strictSame(variable['x-ignored'], [...ofSnippets.filter((name) => name !== 'warnings'), 'key'])
  t.match(variable.description, 'as in the address: `key`.')
  const ofUrl = paths['/v1/checks/url'].post['x-ignored']
  t.ok(ofUrl.includes('heartbeat') && ofUrl.includes('request.body'))
  const ofHeartbeats = paths['/v1/checks/heartbeat'].post['x-ignored']
  t.notOk(
    ofHeartbeats.includes('heartbeat') || ofHeartbeats.includes('request'),
    'what a type has is not ignored',
  )
  t.ok(ofHeartbeats.includes('heartbeat.pingUrl'))
  t.notOk('x-ignored' in paths['/v1/snippets'].get)
})

/** Writes of what nobody reads and sends back: actions, keys, people. Those of any check are read by type. */
const withoutNames =
  /^\/v1\/accounts\/|^\/v1\/invites\/|\/check-sessions\/|\/subscriptions|\/root-cause-analyses\/|\/analytics\/|\/(acknowledge|snooze)$|^\/v1\/checks(\/:id)?$|^\/v1\/check-tries$|^\/v1\/code\/|\/projects\/deploy$|\/imports$|\/checkly-storage\/|\/test-sessions\/|\/subscribers\/bulk$/

t.test('every resource that is written ignores the names that only its answers have', async (t) => {
  const writes = routes.filter(
    ({ body, access, form }) => body !== undefined && !isForPrograms(access) && form !== true,
  )
  for (const route of writes)
    t.ok(ignoredNamesOf(route).length > 0 || withoutNames.test(route.path), `${route.method} ${route.path}`)
})
