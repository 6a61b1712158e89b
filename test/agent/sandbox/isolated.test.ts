// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a process for each of many hostile scripts.
/** Scripts as locations run them, in the isolation of this machine, with one port as their way out. */

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import { CannotRun } from '../../../agent/base/cannot-run.ts'
import { createEgressProxies, type OpenEgressProxy } from '../../../agent/egress-proxy/egress-proxy.ts'
import { agentIo } from '../../support/agent-io.ts'
import { attemptsRoom, letChildrenThrough } from '../../support/attempts.ts'
import { installed, manifest, runtimeOf } from '../../support/runtime-folder.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const leftFolders = (): string[] =>
  readdirSync(tmpdir()).filter((name) => name.startsWith('watchpost-script-'))

/** A sandbox in isolation that counts its egress proxies, and a server that answers. */
const isolated = async (t: Test, change: Parameters<typeof agentIo>[0] = {}) => {
  const target = await httpServer(t, ({ url }, response) => response.end(`answer to ${url}`))
  const ports = { opened: 0, closed: 0 }
  const open = createEgressProxies()
  const openEgressProxy: OpenEgressProxy = async () => {
    const egressProxy = await open()
    ports.opened += 1
    const close = async (): Promise<void> => {
      await egressProxy.close()
      ports.closed += 1
    }
    return { ...egressProxy, close }
  }
  const io = agentIo({ isolated: true, openEgressProxy, ...change })
  t.teardown(() => io.endScripts())
  const { layers } = await io.isolation.status()
  return { io, run: runScriptWith(io), target, ports, layers }
}

t.test('a script does its work: variables, snippets, log, body, and the way out', async (t) => {
  const { run, target, ports } = await isolated(t)
  const { problem, changes, lines } = await run(
    `const { base } = require('./snippets/base.js')
request.headers.signature = require('crypto').createHmac('sha256', process.env.KEY).update('x').digest('hex')
process.env.TOKEN = await (await fetch('${target.origin}/token')).text()
console.log('base', base, process.cwd(), Object.keys(process.env).join())`,
    {
      snippets: [{ name: 'base', code: 'exports.base = 41' }],
      variables: new Map([['KEY', 'k']]),
    },
  )
  t.equal(problem, null)
  t.match(changes, {
    variables: { TOKEN: 'answer to /token' },
    request: { headers: { signature: /^[0-9a-f]{64}$/ } },
  })
  t.same(lines, ['INFO base 41 / KEY,TOKEN'])
  t.same(ports, { opened: 1, closed: 1 })
  t.same(leftFolders(), [])
})

t.test('a script may ask how much memory it uses', async (t) => {
  const { run } = await isolated(t)
  const { problem, lines } = await run(
    'const { rss, heapUsed } = process.memoryUsage(); console.log(rss > heapUsed && process.memoryUsage.rss() > 1e6)',
  )
  t.same([problem, lines], [null, ['INFO true']])
})

t.test('packages may ask for processors, networks and users', async (t) => {
  const code = `const os = require('os')
const { username, uid, homedir } = os.userInfo()
exports.facts = [os.cpus().length === os.availableParallelism(), Object.keys(os.networkInterfaces()), username !== '', uid >= 0, homedir !== '']`
  const files = { 'asks/package.json': manifest('asks'), 'asks/index.js': code, ...installed }
  const runtimesFolder = runtimeOf(t, ['asks'], files)
  // For users of their own.
  chmodSync(runtimesFolder, 0o755)
  const { run } = await isolated(t, { runtimesFolder })
  const { problem, lines } = await run("console.log(JSON.stringify(require('asks').facts))")
  t.same([problem, lines], [null, ['INFO [true,["lo"],true,true,true]']])
})

/** The ways round the hooks that were found, each as a script that needs no native code of its own. */
const bypasses = (facts: {
  port: number
  udp: number
  socket: string
  database: string
}): [string, string][] => [
  [
    'a lookup table of the guard overwritten',
    `Map.prototype.get = () => true; await fetch('http://127.0.0.1:${facts.port}/map')`,
  ],
  [
    'String overwritten',
    `globalThis.String = () => '192.0.2.1'; await fetch('http://127.0.0.1:${facts.port}/string')`,
  ],
  [
    'the block list overwritten',
    `require('http').Agent.prototype.addRequest = require('http').globalAgent.constructor.prototype.addRequest; const { BlockList } = require('net'); BlockList.prototype.check = () => false; await fetch('http://127.0.0.1:${facts.port}/list')`,
  ],
  [
    'another resolver',
    `const { Resolver } = require('dns'); const r = new Resolver(); Object.getPrototypeOf(Object.getPrototypeOf(r)).setServers?.call(r, ['127.0.0.1:${facts.udp}']); await new Promise((done, fail) => r.resolve4('canary.example', (e, a) => e ? fail(e) : done(a)))`,
  ],
  [
    'a lookup of its own',
    `await new Promise((done, fail) => require('http').get({ host: 'x.example', port: ${facts.port}, lookup: (n, o, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) }, done).on('error', fail))`,
  ],
  [
    'tls to the port',
    `await new Promise((done, fail) => require('tls').connect(${facts.port}, '127.0.0.1', done).on('error', fail))`,
  ],
  [
    'a local socket',
    `await new Promise((done, fail) => require('http').get({ socketPath: '${facts.socket}' }, done).on('error', fail))`,
  ],
  [
    'a local socket with the prototype put back',
    `const { connect } = require('http').Agent.prototype.createConnection; await new Promise((done, fail) => require('http').get({ agent: false, createConnection: () => connect({ path: '${facts.socket}' }) }, done).on('error', fail))`,
  ],
  [
    'the module loader itself',
    `const { DatabaseSync } = require.main.constructor._load('node:sqlite'); new DatabaseSync('${facts.database}').exec("insert into keys values ('mine')")`,
  ],
  [
    'the constructor of functions',
    `const p = (async () => {}).constructor('return process')(); const { DatabaseSync } = (await p).getBuiltinModule('node:sqlite'); new DatabaseSync('${facts.database}')`,
  ],
]

t.test('what gets round the hooks is refused by a layer of the isolation', async (t) => {
  const { run, layers } = await isolated(t, { blockedNetworks: ['127.0.0.0/8', '::1'] })
  const folder = mkdtempSync('/tmp/watchpost-test-')
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const reached: string[] = []
  const target = await httpServer(t, ({ url }, response) => {
    reached.push(String(url))
    response.end()
  })
  const local = createServer((socket) => {
    reached.push('local socket')
    socket.destroy()
  })
  const socket = join(folder, 'engine.sock')
  await new Promise<void>((resolve) => local.listen(socket, resolve))
  t.teardown(() => local.close())
  const names = createSocket('udp4', () => reached.push('name server'))
  names.bind(0, '127.0.0.1')
  await once(names, 'listening')
  t.teardown(() => names.close())
  const database = join(folder, 'watchpost.db')
  const db = new DatabaseSync(database)
  db.exec('create table keys (key text)')
  const facts = { port: target.port, udp: names.address().port, socket, database }
  const list = bypasses(facts)
  for (const [name, code] of list) t.not((await run(code)).problem, null, name)
  if (layers.includes('tcp') && layers.includes('seccomp')) t.same(reached, [])
  t.same(db.prepare('select * from keys').all(), [], 'nobody wrote a key')
  t.comment(`${list.length} ways tried by scripts`)
})

t.test(
  'the database of `npm start` is out of reach of a script, and of code that is past Node’s permissions',
  async (t) => {
    const { run, layers } = await isolated(t)
    const data = temporaryFolder(t)
    const path = join(data, 'watchpost.db')
    const db = new DatabaseSync(path)
    db.exec("create table api_keys (hash text, role text); insert into api_keys values ('h', 'owner')")
    const write = `new DatabaseSync(${JSON.stringify(path)}).exec("insert into api_keys values ('mine', 'owner')")`
    const byLoader = await run(
      `const { DatabaseSync } = require.main.constructor._load('node:sqlite')\n${write}`,
    )
    t.not(byLoader.problem, null)
    const room = attemptsRoom(t)
    for (const owner of [true, false]) {
      const code = `const { DatabaseSync } = require('node:sqlite'); ${write}; return 'written'`
      const outcomes = await room.run([{ name: 'database', code }], { owner })
      if (layers.includes('files')) t.match(outcomes.get('database'), /unable to open database file/)
    }
    if (layers.includes('files'))
      t.match(db.prepare('select count(*) as keys from api_keys').get(), { keys: 1 })
  },
)

t.test('prepared processes wait for scripts, are used once, and end with the agent', async (t) => {
  const { io, run, ports } = await isolated(t, { preparedScripts: 1 })
  const pid = `console.log(require('crypto') && process.env.KEY)`
  t.equal((await run(pid, { variables: new Map([['KEY', '1']]) })).lines[0], 'INFO 1')
  await until('one is prepared', () => ports.opened === 2)
  await until('its folder', () => leftFolders().length === 1)
  const [first] = leftFolders()
  t.equal((await run(pid, { variables: new Map([['KEY', '2']]) })).lines[0], 'INFO 2')
  await until('the next one is prepared', () => ports.opened === 3 && leftFolders().length === 1)
  t.not(leftFolders()[0], first, 'each has its own folder')
  await io.endScripts()
  t.same(leftFolders(), [])
  t.same(ports, { opened: 3, closed: 3 })
  t.equal((await run(pid)).problem, null, 'a late script starts a process of its own')
  t.same(leftFolders(), [])
})

t.test('SCRIPT_ISOLATION=required runs nothing where a layer is missing', async (t) => {
  const script = 'console.log("ran")'
  const without = agentIo({ scriptIsolation: 'required' })
  await t.rejects(runScriptWith(without)(script), {
    name: CannotRun.name,
    message: /machine lacks isolation of user code: Landlock's for files/,
  })
  const { io, layers } = await isolated(t, { scriptIsolation: 'required' })
  const necessary = ['files', 'tcp', 'scopes', 'seccomp'] as const
  if (necessary.every((name) => layers.includes(name)))
    t.same((await runScriptWith(io)(script)).lines, ['INFO ran'])
  else await t.rejects(runScriptWith(io)(script), { name: 'CannotRun' })
})
