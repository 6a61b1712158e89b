// Runs in test:all only: it starts the operator's program dozens of times.
// Runs on both engines in test:all: rows of many tables are deleted.
import { resolve } from 'node:path'
import t from 'tap'
import { readInvocation } from '../../../control-plane/admin/arguments.ts'
import { type Context, type Outcome, RefusedError, UsageError } from '../../../control-plane/admin/command.ts'
import { commands } from '../../../control-plane/admin/commands.ts'
import { ApiError } from '../../../control-plane/platform/words/errors.ts'
import { agentPaths } from '../../../protocol/agent-api.ts'
import { adminHere } from '../../support/admin-here.ts'
import { adminOf } from '../../support/admin-program.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { engineNames } from '../../support/databases.ts'
import { accountId, endsWith, scratchFolder, startControlPlane } from '../../support/programs.ts'

/** The commands on the store of a running API, in this process: a process each costs a hundred times as much. */
const commandsOn = ({ app }: TestApp) => {
  const context: Context = {
    config: app.config,
    open: async () => app,
    keys: () => [],
    now: () => app.clock.now(),
    randomBytes: (size) => app.randomBytes(size),
    sleep: async () => undefined,
    progress: () => undefined,
    file: (path) => resolve(path),
  }
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
  return async (...words: string[]): Promise<Outcome & { json: any }> => {
    const invocation = readInvocation(commands, words)
    if (invocation.kind !== 'run') throw new Error('These words only ask for help')
    return invocation.command.run(context, invocation.args)
  }
}

const nobody = '00000000-0000-4000-8000-000000000000'

for (const engine of engineNames)
  t.test(`the operator makes accounts, members and keys (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { call } = service
    const admin = commandsOn(service)
    const account: string = (await admin('account', 'create', 'Shop')).json.id
    const words = ['--account', account, '--email', 'Ada@Example.com']
    const added = await admin('member', 'add', ...words, '--name', 'Ada', '--role', 'OWNER')
    t.match(added.json, { accountId: account, email: 'ada@example.com', role: 'OWNER', name: 'Ada' })

    const user = (await admin('key', 'create', ...words, '--name', 'laptop')).json
    const bot = ['--account', account, '--service', '--role', 'READ_ONLY', '--name', 'bot']
    const { lines, json } = await admin('key', 'create', ...bot)
    t.equal(lines.at(-1), json.rawKey, 'the last line is the key')
    t.match(json.rawKey, /^wp_[\w-]{43}$/)
    t.equal((await call('GET', '/v1/accounts/me', { key: user.rawKey })).body.id, account)
    t.equal((await call('GET', '/v1/accounts/me/members', { key: json.rawKey })).body.length, 1)
    const change = { body: { name: 'x' } }
    t.equal((await call('PATCH', '/v1/accounts/me', { ...change, key: json.rawKey })).status, 403)
    t.equal((await call('PATCH', '/v1/accounts/me', { ...change, key: user.rawKey })).status, 200)

    const list = (await admin('account', 'list')).json
    t.match(list.at(-1), { id: account, members: 1, checks: 0 })
    t.equal(list.length, 2, 'beside the first account')
    const keys = await admin('key', 'list', '--account', account)
    t.equal(keys.json.length, 2)
    t.notOk(JSON.stringify(keys).includes(user.rawKey))

    await admin('key', 'revoke', user.id)
    service.advance(5000)
    t.equal((await call('GET', '/v1/accounts/me', { key: user.rawKey })).status, 401)

    const refusals: Array<[string[], RegExp]> = [
      [
        ['member', 'add', ...words, '--role', 'ADMIN'],
        /ada@example.com is a user already: add --existing-user/,
      ],
      [['member', 'add', ...words, '--role', 'ADMIN', '--existing-user'], /member already/],
      [['key', 'create', '--account', account, '--email', 'x@example.com', '--name', 'n'], /not a member/],
      [['key', 'list', '--account', nobody], /there is no account/],
      [['key', 'revoke', user.id], /no working key/],
      [['location-key', 'create', '--location', 'moon'], /"moon" is neither/],
    ]
    for (const [line, because] of refusals) {
      const error = await admin(...line).catch((reason: unknown) => reason)
      t.ok(error instanceof RefusedError || error instanceof ApiError, line.join(' '))
      t.match((error as Error).message, because)
    }
    const misuses: string[][] = [
      ['key', 'create', '--account', account, '--name', 'n'],
      ['key', 'create', '--account', account, '--name', 'n', '--service'],
      ['key', 'create', ...words, '--name', 'n', '--service', '--role', 'ADMIN'],
      ['key', 'create', ...words, '--name', 'n', '--role', 'ADMIN'],
      ['key', 'list', '--account', 'shop'],
      ['member', 'add', '--account', account, '--email', 'ada', '--role', 'ADMIN'],
      ['account', 'create', ' '],
      ['key', 'revoke', 'k'],
    ]
    for (const line of misuses) await t.rejects(admin(...line), UsageError, line.join(' '))

    const existing = ['--email', 'ada@example.com', '--role', 'READ_RUN', '--existing-user']
    const again = await admin('member', 'add', '--account', service.accountId, ...existing)
    t.equal(again.json.userId, added.json.userId, 'the same user in another account')
  })

for (const engine of engineNames)
  t.test(`keys of locations: public by code, private by slug, two at most (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const admin = commandsOn(service)
    const open = await admin('location-key', 'create', '--location', 'eu-west-1')
    t.match(open.json.rawKey, /^pl_[0-9a-f]{32}$/)
    const own = await admin('location-key', 'create', '--location', 'local')
    await t.rejects(admin('location-key', 'create', '--location', 'local'), { message: /two/ })
    const asks = (key: string) => service.call('POST', agentPaths.claim, { key, body: {} })
    t.equal((await asks(open.json.rawKey)).status, 400, 'the key opens, the body is what is wrong')
    t.equal((await asks(own.json.rawKey)).status, 400)
    t.equal((await asks(`pl_${'0'.repeat(32)}`)).status, 401)
  })

t.test('beside a running control plane, in a process of its own', async (t) => {
  const dataDir = await scratchFolder(t)
  const admin = adminOf({ DATA_DIR: dataDir })
  const service = endsWith(t, await startControlPlane({ dataDir }))
  const made = await admin(
    'key',
    'create',
    '--account',
    accountId,
    '--email',
    'owner@watchpost.localhost',
    '--name',
    'mine',
  )
  t.equal(made.exitCode, 0, made.stderr)
  const key = made.stdout.trim().split('\n').at(-1)
  const answer = await fetch(`${service.url}/v1/accounts/me`, { headers: { authorization: `Bearer ${key}` } })
  t.equal(answer.status, 200, 'the first owner is a user')

  const refused = await admin('key', 'revoke', nobody, '--json')
  t.match(refused, { exitCode: 1, stderr: /no working key/, json: { problems: [/no working key/] } })
  const misused = await admin('key', 'create', '--role', 'ROOT', '--json')
  t.equal(misused.exitCode, 2)
  t.equal(misused.json.problems.length, 3, 'every problem is named')
  const broken = await adminHere({ DATA_DIR: dataDir, PORT: 'x', LOG_LEVEL: 'loud' })('account', 'list')
  t.match([broken.exitCode, broken.stderr], [2, /PORT[\s\S]*LOG_LEVEL/])
  const check = await adminHere({ DATA_DIR: dataDir })('check', '--json')
  t.match(check, { exitCode: 0, json: { problems: [], counts: { accounts: 1, users: 1, memberships: 1 } } })
})
