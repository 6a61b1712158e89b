// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { insertCheck } from '../../../../control-plane/monitoring/definitions/checks/queries.ts'
import { recordAgentSeen } from '../../../../control-plane/monitoring/locations/agents/queries.ts'
import { controlPlaneVersion } from '../../../../control-plane/platform/settings/config.ts'
import { agentPaths } from '../../../../protocol/agent-api.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const body = { name: 'Office', slugName: 'office' }
const claim = {
  agentId: 'agent-1',
  version: '1.0.0',
  platform: 'linux-x64',
  checkTypes: ['URL'],
  runtimeIds: [],
  maxUptime: 1,
  maxMain: 0,
  waitMs: 0,
}

for (const engine of engineNames) {
  t.test(`a location lives: created, read, listed, changed, deleted (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const created = await call('POST', '/v1/private-locations', { body })
    t.equal(created.status, 201)
    t.strictSame(created.body, {
      id: created.body.id,
      name: 'Office',
      slugName: 'office',
      icon: 'location',
      keys: created.body.keys,
      proxyUrl: null,
      scalesToZero: false,
      lastSeen: null,
      agentCount: 0,
      minAgentVersion: null,
      versionSkew: null,
      unavailableSince: null,
      problems: [],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
    })
    const path = `/v1/private-locations/${created.body.id}`
    const [{ rawKey, ...key }] = created.body.keys
    t.match(rawKey, /^pl_[0-9a-f]{32}$/, 'its first key, shown once')
    t.strictSame((await call('GET', path)).body, { ...created.body, keys: [key] })
    t.equal((await call('POST', agentPaths.claim, { key: rawKey, body: claim })).status, 200, 'and it works')
    const changed = await call('PUT', path, { body: { name: 'HQ', icon: 'building' } })
    t.match(changed, { status: 200, body: { name: 'HQ', icon: 'building', slugName: 'office' } })
    t.match((await call('PUT', path, { body: { name: 'HQ2' } })).body, { icon: 'building' })
    t.match((await call('GET', '/v1/private-locations')).body, [
      { slugName: 'local' },
      { slugName: 'office' },
    ])
    t.equal((await call('POST', '/v1/private-locations', { body })).status, 409, 'the slug is taken')
    t.equal((await call('DELETE', path)).status, 204)
    for (const method of ['GET', 'DELETE']) t.equal((await call(method, path)).status, 404)
    t.equal((await call('POST', '/v1/private-locations', { body })).status, 201, 'the slug is free again')
  })

  t.test(`two keys at most are live, each is shown once and stored as a hash (${engine})`, async (t) => {
    const { app, call } = await testApp(t, { engine })
    const { id, keys } = (await call('POST', '/v1/private-locations', { body })).body
    const path = `/v1/private-locations/${id}/keys`
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', path)))
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 409, 409], 'beside the first')
    const made = [...keys, ...answers.filter(({ status }) => status === 201).map((answer) => answer.body)]
    for (const key of made) {
      t.match(key.rawKey, /^pl_[0-9a-f]{32}$/)
      t.equal(key.maskedKey, `...${key.rawKey.slice(-4)}`)
    }
    const shown = await call('GET', `/v1/private-locations/${id}`)
    t.strictSame(
      shown.body.keys.map((key: { id: string }) => key.id).sort(),
      made.map((key) => key.id).sort(),
    )
    t.notMatch(shown.text, /pl_/)
    const rows = await app.db.select((k) => k.selectFrom('location_keys').selectAll())
    for (const { rawKey } of made) t.notOk(JSON.stringify(rows).includes(rawKey), 'only a hash at rest')
    t.equal((await call('DELETE', `${path}/${made[0].id}`)).status, 204)
    t.equal((await call('DELETE', `${path}/${made[0].id}`)).status, 404)
    t.equal((await call('POST', path)).status, 201, 'a place is free again')
  })

  t.test(`a deleted key and a deleted location stop working within 5 seconds (${engine})`, async (t) => {
    const { call, advance } = await testApp(t, { engine })
    const { id, keys } = (await call('POST', '/v1/private-locations', { body })).body
    const path = `/v1/private-locations/${id}`
    const [first] = keys
    const second = (await call('POST', `${path}/keys`)).body
    const tryKey = async (key: string) => (await call('POST', agentPaths.claim, { key, body: claim })).status
    t.equal(await tryKey(first.rawKey), 200)
    t.equal(await tryKey(second.rawKey), 200)
    t.equal((await call('DELETE', `${path}/keys/${first.id}`)).status, 204)
    advance(5001)
    t.equal(await tryKey(first.rawKey), 401)
    t.equal(await tryKey(second.rawKey), 200)
    t.equal((await call('DELETE', path)).status, 204)
    advance(5001)
    t.equal(await tryKey(second.rawKey), 401)
  })

  t.test(`a location that a check or group uses is kept (${engine})`, async (t) => {
    const { app, call, accountId } = await testApp(t, { engine })
    const { id } = (await call('POST', '/v1/private-locations', { body })).body
    const checkId = app.newId()
    const doc = JSON.stringify({ name: 'office', privateLocations: ['local', 'office'] })
    const check = {
      id: checkId,
      account_id: accountId,
      type: 'URL',
      name: 'x',
      activated: false,
      group_id: null,
      created_at: 1,
      doc,
    }
    await app.db.run(insertCheck, check)
    await app.db.run(insertCheck, {
      ...check,
      id: app.newId(),
      doc: JSON.stringify({ name: 'office', privateLocations: [] }),
    })
    const refused = await call('DELETE', `/v1/private-locations/${id}`)
    t.equal(refused.status, 409)
    t.strictSame(refused.body.attributes, { checkIds: [checkId], groupIds: [] })
    t.equal((await call('GET', `/v1/private-locations/${id}`)).status, 200)
  })

  t.test(`another account's location and keys are not there (${engine})`, async (t) => {
    const { call, addKey } = await testApp(t, { engine })
    const { apiKey: key } = await addKey()
    const { id } = (await call('POST', '/v1/private-locations', { body })).body
    const made = (await call('POST', `/v1/private-locations/${id}/keys`)).body
    const path = `/v1/private-locations/${id}`
    t.equal((await call('GET', path, { key })).status, 404)
    t.equal((await call('PUT', path, { key, body: { name: 'x' } })).status, 404)
    t.equal((await call('DELETE', path, { key })).status, 404)
    t.equal((await call('POST', `${path}/keys`, { key })).status, 404)
    t.equal((await call('DELETE', `${path}/keys/${made.id}`, { key })).status, 404)
    t.equal((await call('GET', `${path}/metrics?from=1767225600&to=1767225700`, { key })).status, 404)
    t.strictSame((await call('GET', '/v1/private-locations', { key })).body, [])
    t.equal((await call('POST', '/v1/private-locations', { key, body })).status, 201, 'slugs are per account')
  })

  t.test(
    `agents seen within 10 minutes count, by version, and old ones are outdated (${engine})`,
    async (t) => {
      const { app, call, locationId, advance } = await testApp(t, { engine })
      const seen = (agentId: string, version: string, isolation: string | null = null) =>
        app.db.run(recordAgentSeen, {
          location: locationId,
          agentId,
          version,
          platform: 'linux',
          checkTypes: '[]',
          runtimeIds: '[]',
          isolation,
          now: app.clock.now(),
        })
      await seen('gone', '0.0.9')
      advance(10 * 60_000)
      await seen('b', controlPlaneVersion)
      await seen('a', '0.0.10')
      await seen('c', '0.0.10', '["files","tcp"]')
      const [location] = (await call('GET', '/v1/private-locations?versions=true')).body
      t.match(location, { agentCount: 3, minAgentVersion: '0.0.10', lastSeen: '2026-01-01T00:10:00.000Z' })
      t.strictSame(
        location.runningAgents.map((group: { version: string; isOutdated: boolean; count: number }) => [
          group.version,
          group.isOutdated,
          group.count,
        ]),
        [
          ['0.0.10', true, 2],
          [controlPlaneVersion, false, 1],
        ],
      )
      const lastSeenAt = '2026-01-01T00:10:00.000Z'
      t.strictSame(location.runningAgents[0].agents, [
        { id: 'a', lastSeenAt, isolation: null },
        { id: 'c', lastSeenAt, isolation: ['files', 'tcp'] },
      ])
      t.equal(location.versionSkew, null, 'they work together')
      await seen('d', '99.0.0')
      const [skewed] = (await call('GET', '/v1/private-locations?versions=true')).body
      t.equal(skewed.versionSkew, 'NEWER')
      t.strictSame(
        skewed.runningAgents.map((group: { versionSkew: string | null }) => group.versionSkew),
        [null, null, 'NEWER'],
      )
      const [plain] = (await call('GET', '/v1/private-locations')).body
      t.notOk('runningAgents' in plain)
    },
  )

  t.test(
    `the layers of isolation that an agent claims with are shown; one that says nothing has none shown (${engine})`,
    async (t) => {
      const { call, agentKey } = await testApp(t, { engine })
      const claimWith = async (more: object) =>
        t.equal(
          (await call('POST', agentPaths.claim, { key: agentKey, body: { ...claim, ...more } })).status,
          200,
        )
      const shown = async () =>
        (await call('GET', '/v1/private-locations?versions=true')).body[0].runningAgents[0].agents[0]
          .isolation
      await claimWith({})
      t.equal(await shown(), null)
      await claimWith({ isolation: ['files', 'a-later-one'] })
      t.strictSame(await shown(), ['files', 'a-later-one'])
      await claimWith({ isolation: [] })
      t.strictSame(await shown(), [])
    },
  )

  t.test(`a proxy's password is sealed, masked, and kept when its mask comes back (${engine})`, async (t) => {
    const { app, call } = await testApp(t, { engine })
    const proxyUrl = 'http://user:canary-pass@proxy.example:3128'
    const created = await call('POST', '/v1/private-locations', { body: { ...body, proxyUrl } })
    t.equal(created.body.proxyUrl, 'http://user:***@proxy.example:3128')
    const path = `/v1/private-locations/${created.body.id}`
    await call('PUT', path, { body: { name: 'x', proxyUrl: created.body.proxyUrl } })
    const [row] = await app.db.select((k) =>
      k.selectFrom('private_locations').selectAll().where('id', '=', created.body.id),
    )
    t.notMatch(JSON.stringify(row), 'canary')
    const { sealedProxyUrl } = JSON.parse(row!.doc)
    t.equal(app.cipher.decrypt(sealedProxyUrl, `private-location ${created.body.id} proxy`), proxyUrl)
    const reference = 'http://user:{{PROXY_PASSWORD}}@proxy.example'
    t.equal((await call('PUT', path, { body: { name: 'x', proxyUrl: reference } })).body.proxyUrl, reference)
    t.equal((await call('PUT', path, { body: { name: 'x', proxyUrl: null } })).body.proxyUrl, null)
    t.equal((await call('PUT', path, { body: { name: 'x', proxyUrl: 'ftp://x' } })).status, 400)
  })
}

t.test(
  'a slug is 1 to 30 letters, digits and hyphens, unlike a cloud region, and cannot be changed',
  async (t) => {
    const { call } = await testApp(t)
    const post = async (slugName: unknown) =>
      (await call('POST', '/v1/private-locations', { body: { name: 'x', slugName } })).status
    for (const slug of [
      '',
      'a b',
      'a_b',
      'ä',
      'x'.repeat(31),
      'eu-west-1',
      'us-gov-east-1',
      'AP-south-1',
      'me-central-1-x',
    ])
      t.equal(await post(slug), 400, slug)
    for (const slug of ['a', 'x'.repeat(30), 'Rack-7', 'europe', 'us', 'my-eu-west-1'])
      t.equal(await post(slug), 201, slug)
    const { id } = (await call('POST', '/v1/private-locations', { body })).body
    const path = `/v1/private-locations/${id}`
    t.equal((await call('PUT', path, { body: { name: 'x', slugName: 'other' } })).status, 400)
    t.equal((await call('PUT', path, { body: {} })).status, 400, 'name is required')
  },
)

t.test('ADMIN and above write locations, everybody reads them', async (t) => {
  const { call, addKey, accountId, locationId } = await testApp(t)
  for (const [role, status] of [
    ['READ_ONLY', 403],
    ['READ_RUN', 403],
    ['READ_WRITE', 403],
    ['ADMIN', 201],
  ] as const) {
    const { apiKey: key } = await addKey({ accountId, role })
    t.equal((await call('POST', '/v1/private-locations', { key, body })).status, status, role)
    t.equal((await call('POST', `/v1/private-locations/${locationId}/keys`, { key })).status, status, role)
    t.equal((await call('GET', '/v1/private-locations', { key })).status, 200)
  }
})
