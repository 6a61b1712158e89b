// Runs on both engines in test:all: its statements run in no other file.
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { bootstrap } from '../../control-plane/bootstrap.ts'
import { ownEncryptionKeys } from '../../control-plane/platform/services/secrets/generated-secrets.ts'
import type { Engine } from '../../control-plane/platform/store/database/engines.ts'
import { readConfig } from '../../control-plane/read-config.ts'
import type { WholeApp } from '../../control-plane/whole-app.ts'
import { testApp } from '../support/app.ts'
import { engineNames, freshDatabase } from '../support/databases.ts'

const installation = async (t: Test, engine: Engine['name'], env: Record<string, string> = {}) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'watchpost-test-'))
  t.teardown(() => rm(dataDir, { recursive: true, force: true }))
  const service = await testApp(t)
  const app: WholeApp = {
    ...service.app,
    db: await freshDatabase(t, engine),
    config: readConfig({ DATA_DIR: dataDir, ...env }),
  }
  const counts = async () => {
    const count = async (table: 'accounts' | 'api_keys' | 'private_locations' | 'location_keys') =>
      (await app.db.select((k) => k.selectFrom(table).select('id'))).length
    return [
      await count('accounts'),
      await count('api_keys'),
      await count('private_locations'),
      await count('location_keys'),
    ]
  }
  return { app, dataDir, counts, file: join(dataDir, 'bootstrap.json') }
}

type Install = (env?: Record<string, string>) => ReturnType<typeof installation>

const eachEngine = (name: string, body: (t: Test, install: Install) => Promise<void>): void => {
  for (const engine of engineNames)
    t.test(`${name} (${engine})`, (t) => body(t, (env) => installation(t, engine, env)))
}

eachEngine(
  'the first start makes an account, its owner’s key, the location `local` and its key; the second changes nothing',
  async (t, install) => {
    const { app, counts, file } = await install()
    const first = await bootstrap(app)
    t.match(first, { apiKey: /^wp_[\w-]{43}$/, agentKey: /^pl_[0-9a-f]{32}$/, notes: [] })
    t.strictSame(await counts(), [1, 1, 1, 1])
    const kept = JSON.parse(await readFile(file, 'utf8'))
    t.match(kept, { accountId: first.accountId, apiKey: first.apiKey, agentKey: first.agentKey })
    t.equal((await stat(file)).mode & 0o777, 0o600)
    t.match(first.signInLink, /^http:\/\/localhost:8080\/sign-in\/first\/[\w-]{43}$/)
    t.strictSame(await bootstrap(app), { ...first, signInLink: null }, 'a link is made once')
    t.strictSame(await counts(), [1, 1, 1, 1])
    const stored = JSON.stringify(await app.db.select((k) => k.selectFrom('api_keys').selectAll()))
    t.notOk(stored.includes(first.apiKey), 'only its hash is stored')
    const users = await app.db.select((k) => k.selectFrom('users').select('email'))
    t.strictSame(users, [{ email: 'owner@watchpost.localhost' }], 'an address as everybody checks them')
  },
)

eachEngine('the environment overrides', async (t, install) => {
  const given = {
    BOOTSTRAP_ACCOUNT_ID: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
    BOOTSTRAP_API_KEY: 'a-key-of-more-than-20-characters',
    BOOTSTRAP_AGENT_KEY: `pl_${'a'.repeat(32)}`,
  }
  const { app, counts } = await install(given)
  t.match(await bootstrap(app), {
    accountId: given.BOOTSTRAP_ACCOUNT_ID,
    apiKey: given.BOOTSTRAP_API_KEY,
    agentKey: given.BOOTSTRAP_AGENT_KEY,
  })
  t.strictSame(await counts(), [1, 1, 1, 1])
})

eachEngine('an account that the store does not have is refused, and does not appear', async (t, install) => {
  const { app, counts, file } = await install()
  const { accountId } = await bootstrap(app)
  const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
  const settings = { ...app.config.bootstrap, accountId: id }
  const refused = { name: 'UnusableStoreError', message: `BOOTSTRAP_ACCOUNT_ID names the account ${id}` }
  await t.rejects(bootstrap({ ...app, config: { ...app.config, bootstrap: settings } }), refused)
  const kept = await readFile(file, 'utf8')
  await writeFile(file, kept.replace(accountId, id))
  await t.rejects(bootstrap(app), /bootstrap\.json names the account/)
  t.strictSame(await counts(), [1, 1, 1, 1])
  await writeFile(file, kept.replace(accountId, id).replace('true', 'false'))
  t.equal((await bootstrap(app)).accountId, accountId, 'a start that another has overtaken takes its account')
  await writeFile(file, kept)
  t.equal((await bootstrap(app)).accountId, accountId)
})

eachEngine('a start that was killed half-way is finished by the next one', async (t, install) => {
  const { app, counts } = await install()
  const dying = { ...app, db: { ...app.db, transaction: () => Promise.reject(new Error('killed')) } }
  await t.rejects(bootstrap(dying), /killed/)
  t.strictSame(await counts(), [0, 0, 0, 0])
  await bootstrap(app)
  t.strictSame(await counts(), [1, 1, 1, 1])
})

eachEngine(
  'a lost file on an existing store: a new key for the same account, and a note',
  async (t, install) => {
    const { app, counts, file } = await install()
    const first = await bootstrap(app)
    await rm(file)
    const second = await bootstrap(app)
    t.equal(second.accountId, first.accountId)
    t.not(second.apiKey, first.apiKey)
    t.match(second.notes, [/bootstrap\.json was missing/])
    t.strictSame(await counts(), [1, 2, 1, 2])
  },
)

eachEngine('a key that was taken away is not brought back', async (t, install) => {
  const { app, counts } = await install()
  await bootstrap(app)
  await app.db.execute((k) => k.deleteFrom('location_keys'))
  await app.db.execute((k) => k.deleteFrom('api_keys'))
  await bootstrap(app)
  t.strictSame(await counts(), [1, 0, 1, 0])
})

eachEngine('a broken file is named, not overwritten', async (t, install) => {
  const { app, file, dataDir } = await install()
  await bootstrap(app)
  await writeFile(file, 'half a fi')
  await t.rejects(bootstrap(app), /bootstrap\.json is not valid JSON/)
  t.equal(await readFile(file, 'utf8'), 'half a fi')
  const keys = ownEncryptionKeys(dataDir, app.randomBytes)()
  t.equal(keys.length, 1)
  t.same(ownEncryptionKeys(dataDir, app.randomBytes)(), keys, 'made once')
  t.equal((await stat(join(dataDir, 'encryption-key'))).mode & 0o777, 0o600)
})
