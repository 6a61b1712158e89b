/** Uploads as agents make them, over real HTTP: where they may fail, and what is left after they did. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import t, { type Test } from 'tap'
import { sweepArtifactsTick } from '../../../../control-plane/monitoring/artifacts/sweep-artifacts.ts'
import {
  insertLocationKey,
  insertPrivateLocation,
} from '../../../../control-plane/monitoring/locations/queries.ts'
import { keyHash } from '../../../../control-plane/platform/web/http/auth/auth.ts'
import {
  type ArtifactNote,
  artifactPathOf,
  maxArtifactBytes,
  maxArtifacts,
  partContentType,
} from '../../../../protocol/artifact.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { eachStore } from '../../../support/artifact-stores.ts'
import { announced, reported, uploadArtifact } from '../../../support/artifacts.ts'
import { engineNames } from '../../../support/databases.ts'

const stateOf = (plane: TestApp, resultId: string, name: string, key = plane.agentKey) =>
  plane.call('GET', artifactPathOf(resultId, name), { key })

/** Another location of the same account. */
const otherLocation = async ({ app, accountId }: TestApp): Promise<string> => {
  const [key, id, now] = [`pl_${'ab'.repeat(16)}`, app.newId(), app.clock.now()]
  await app.db.run(insertPrivateLocation, { id, accountId, slug: 'other', name: 'other', now, doc: '{}' })
  const more = { id: app.newId(), locationId: id, accountId, masked: 'x', now }
  await app.db.run(insertLocationKey, { ...more, hash: keyHash(key) })
  return key
}

for (const engine of engineNames)
  eachStore(`a file arrives in parts and is shown when it is complete (${engine})`, async (t, store) => {
    const plane = await store.plane(t, { engine })
    const bytes = randomBytes(300_000)
    const { resultId, assets } = await reported(plane, [announced('a b.pcap', bytes)])
    const part = { resultId, name: 'a b.pcap' }
    t.match(await stateOf(plane, resultId, 'a b.pcap'), {
      status: 200,
      body: { offset: 0, size: bytes.length, complete: false },
    })
    t.match(await uploadArtifact(plane, { ...part, bytes: bytes.subarray(0, 100_000) }), {
      status: 200,
      body: { offset: 100_000, complete: false },
    })
    t.match((await plane.call('GET', assets)).body, { entries: [], entriesTotal: 0 })
    t.equal((await plane.call('GET', `${assets}/a%20b.pcap`)).status, 404, 'half a file is not served')

    const again = await uploadArtifact(plane, { ...part, bytes: bytes.subarray(0, 100_000) })
    t.match(again, { status: 409, body: { attributes: { offset: 100_000 } } })
    const head = await plane.call('HEAD', artifactPathOf(resultId, 'a b.pcap'), { key: plane.agentKey })
    t.equal(head.headers.get('upload-offset'), '100000')

    const last = await uploadArtifact(plane, { ...part, bytes: bytes.subarray(100_000), offset: 100_000 })
    t.match(last, { status: 200, body: { offset: bytes.length, complete: true } })
    t.match(await uploadArtifact(plane, { ...part, bytes: bytes.subarray(0, 9) }), {
      status: 200,
      body: { complete: true },
    })
    const manifest = await plane.call('GET', assets)
    t.match(manifest.body, {
      entries: [{ type: 'pcap', name: 'a b.pcap', contentType: 'application/vnd.tcpdump.pcap' }],
      refused: [],
    })
    t.ok(manifest.body.entries[0].url.endsWith(`${assets}/a%20b.pcap`))
    t.strictSame(manifest.body.assets, manifest.body.entries)
    const read = await fetch(`${plane.url}${assets}/a%20b.pcap`, {
      headers: { authorization: `Bearer ${plane.apiKey}` },
    })
    t.equal(Buffer.from(await read.arrayBuffer()).compare(bytes), 0)
    const result = (await plane.call('GET', assets.replace(/\/assets$/, ''))).body
    t.equal(result.apiCheckResult.pcapDataUrl, manifest.body.entries[0].url)
    t.strictSame(result.apiCheckResult.jobAssets, [manifest.body.entries[0].url])
    const list = await plane.call('GET', assets.replace(/\/[^/]+\/assets$/, '').replace('/v1/', '/v2/'))
    t.equal(list.body.entries[0].apiCheckResult.pcapDataUrl, manifest.body.entries[0].url)
  })

t.test('only agents of the location that ran the job may upload, and only what was announced', async (t) => {
  const plane = await testApp(t)
  const bytes = Buffer.from('bytes')
  const { resultId } = await reported(plane, [
    announced('a.log', bytes),
    announced('no.log', bytes, { sha256: null, refused: 'larger than 150 MB' }),
    announced('huge.log', bytes, { size: maxArtifactBytes + 1 }),
  ])
  const other = await otherLocation(plane)
  for (const [what, part] of Object.entries({
    'from another location': { resultId, name: 'a.log', key: other },
    'that was refused': { resultId, name: 'no.log' },
    'that is too large': { resultId, name: 'huge.log' },
    'that nobody announced': { resultId, name: 'b.log' },
    'of a result that is not there': { resultId: plane.app.newId(), name: 'a.log' },
  })) {
    t.equal((await uploadArtifact(plane, { bytes, ...part })).status, 410, what)
    t.equal(
      (await stateOf(plane, part.resultId, part.name, 'key' in part ? part.key : undefined)).status,
      410,
    )
  }
  t.equal((await uploadArtifact(plane, { resultId, name: 'a.log', bytes, key: plane.apiKey })).status, 401)
  t.equal((await uploadArtifact(plane, { resultId, name: 'a.log', bytes })).status, 200)
})

t.test('what was refused is in the manifest, with why', async (t) => {
  const plane = await testApp(t)
  const huge = announced('trace.zip', Buffer.alloc(0), { type: 'trace', size: maxArtifactBytes + 1 })
  const { assets } = await reported(plane, [huge])
  t.match((await plane.call('GET', assets)).body, {
    entries: [],
    refused: [{ type: 'trace', name: 'trace.zip', size: 157_286_401, reason: 'larger than 150 MB' }],
  })
})

eachStore('more bytes than announced, the wrong ones, or none at all', async (t, store) => {
  const plane = await store.plane(t)
  const bytes = Buffer.from('the right bytes')
  const { resultId } = await reported(plane, [announced('a.log', bytes), announced('empty', Buffer.alloc(0))])
  const part = { resultId, name: 'a.log' }
  t.equal(
    (await uploadArtifact(plane, { ...part, bytes: Buffer.from('the right bytes and more') })).status,
    413,
  )
  t.equal((await uploadArtifact(plane, { ...part, bytes: Buffer.from('the wrong bytes') })).status, 422)
  t.match(
    await stateOf(plane, resultId, 'a.log'),
    { body: { offset: 0, complete: false } },
    'all are forgotten',
  )
  t.match(await uploadArtifact(plane, { ...part, bytes }), { status: 200, body: { complete: true } })
  t.match(await uploadArtifact(plane, { resultId, name: 'empty', bytes: Buffer.alloc(0) }), {
    status: 200,
    body: { complete: true },
  })
  const path = artifactPathOf(resultId, 'a.log')
  const options = { key: plane.agentKey, raw: 'x' }
  for (const offset of ['', '-1', '1e3', 'x', '9'.repeat(13)]) {
    const headers = { 'content-type': partContentType, 'upload-offset': offset }
    t.equal(
      (await plane.call('PATCH', path, { ...options, headers })).status,
      400,
      `Upload-Offset: ${offset}`,
    )
  }
  t.equal((await plane.call('PATCH', path, { ...options, headers: { 'upload-offset': '0' } })).status, 415)
})

/** Sends a request's head and some of its body, and hangs up. */
const cutOff = async (t: Test, plane: TestApp, path: string, bytes: Buffer): Promise<Socket> => {
  const socket = connect(Number(new URL(plane.url).port), '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.write(
    `PATCH ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${plane.agentKey}\r\nupload-offset: 0\r\n` +
      `content-type: ${partContentType}\r\ncontent-length: ${bytes.length * 2}\r\n\r\n`,
  )
  socket.resume()
  await new Promise((resolve) => socket.write(bytes, resolve))
  return socket
}

eachStore(
  'what arrived before a connection broke is kept, and an upload that hangs is taken over',
  async (t, store) => {
    const plane = await store.plane(t)
    const bytes = randomBytes(400_000)
    const { resultId, assets } = await reported(plane, [announced('a.log', bytes)])
    const half = bytes.subarray(0, 200_000)
    // It stays open and sends nothing more.
    await cutOff(t, plane, artifactPathOf(resultId, 'a.log'), half)
    let offset = 0
    while (offset < half.length) offset = (await stateOf(plane, resultId, 'a.log')).body.offset
    const rest = await uploadArtifact(plane, {
      resultId,
      name: 'a.log',
      bytes: bytes.subarray(offset),
      offset,
    })
    t.match(rest, { status: 200, body: { complete: true } })
    t.equal((await plane.call('GET', `${assets}/a.log`)).status, 200)
    t.strictSame(
      plane.logged.filter(({ level }) => Number(level) >= 50),
      [],
      'a broken upload is no failure of ours',
    )
  },
)

eachStore('an upload that takes too long is cut, and what it brought is kept', async (t, store) => {
  const plane = await store.plane(t)
  const bytes = randomBytes(300_000)
  const { resultId } = await reported(plane, [announced('a.log', bytes)])
  const time = Promise.withResolvers<void>()
  const { sleep } = plane.app.clock
  plane.app.clock.sleep = () => time.promise
  const socket = await cutOff(t, plane, artifactPathOf(resultId, 'a.log'), bytes.subarray(0, 150_000))
  let offset = 0
  while (offset < 150_000) offset = (await stateOf(plane, resultId, 'a.log')).body.offset
  const closed = new Promise((resolve) => socket.once('close', resolve))
  time.resolve()
  await closed
  plane.app.clock.sleep = sleep
  const rest = await uploadArtifact(plane, { resultId, name: 'a.log', bytes: bytes.subarray(offset), offset })
  t.match(rest, { status: 200, body: { complete: true } })
})

t.test('a full disk is answered with 507, and the upload goes on when there is room', async (t) => {
  const plane = await testApp(t)
  const { store } = plane.app.artifacts
  const bytes = Buffer.from('some bytes')
  const { resultId } = await reported(plane, [announced('a.log', bytes)])
  plane.app.artifacts.store = {
    ...store,
    write: async () => {
      throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
    },
  }
  const refused = await uploadArtifact(plane, { resultId, name: 'a.log', bytes })
  t.equal(refused.status, 507)
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.equal(plane.logged.filter(({ level }) => Number(level) >= 50).length, 1, 'the operator is told')
  plane.app.artifacts.store = store
  t.equal((await uploadArtifact(plane, { resultId, name: 'a.log', bytes })).status, 200)
})

/** A report that announces what cannot be is a run that could not be run, and none of its files is waited for. */
const isRefused = async (t: Test, plane: TestApp, notes: ArtifactNote[]): Promise<void> => {
  const { checkId, resultId, assets } = await reported(plane, notes)
  const said = JSON.stringify(notes.map(({ name }) => name)).slice(0, 100)
  const { body } = await plane.call('GET', `/v1/check-results/${checkId}/${resultId}`)
  t.equal(body.hasErrors, true, said)
  t.strictSame((await plane.call('GET', assets)).body.entries, [], said)
}

eachStore('names are data: none of them is a path, and those that could be are refused', async (t, store) => {
  const plane = await store.plane(t)
  const bytes = Buffer.from('x')
  const names = ['%2e%2e', 'a;b', 'it\'s "quoted".txt', 'Ünïcode ☃.log', '.hidden', 'con', 'a%2Fb']
  const { resultId, assets } = await reported(
    plane,
    names.map((name) => announced(name, bytes)),
  )
  for (const name of names) {
    t.equal((await uploadArtifact(plane, { resultId, name, bytes })).status, 200, name)
    const served = await plane.call('GET', `${assets}/${encodeURIComponent(name)}`)
    t.equal(served.text, 'x', name)
    t.match(
      served.headers.get('content-disposition'),
      /^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''\S+$/,
    )
  }
  for (const name of store.files()) t.match(name, /^[0-9a-f]{2}\/[0-9a-f]{64}(\/00000)?$/)
  for (const name of ['..', '.', 'a/b', '../../etc/passwd', 'a\\b', 'a\nb', ''])
    await isRefused(t, plane, [announced(name, bytes)])
})

eachStore('a run may leave many files, within bounds, and each is found by its name', async (t, store) => {
  const plane = await store.plane(t)
  const bytes = Buffer.from('x')
  const notes = Array.from({ length: maxArtifacts }, (_, index) => announced(`${index}.log`, bytes))
  const { resultId, assets } = await reported(plane, notes)
  for (const name of ['0.log', '499.log']) await uploadArtifact(plane, { resultId, name, bytes })
  const { body } = await plane.call('GET', assets)
  t.strictSame(
    body.entries.map(({ name }: { name: string }) => name),
    ['0.log', '499.log'],
  )
  await isRefused(t, plane, [...notes, announced('one too many', bytes)])
})

for (const engine of engineNames)
  eachStore(`files go with their check, and when their time is over (${engine})`, async (t, store) => {
    const plane = await store.plane(t, { engine })
    const bytes = Buffer.from('x')
    const first = await reported(plane, [announced('a.log', bytes), announced('half.log', Buffer.from('xy'))])
    await uploadArtifact(plane, { resultId: first.resultId, name: 'a.log', bytes })
    await uploadArtifact(plane, { resultId: first.resultId, name: 'half.log', bytes })
    await sweepArtifactsTick(plane.app)
    t.equal(store.files().length, 2, 'nothing goes early')
    t.equal((await plane.call('DELETE', `/v1/checks/${first.checkId}`)).status, 204)
    t.equal((await plane.call('GET', `${first.assets}/a.log`)).status, 404)
    const late = await uploadArtifact(plane, { resultId: first.resultId, name: 'half.log', bytes, offset: 1 })
    t.equal(late.status, 410, 'nobody waits for it any more')
    await sweepArtifactsTick(plane.app)
    t.strictSame(store.files(), [])

    const second = await reported(plane, [announced('b.log', bytes)])
    await uploadArtifact(plane, { resultId: second.resultId, name: 'b.log', bytes })
    plane.advance(7 * 86_400_000 + 1)
    await sweepArtifactsTick(plane.app)
    t.strictSame(store.files(), [])
    t.match(
      await plane.call('GET', second.assets),
      { status: 200, body: { entries: [] } },
      'the result stays',
    )
    const rows = await plane.app.db.select((k) => k.selectFrom('artifacts').selectAll())
    t.strictSame(rows, [])
  })

eachStore('another control plane goes on with an upload', async (t, store) => {
  const first = await store.plane(t)
  const second = await store.plane(t, { parts: { db: first.app.db } })
  const bytes = randomBytes(300_000)
  const { resultId, assets } = await reported(first, [announced('a.log', bytes)])
  const part = { resultId, name: 'a.log', key: first.agentKey }
  await uploadArtifact(first, { ...part, bytes: bytes.subarray(0, 100_001) })
  t.match(await stateOf(second, resultId, 'a.log', first.agentKey), { body: { offset: 100_001 } })
  const rest = { ...part, bytes: bytes.subarray(100_001), offset: 100_001 }
  t.match(await uploadArtifact(second, rest), { status: 200, body: { complete: true } })
  const path = `${second.url}${assets}/a.log`
  const read = await fetch(path, { headers: { authorization: `Bearer ${first.apiKey}` } })
  t.equal(Buffer.from(await read.arrayBuffer()).compare(bytes), 0)
})

eachStore('what an upload that nobody went on with left behind goes with its time', async (t, store) => {
  const first = await store.plane(t)
  const { resultId } = await reported(first, [announced('a.log', randomBytes(1000))])
  await uploadArtifact(first, { resultId, name: 'a.log', bytes: Buffer.alloc(10) })
  const second = await store.plane(t, { parts: { db: first.app.db } })
  t.equal(store.files().length, 1)
  second.advance(31 * 86_400_000)
  await sweepArtifactsTick(second.app)
  t.strictSame(store.files(), [])
})

eachStore('bytes that come while another control plane sweeps their file do not stay', async (t, store) => {
  const first = await store.plane(t)
  const second = await store.plane(t, { parts: { db: first.app.db } })
  const bytes = randomBytes(1000)
  const { checkId, resultId } = await reported(first, [announced('a.log', bytes)])
  const { write } = first.app.artifacts.store
  first.app.artifacts.store.write = async (...upload) => {
    t.equal((await first.call('DELETE', `/v1/checks/${checkId}`)).status, 204)
    await sweepArtifactsTick(second.app)
    return write(...upload)
  }
  t.equal((await uploadArtifact(first, { resultId, name: 'a.log', bytes })).status, 410)
  t.strictSame(store.files(), [])
})
