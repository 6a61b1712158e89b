// Runs in test:all only: it fills a disk and starts programs on broken stores.
/** What is wrong with a store at a start is one sentence that names it and the way out, and nothing is changed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { callApi } from '../support/api.ts'
import { compileCache } from '../support/compile-cache.ts'
import { endsWith, scratchFolder, startControlPlane } from '../support/programs.ts'
import { until } from '../support/until.ts'

const program = fileURLToPath(new URL('../../control-plane/main.ts', import.meta.url))

/** The end of a start that fails. */
const refusedStart = async (t: Test, dataDir: string, env: Record<string, string> = {}) => {
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      ...compileCache(),
      ...env,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  t.equal(code, 1)
  t.equal(stderr.trim().split('\n').length, 1, stderr)
  return stderr
}

/** A store that was in use, with a secret in it: made once, because each start costs seconds. */
const used: { folder?: Promise<string> } = {}

const makeUsedStore = async (): Promise<string> => {
  const dataDir = `${await scratchFolder(t)}/data`
  const plane = endsWith(t, await startControlPlane({ dataDir }))
  const body = { key: 'TOKEN', value: 'a secret', secret: true }
  t.equal((await callApi(plane.url, '/v1/variables', { method: 'POST', body })).status, 201)
  await plane.end('SIGTERM')
  return dataDir
}

/** The folder of one like it. */
const usedStore = async (t: Test): Promise<string> => {
  used.folder ??= makeUsedStore()
  const dataDir = `${await scratchFolder(t)}/data`
  cpSync(await used.folder, dataDir, { recursive: true })
  return dataDir
}

t.test('a damaged file', async (t) => {
  const dataDir = await usedStore(t)
  const file = `${dataDir}/watchpost.db`
  const whole = readFileSync(file)
  writeFileSync(file, 'this is no store'.repeat(1000))
  t.match(
    await refusedStart(t, dataDir),
    /watchpost\.db is not a SQLite file.*restore the last backup with `watchpost restore`/,
  )
  const holed = Buffer.from(whole)
  holed.fill(0x5a, 100, holed.length)
  writeFileSync(file, holed)
  t.match(await refusedStart(t, dataDir), /watchpost\.db is damaged.*watchpost restore/)
  writeFileSync(file, whole)
  const plane = endsWith(t, await startControlPlane({ dataDir }))
  t.equal((await callApi(plane.url, '/v1/variables')).status, 200)
})

t.test('a key that does not fit', async (t) => {
  const dataDir = await usedStore(t)
  const keys = `${dataDir}/encryption-key`
  renameSync(keys, `${keys}.away`)
  t.match(
    await refusedStart(t, dataDir),
    /encryption-key does not fit the store.*variables.*Put that key back/,
  )
  const other = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }
  t.match(await refusedStart(t, dataDir, other), /^ENCRYPTION_KEY does not fit/)
  renameSync(`${keys}.away`, keys)
  endsWith(t, await startControlPlane({ dataDir }))
})

t.test('a key that does not fit a store without a secret', async (t) => {
  const dataDir = `${await scratchFolder(t)}/data`
  const plane = endsWith(t, await startControlPlane({ dataDir }))
  await plane.end('SIGTERM')
  const other = { ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') }
  t.match(await refusedStart(t, dataDir, other), /^ENCRYPTION_KEY does not fit.*key_canaries/)
  endsWith(t, await startControlPlane({ dataDir }))
})

const lost = /store of DATABASE_URL is empty.*bootstrap\.json.*move bootstrap\.json away/

t.test('an empty store beside keys of another', async (t) => {
  const dataDir = await usedStore(t)
  for (const name of ['watchpost.db', 'watchpost.db-wal', 'watchpost.db-shm'])
    rmSync(`${dataDir}/${name}`, { force: true })
  t.match(await refusedStart(t, dataDir), lost)
  const keys = {
    BOOTSTRAP_API_KEY: 'a-key-of-more-than-20-characters',
    BOOTSTRAP_AGENT_KEY: `pl_${'a'.repeat(32)}`,
  }
  t.match(await refusedStart(t, dataDir, keys), lost, 'whatever the environment says')
  t.notOk(existsSync(`${dataDir}/watchpost.db`), 'none is made in its place')
  writeFileSync(`${dataDir}/watchpost.db`, '')
  t.match(await refusedStart(t, dataDir, keys), lost, 'a file without a byte is one that was lost')
  t.equal(statSync(`${dataDir}/watchpost.db`).size, 0)
  rmSync(`${dataDir}/bootstrap.json`)
  endsWith(t, await startControlPlane({ dataDir }))
})

t.test('a server that is not there', async (t) => {
  const dataDir = await scratchFolder(t)
  const said = await refusedStart(t, dataDir, { DATABASE_URL: 'postgres://me:secret@127.0.0.1:9/shop' })
  t.match(said, /\(127\.0\.0\.1:9\/shop\) cannot be reached: start it, or correct the address/)
  t.notMatch(said, /secret/)
})

t.test('a file that is removed under the process: nothing more is promised, and it is said', async (t) => {
  const dataDir = `${await scratchFolder(t)}/data`
  const plane = endsWith(t, await startControlPlane({ dataDir }))
  const create = async (key: string) =>
    (await callApi(plane.url, '/v1/variables', { method: 'POST', body: { key, value: 'x' } })).status
  t.equal(await create('BEFORE'), 201)
  const file = `${dataDir}/watchpost.db`
  renameSync(file, `${file}.away`)
  t.equal(await create('MEANWHILE'), 503)
  await until('a line about it', () =>
    /watchpost\.db was removed or replaced.*put it back/.test(plane.output()),
  )
  renameSync(`${file}.away`, file)
  t.equal(await create('AFTER'), 201, 'the same file goes on')
})
