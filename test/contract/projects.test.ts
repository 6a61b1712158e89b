// Runs on both engines: a deployment is one transaction of many routes, which lock rows.
/** Projects as a command-line client deploys and destroys them, in the form in which it sends them. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { eachEngine, type TestApp } from '../support/app.ts'
import { bundleOf, sha256Of } from '../support/bundles.ts'
import {
  type ClientResource,
  clientDeploy,
  clientResources,
  subscription,
} from '../support/client-project.ts'

type Change = { type: string; logicalId: string; physicalId: string | number; action: string }

const send = (plane: TestApp, resources: readonly ClientResource[], query = '', key = plane.apiKey) =>
  plane.call('POST', `/v1/projects/deploy?dryRun=false&scheduleOnDeploy=true${query}`, {
    key,
    headers: {
      ...{ 'content-type': 'application/json', 'content-encoding': 'gzip' },
      ...{ 'x-checkly-account': plane.accountId, 'x-checkly-source': 'CLI' },
    },
    raw: new Uint8Array(gzipSync(JSON.stringify(clientDeploy(resources)))),
  })

/** As the client follows it. */
const followed = async (plane: TestApp, { status, body }: { status: number; body: { id: string } }) => {
  t.equal(status, 202, JSON.stringify(body))
  const { text, headers } = await plane.call('GET', `/v1/projects/shop/deployments/${body.id}/events`)
  t.match(headers.get('content-type'), /^text\/event-stream/)
  const [, event, data = ''] = /^event: (\w+)\ndata: (.*)\n\n$/.exec(text) ?? []
  t.equal(event, 'complete')
  return JSON.parse(data)
}

const actions = (diff: Change[]) => Object.fromEntries(diff.map((one) => [one.logicalId, one.action]))
const idOf = (diff: Change[], logicalId: string) =>
  diff.find((one) => one.logicalId === logicalId)?.physicalId
const read = async (plane: TestApp, path: string) => (await plane.call('GET', path)).body
const without = (...names: string[]) =>
  clientResources().filter(({ logicalId }) => !names.includes(logicalId))

eachEngine('a project is deployed, deployed again, changed and destroyed', async (t, plane) => {
  const preview = await plane.call('POST', '/v1/projects/deploy?dryRun=true&scheduleOnDeploy=true', {
    body: clientDeploy(clientResources()),
  })
  t.equal(preview.status, 200, preview.text)
  t.equal(preview.body.diff.length, 14, 'links are no resources of their own')
  t.ok(preview.body.diff.every(({ action, physicalId }: Change) => action === 'CREATE' && !physicalId))
  t.strictSame(await read(plane, '/v1/checks'), [], 'a preview leaves nothing behind')
  t.strictSame(await read(plane, '/next/projects'), [])

  const { status, result } = await followed(plane, await send(plane, clientResources()))
  t.equal(status, 'SUCCEEDED')
  const { diff } = result
  t.match(result.project, { logicalId: 'shop', name: 'Shop', createdAt: String })
  const group = Number(idOf(diff, 'group'))
  const [mail, hook] = [Number(idOf(diff, 'mail')), Number(idOf(diff, 'hook'))]
  t.match(await read(plane, `/v1/checks/${idOf(diff, 'api')}`), {
    ...{ groupId: group, alertChannelSubscriptions: [{ alertChannelId: hook, activated: true }] },
    triggerIncident: { serviceId: idOf(diff, 'svc') },
  })
  t.match(await read(plane, `/v1/checks/${idOf(diff, 'url')}`), { privateLocations: ['office-1'] })
  t.match(await read(plane, `/v1/check-groups/${group}`), {
    ...{ privateLocations: ['office-1'], alertChannelSubscriptions: [{ alertChannelId: mail }] },
  })
  t.match(await read(plane, `/v1/status-pages/${idOf(diff, 'page')}`), {
    cards: [{ name: 'All', services: [{ id: idOf(diff, 'svc') }] }],
  })
  const browser = await read(
    plane,
    `/v1/checks/${idOf(diff, '__checks__/home.spec.ts')}?includeDependencies=true`,
  )
  t.match(browser.dependencies, [{ path: '__checks__/helper.ts' }])
  t.match(await read(plane, `/v1/checks/${idOf(diff, 'beat')}`), { name: 'Beat' })

  const again = await followed(plane, await send(plane, clientResources()))
  t.strictSame(new Set(Object.values(actions(again.result.diff))), new Set(['UPDATE']))
  t.strictSame(
    new Set(again.result.diff.map(({ physicalId }: Change) => physicalId)),
    new Set(diff.map(({ physicalId }: Change) => physicalId)),
    'it is the same resources',
  )
  t.equal(
    (await read(plane, `/v1/checks/${idOf(diff, 'tcp')}`)).updated_at,
    null,
    'what is the same is not written',
  )

  // The check leaves the group that goes, and one gets another type.
  const changed = without('group', 'private-location-group-assignment#group#office', 'dns', 'hook').filter(
    ({ type }) => type !== 'alert-channel-subscription',
  )
  for (const { logicalId, payload } of changed) {
    if (logicalId === 'api') Object.assign(payload, { groupId: null, name: 'API 2', retryStrategy: null })
    if (logicalId === 'tcp')
      Object.assign(payload, { checkType: 'URL', request: { url: 'https://example.org/', method: 'GET' } })
  }
  const { result: later } = await followed(plane, await send(plane, changed))
  t.match(actions(later.diff), {
    group: 'DELETE',
    dns: 'DELETE',
    hook: 'DELETE',
    api: 'UPDATE',
    tcp: 'UPDATE',
  })
  t.equal((await plane.call('GET', `/v1/check-groups/${group}`)).status, 404)
  t.equal((await plane.call('GET', `/v1/checks/${idOf(diff, 'dns')}`)).status, 404)
  t.match(await read(plane, `/v1/checks/${idOf(diff, 'api')}`), {
    ...{ name: 'API 2', groupId: null, retryStrategy: null, alertChannelSubscriptions: [] },
  })
  t.match(await read(plane, `/v1/checks/${idOf(later.diff, 'tcp')}`), { checkType: 'URL' })

  const { entries } = await read(plane, '/v1/audit-log?limit=100')
  const done = entries.map(({ action }: { action: string }) => action)
  for (const action of [
    'POST /v1/checks',
    'DELETE /v1/checks/:id',
    'PUT /v1/checks/:id',
    'POST /v1/projects/deploy',
  ])
    t.ok(done.includes(action), action)
  t.notMatch(JSON.stringify(entries), /shh/, 'no secret is in the log')

  const destroyed = await plane.call('DELETE', '/v1/projects/shop?preserveResources=false&dryRun=false')
  t.equal((await followed(plane, destroyed)).status, 'SUCCEEDED')
  for (const path of ['/v1/checks', '/v1/alert-channels', '/next/projects'])
    t.strictSame(await read(plane, path), [])
  const nothing = await plane.call('DELETE', '/v1/projects/shop?preserveResources=false&dryRun=false')
  t.equal(nothing.status, 200)
  t.notOk('status' in nothing.body, 'there is nothing to follow')
})

eachEngine('every mistake is named, and nothing is written', async (t, plane) => {
  const wrong = clientResources()
  for (const { logicalId, payload } of wrong) {
    if (logicalId === 'url') payload.request.url = ''
    if (logicalId === 'tcp') payload.checkType = 'PIGEON'
    if (logicalId === 'api') payload.groupId = { ref: 'nobody' }
    if (logicalId === 'mail') payload.config = {}
  }
  const { status, body } = await send(plane, wrong)
  t.equal(status, 400)
  const messages = body.attributes.violations.map(({ message }: { message: string }) => message).join('\n')
  for (const name of ['check "url"', 'check "tcp"', 'check "api"', 'alert-channel "mail"'])
    t.match(messages, name, `${name} is named`)
  t.match(messages, /names no check-group of the project: nobody/)
  t.strictSame(await read(plane, '/v1/checks'), [])
  t.strictSame(await read(plane, '/next/projects'), [])
  const twice = await send(plane, [...without(), ...without('api').slice(0, 1)])
  t.match(twice.body, { statusCode: 400, message: /is that of another status-page-service already: svc/ })
  const unknown = [{ logicalId: 'x', type: 'alert-channel', member: false, physicalId: 4711, payload: null }]
  t.match((await send(plane, unknown)).body, { statusCode: 400, message: /names nothing that exists/ })

  const { apiKey } = await plane.addKey({ accountId: plane.accountId, role: 'READ_WRITE' })
  t.equal((await send(plane, without(), '', apiKey)).status, 403, 'a private location takes more than that')
  t.strictSame(await read(plane, '/v1/checks'), [])
})

eachEngine('what others made stays, and what is to be kept', async (t, plane) => {
  const made = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'EMAIL', config: { address: 'bob@example.com' } },
  })
  const channel = made.body.id
  const named = {
    ...{ logicalId: 'bobs', type: 'alert-channel', member: false, physicalId: channel, payload: null },
  }
  const url = clientResources().filter(({ logicalId }) => logicalId === 'url')
  const first = await followed(plane, await send(plane, [...url, named, subscription('url', 'bobs')]))
  const id = idOf(first.result.diff, 'url')
  t.match(await read(plane, `/v1/checks/${id}`), { alertChannelSubscriptions: [{ alertChannelId: channel }] })
  const other = (
    await plane.call('POST', '/v1/alert-channels', {
      body: { type: 'EMAIL', config: { address: 'c@example.com' } },
    })
  ).body.id
  await plane.call('PUT', `/v1/alert-channels/${other}/subscriptions`, {
    body: { checkId: id, activated: true },
  })
  await send(plane, url)
  t.strictSame(
    (await read(plane, `/v1/checks/${id}`)).alertChannelSubscriptions,
    [{ alertChannelId: other, activated: true }],
    'the project takes away what it had said, and nothing else',
  )
  const { result } = await followed(plane, await send(plane, [named], '&preserveResources=true'))
  t.strictSame(actions(result.diff), { url: 'DETACHED' })
  t.equal((await plane.call('GET', `/v1/checks/${id}`)).status, 200)
  await plane.call('DELETE', '/v1/projects/shop?preserveResources=false&dryRun=false')
  t.equal((await plane.call('GET', `/v1/checks/${id}`)).status, 200, 'it belongs to nobody')
  t.equal((await plane.call('GET', `/v1/alert-channels/${channel}`)).status, 200)
})

eachEngine('projects are made and read by their logical ids', async (t, plane) => {
  const body = { name: 'Shop', logicalId: 'a/b c', repoUrl: 'https://example.com/x.git' }
  t.match((await plane.call('POST', '/next/projects', { body })).body, {
    ...body,
    id: String,
    created_at: String,
  })
  t.equal((await plane.call('POST', '/next/projects', { body })).status, 409)
  t.match(await read(plane, `/next/projects/${encodeURIComponent('a/b c')}`), body)
  t.equal((await plane.call('GET', '/next/projects/none')).status, 404)
  const other = await plane.addKey()
  const path = `/v1/projects/${encodeURIComponent('a/b c')}`
  t.equal((await plane.call('GET', path, { key: other.apiKey })).status, 404)
  t.match(await read(plane, '/v1/projects'), [body])
})

eachEngine('a suite is uploaded without its checksum, deployed and fetched again', async (t, plane) => {
  const bytes = bundleOf()
  const upload = (raw: Buffer, announced: Record<string, string> = {}) =>
    plane.call('POST', '/next/checkly-storage/upload-code-bundle', {
      headers: { 'content-type': 'application/octet-stream', ...announced },
      raw: new Uint8Array(raw),
    })
  const checksum = 'x-bundle-checksum-sha256'
  t.equal(
    (await upload(bytes, { [checksum]: sha256Of(Buffer.from('other')) })).status,
    422,
    'announced otherwise',
  )
  const { status, body: bundle } = await upload(bytes, { [checksum]: sha256Of(bytes) })
  t.equal(status, 200)
  t.match(bundle, { contentLength: bytes.length, checksumSha256: sha256Of(bytes), lastModified: String })
  t.match(await upload(bytes), { status: 200, body: bundle }, 'one content is there once')
  const body = { key: bundle.key }
  const peek = (key: string) =>
    plane.call('POST', '/next/checkly-storage/peek-code-bundle', { body: { key } })
  t.strictSame((await peek(body.key)).body, bundle)
  t.equal((await peek('not/there.tar.gz')).status, 404, 'whatever the key looks like')
  t.match(await plane.call('GET', `/v1/code-bundles/${body.key}`), { body: { sha256: sha256Of(bytes) } })
  t.match((await upload(Buffer.from('no archive'))).body, { statusCode: 400, message: /no archive/ })

  const payload = {
    ...{ name: 'E2E', activated: true, muted: false, locations: ['eu-west-1'], frequency: 10, groupId: null },
    ...{ doubleCheck: false, checkType: 'PLAYWRIGHT', engine: 'node', engineVersion: '24.1.0' },
    ...{ codeBundlePath: body.key, browsers: ['chromium'], cacheHash: 'abc', playwrightVersion: '1.58.2' },
    ...{ testCommand: 'npx playwright test --config playwright.config.ts', workingDir: '.' },
  }
  const suite = [{ logicalId: 'e2e', type: 'check', member: true, payload }]
  const { result } = await followed(plane, await send(plane, suite))
  t.match(await read(plane, `/v1/checks/${idOf(result.diff, 'e2e')}`), {
    ...{ codeBundleId: body.key, codeBundlePath: body.key, engine: 'node', engineVersion: '24.1.0' },
    ...{ browsers: ['chromium'], cacheHash: 'abc', playwrightVersion: '1.58.2', workingDir: '.' },
    testCommand: payload.testCommand,
  })
  const fetched = await fetch(`${plane.url}/next/checkly-storage/download`, {
    method: 'POST',
    headers: { authorization: `Bearer ${plane.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  t.equal(sha256Of(new Uint8Array(await fetched.arrayBuffer())), sha256Of(bytes))
  const other = await plane.addKey()
  const foreign = await plane.call('POST', '/next/checkly-storage/download', { key: other.apiKey, body })
  t.equal(foreign.status, 404)
  const snapshot = await plane.call('POST', '/next/checkly-storage/upload', {
    headers: { 'content-type': 'application/octet-stream' },
    raw: new Uint8Array(8),
  })
  t.match(snapshot.body, { statusCode: 422, message: /Snapshots of browser checks are not kept here/ })
})
