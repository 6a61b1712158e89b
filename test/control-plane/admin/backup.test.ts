// Runs in test:all only: it fills and reads whole stores.
import { mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { adminHere } from '../../support/admin-here.ts'
import { adminOf } from '../../support/admin-program.ts'
import { apiKey, endsWith, scratchFolder, startControlPlane } from '../../support/programs.ts'

const canary = 'canary-77b1e0aa'
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

t.test('a backup is taken while the control plane works, and comes back', async (t) => {
  const dataDir = await scratchFolder(t)
  const outside = await scratchFolder(t)
  const admin = adminHere({ DATA_DIR: dataDir })
  const service = endsWith(t, await startControlPlane({ dataDir }))
  const add = async (key: string) => {
    const body = JSON.stringify({ key, value: `${canary} ${key}`, secret: true })
    t.equal((await fetch(`${service.url}/v1/variables`, { method: 'POST', headers, body })).status, 201)
  }
  for (let n = 0; n < 20; n++) await add(`BEFORE_${n}`)

  const file = join(outside, 'watchpost.backup')
  const running = adminOf({ DATA_DIR: dataDir })('backup', file, '--with-keys', '--json')
  let during = 0
  for (let done = false; !done && during < 300; during += 1) {
    await add(`DURING_${during}`)
    done = await Promise.race([running.then(() => true), new Promise<false>((r) => setImmediate(r, false))])
  }
  const made = await running
  t.equal(made.exitCode, 0, made.stderr)
  t.strictSame(made.json.files, ['encryption-key', 'bootstrap.json'])
  t.strictSame(await readdir(outside), ['watchpost.backup'], 'one file')
  t.equal((await stat(file)).mode & 0o777, 0o600)
  t.match((await admin('backup', file)).stderr, /exists already/)

  const bare = join(outside, 'bare.backup')
  t.equal((await admin('backup', bare)).exitCode, 0)
  const key = (await readFile(join(dataDir, 'encryption-key'), 'utf8')).trim()
  const text = await readFile(bare, 'latin1')
  t.notOk(
    text.includes(key) || text.includes(apiKey) || text.includes(canary),
    'no key and no secret without --with-keys',
  )

  t.test('never under a running control plane, and over a store only with --force', async (t) => {
    const under = await admin('restore', file, '--force')
    t.match([under.exitCode, under.stderr], [1, /is in use: stop the control plane/])
    await service.end('SIGTERM')
    const over = await admin('restore', file)
    t.match([over.exitCode, over.stderr], [1, /there is a store at .*: --force replaces it/])
    const other = await scratchFolder(t)
    await writeFile(join(other, 'notes.txt'), 'mine')
    const into = await adminHere({ DATA_DIR: other })('restore', file)
    t.match([into.exitCode, into.stderr], [1, /is not empty \(notes\.txt\)/])
    const volume = await scratchFolder(t)
    await mkdir(join(volume, 'lost+found'))
    const fresh = await adminHere({ DATA_DIR: volume })('restore', file)
    t.equal(fresh.exitCode, 0, 'a new file system is empty, but for what it needs')
  })

  t.test('what is not a whole backup is refused, and nothing is changed', async (t) => {
    const target = await scratchFolder(t)
    const elsewhere = adminHere({ DATA_DIR: target })
    const damaged = `${target}-damaged`
    await writeFile(damaged, await readFile(file))
    t.teardown(() => rm(damaged, { force: true }))
    await truncate(damaged, Math.floor((await stat(file)).size / 8192) * 4096)
    for (const [wrong, because] of [
      [damaged, /cannot be restored/],
      [join(dataDir, 'watchpost.db'), /not a backup/],
    ] as const) {
      const refused = await elsewhere('restore', wrong)
      t.match([refused.exitCode, refused.stderr], [1, because], wrong)
    }
    const keyless = await elsewhere('restore', bare)
    t.match([keyless.exitCode, keyless.stderr], [1, /need the encryption keys [0-9a-f]{8}/])
    t.strictSame(await readdir(target), [])
    t.equal((await elsewhere('restore', bare, '--without-secrets')).exitCode, 0)
  })

  t.test('restored elsewhere it is the same installation', async (t) => {
    const target = await scratchFolder(t)
    const restored = await adminOf({ DATA_DIR: target })('restore', file, '--json')
    t.equal(restored.exitCode, 0, restored.stderr)
    t.ok(restored.json.secrets >= 20)
    const database = await readFile(join(target, 'watchpost.db'), 'latin1')
    t.notOk(
      database.includes(key) || database.includes(apiKey),
      'the keys are files again and not in the store',
    )
    t.equal((await adminHere({ DATA_DIR: target })('check', '--integrity')).exitCode, 0)
    const again = endsWith(t, await startControlPlane({ dataDir: target }))
    const list = await fetch(`${again.url}/v1/variables?limit=100`, { headers })
    t.equal(list.status, 200)
    const names = ((await list.json()) as Array<{ key: string }>).map((variable) => variable.key)
    t.equal(names.filter((name) => name.startsWith('BEFORE_')).length, 20)
    await again.end('SIGTERM')
    t.equal((await adminHere({ DATA_DIR: target })('restore', file, '--force')).exitCode, 0)
  })
})
