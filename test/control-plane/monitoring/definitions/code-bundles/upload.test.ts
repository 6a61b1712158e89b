// Runs in test:all only: it uploads to each kind of store on both engines.
/** Uploads as people and pipelines make them, over real HTTP. */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { maxBundles } from '../../../../../control-plane/monitoring/definitions/code-bundles/receive-bundle.ts'
import { maxBundleBytes } from '../../../../../protocol/checks/playwright-spec.ts'
import { eachEngine, type TestApp, testApp } from '../../../../support/app.ts'
import { eachStore } from '../../../../support/artifact-stores.ts'
import { bundleOf, project, sha256Of, uploadBundle, usageOfAccount } from '../../../../support/bundles.ts'
import { engineNames } from '../../../../support/databases.ts'
import { tarOf } from '../../../../support/tar.ts'

const rows = ({ app }: TestApp) => app.db.select((k) => k.selectFrom('code_bundles').selectAll())

for (const engine of engineNames)
  eachStore(`a bundle is uploaded, found and deleted (${engine})`, async (t, store) => {
    const plane = await store.plane(t, { engine })
    const bytes = bundleOf({ path: 'picture.png', content: randomBytes(400_000) })
    const created = await uploadBundle(plane, bytes)
    t.match(created, {
      status: 201,
      body: { sha256: sha256Of(bytes), size: bytes.length, files: 4, created_at: '2026-01-01T00:00:00.000Z' },
    })
    const { id } = created.body
    t.strictSame((await plane.call('GET', `/v1/code-bundles/${id}`)).body, created.body)
    t.strictSame((await plane.call('GET', '/v1/code-bundles')).body, [created.body])
    const found = await plane.call('GET', `/v1/code-bundles?sha256=${sha256Of(bytes)}`)
    t.strictSame(found.body, [created.body])
    t.strictSame((await plane.call('GET', `/v1/code-bundles?sha256=${'0'.repeat(64)}`)).body, [])
    t.equal(await usageOfAccount(plane), bytes.length)
    t.equal(store.files().length, 1)

    t.equal((await plane.call('DELETE', `/v1/code-bundles/${id}`)).status, 204)
    t.equal((await plane.call('GET', `/v1/code-bundles/${id}`)).status, 404)
    t.equal((await plane.call('DELETE', `/v1/code-bundles/${id}`)).status, 404)
    t.equal(await usageOfAccount(plane), 0)
    t.same(store.files(), [])
    t.same(await rows(plane), [])
  })

for (const engine of engineNames)
  eachStore(
    `an account has one content once, also when it comes twice at the same time (${engine})`,
    async (t, store) => {
      const plane = await store.plane(t, { engine })
      const bytes = bundleOf()
      const both = await Promise.all([uploadBundle(plane, bytes), uploadBundle(plane, bytes)])
      t.same(both.map(({ status }) => status).sort(), [200, 201])
      t.equal(both[0]?.body.id, both[1]?.body.id)
      const again = await uploadBundle(plane, bytes)
      t.match(again, { status: 200, body: both[0]?.body })
      t.equal(store.files().length, 1)
      t.equal(await usageOfAccount(plane), bytes.length)

      const other = await plane.addKey()
      const theirs = await uploadBundle(plane, bytes, { key: other.apiKey })
      t.equal(theirs.status, 201, 'another account has its own')
      t.not(theirs.body.id, again.body.id)
      t.equal((await plane.call('GET', `/v1/code-bundles/${theirs.body.id}`)).status, 404)
    },
  )

eachStore(
  'what is no archive of a project is refused with a sentence, and nothing of it stays',
  async (t, store) => {
    const plane = await store.plane(t)
    const cases: Array<[Buffer, RegExp]> = [
      [Buffer.from('PK\u0003\u0004 a zip'), /not compressed by gzip/],
      [bundleOf().subarray(0, 120), /ends too early/],
      [gzipSync(Buffer.from('no archive at all'.repeat(100))), /no tar archive/],
      [gzipSync(tarOf([])), /holds no files/],
      [gzipSync(tarOf(project).subarray(0, 700)), /middle of a file/],
      [gzipSync(tarOf(project.filter(({ path }) => path !== 'package-lock.json'))), /no lock file/],
      [bundleOf({ path: '../evil.js' }), /leads out of its folder/],
      [bundleOf({ path: '/etc/passwd' }), /absolute path/],
      [bundleOf({ path: 'a', type: '2', target: '/etc/passwd' }), /link "a" leads out/],
      [bundleOf({ path: 'b/c', type: '2', target: '../../../x' }), /link "b\/c" leads out/],
      [bundleOf({ path: 'd', type: '1', target: '../x' }), /leads out of its folder/],
      [bundleOf({ path: 'null', type: '3' }), /neither a file, a folder nor a link/],
    ]
    for (const [bytes, sentence] of cases) {
      const answer = await uploadBundle(plane, bytes)
      t.equal(answer.status, 400, String(sentence))
      t.match(answer.body.message, sentence)
    }
    t.match(await uploadBundle(plane, bundleOf(), { sha256: 'a'.repeat(64) }), { status: 422 })
    t.equal((await uploadBundle(plane, bundleOf(), { sha256: 'no' })).status, 400)
    t.same(await rows(plane), [])
    t.same(store.files(), [])
    t.equal(await usageOfAccount(plane), 0)
  },
)

eachStore('an archive that unpacks to too much is refused before it is read to its end', async (t, store) => {
  const plane = await store.plane(t)
  const zeros = gzipSync(Buffer.alloc(64 * 1024 * 1024))
  const head = gzipSync(tarOf(project))
  // Members of gzip follow each other: 1.25 GB of zeros behind the end of the archive.
  const answer = await uploadBundle(plane, Buffer.concat([head, ...Array(20).fill(zeros)]))
  t.match(answer, { status: 400, body: { message: /more than 1 MB behind its end/ } })
})

t.test('links inside of a project are taken: package managers make them', async (t) => {
  const plane = await testApp(t)
  const link = { path: 'node_modules/.bin/playwright', type: '2', target: '../playwright/cli.js' }
  t.equal((await uploadBundle(plane, bundleOf(link))).status, 201)
})

/** A request whose headers say one thing, and whose body may say another. */
const raw = (plane: TestApp, headers: Record<string, string | number>, body: Buffer): Promise<number> =>
  new Promise((resolve, reject) => {
    const sending = request(`${plane.url}/v1/code-bundles?sha256=${sha256Of(body)}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${plane.apiKey}`, 'content-type': 'application/gzip', ...headers },
    })
    sending.on('response', (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
      sending.destroy()
    })
    sending.on('error', reject)
    sending.flushHeaders()
    sending.write(body)
    if ('transfer-encoding' in headers) sending.end()
  })

t.test('a bundle has a length, which is not more than 150 MB', async (t) => {
  const plane = await testApp(t)
  t.equal(await raw(plane, { 'transfer-encoding': 'chunked' }, bundleOf()), 411)
  t.equal(await raw(plane, { 'content-length': maxBundleBytes + 1 }, bundleOf()), 413)
  t.same(await rows(plane), [])
})

eachStore('an upload that breaks off leaves nothing behind', async (t, store) => {
  const plane = await store.plane(t)
  const bytes = bundleOf({ path: 'big', content: randomBytes(300_000) })
  const begun = Promise.withResolvers<void>()
  const { write } = plane.app.artifacts.store
  const ended = Promise.withResolvers<void>()
  plane.app.artifacts.store.write = async (key, offset, chunks) => {
    begun.resolve()
    try {
      return await write(key, offset, chunks)
    } finally {
      ended.resolve()
    }
  }
  const sending = request(`${plane.url}/v1/code-bundles?sha256=${sha256Of(bytes)}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${plane.apiKey}`,
      'content-type': 'application/gzip',
      'content-length': bytes.length,
    },
  })
  sending.on('error', () => undefined)
  sending.write(bytes.subarray(0, 100_000))
  await begun.promise
  t.equal(await usageOfAccount(plane), bytes.length, 'its room is taken from the beginning')
  const removed = Promise.withResolvers<void>()
  const { remove } = plane.app.artifacts.store
  plane.app.artifacts.store.remove = async (key) => {
    await remove(key)
    removed.resolve()
  }
  sending.destroy()
  await ended.promise
  await removed.promise
  const again = await uploadBundle(plane, bytes)
  t.equal(again.status, 201)
  t.equal((await rows(plane)).filter(({ completed_at }) => completed_at !== null).length, 1)
})

eachEngine(
  'uploads at the same time do not pass the allowance of their account',
  async (t, plane) => {
    const bundles = ['a', 'b', 'c'].map((path) => bundleOf({ path, content: randomBytes(400_000) }))
    const answers = await Promise.all(bundles.map((bytes) => uploadBundle(plane, bytes)))
    t.same(answers.map(({ status }) => status).sort(), [201, 201, 413])
    t.match(answers.find(({ status }) => status === 413)?.body.message, /ARTIFACTS_ACCOUNT_MAX_GB/)
  },
  { env: { ARTIFACTS_ACCOUNT_MAX_GB: '0.001' } },
)

t.test('an account has so many bundles, and uploads so many at once', async (t) => {
  const plane = await testApp(t)
  const { app, accountId } = plane
  const insert = (count: number, completed: number | null) =>
    app.db.execute((k) =>
      k.insertInto('code_bundles').values(
        Array.from({ length: count }, () => ({
          id: app.newId(),
          account_id: accountId,
          sha256: sha256Of(randomBytes(8)),
          size: 1,
          files: 1,
          unpacked_size: 1,
          created_at: 1,
          completed_at: completed,
          used_at: app.clock.now(),
        })),
      ),
    )
  await insert(4, null)
  t.match(await uploadBundle(plane, bundleOf()), { status: 429, body: { message: /4 bundles at once/ } })
  await app.db.execute((k) => k.deleteFrom('code_bundles'))
  for (let inserted = 0; inserted < maxBundles; inserted += 100) await insert(100, 1)
  t.match(await uploadBundle(plane, bundleOf()), { status: 413, body: { message: /1000 code bundles/ } })
})

t.test('whoever may write checks may upload bundles, all may see them', async (t) => {
  const plane = await testApp(t)
  const { accountId } = plane
  const roleKey = async (role: 'READ_WRITE' | 'READ_RUN' | 'READ_ONLY') =>
    (await plane.addKey({ accountId, role })).apiKey
  for (const role of ['READ_RUN', 'READ_ONLY'] as const) {
    const key = await roleKey(role)
    t.equal((await uploadBundle(plane, bundleOf(), { key })).status, 403, role)
    t.equal((await plane.call('GET', '/v1/code-bundles', { key })).status, 200, role)
  }
  t.equal((await uploadBundle(plane, bundleOf(), { key: await roleKey('READ_WRITE') })).status, 201)
  t.equal((await uploadBundle(plane, bundleOf(), { key: plane.agentKey })).status, 401)
})
