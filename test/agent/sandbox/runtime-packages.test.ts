// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a process for each of many scripts.
/** What scripts get of the packages of their runtime, with a runtime of packages that this test writes. */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t from 'tap'
import { agentIo } from '../../support/agent-io.ts'
import { greetings, installed, manifest, runtimeOf } from '../../support/runtime-folder.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const runWith = (runtimesFolder: string, blockedNetworks: string[] = []) =>
  runScriptWith(agentIo({ runtimesFolder, blockedNetworks }))

t.test('packages are loaded by require and import, by scripts, snippets and each other', async (t) => {
  const folder = runtimeOf(t, ['greet', '@scope/modern'], { ...greetings, ...installed })
  const run = runWith(folder)
  const { problem, lines } = await run(
    `console.log(require('greet').greet('ann'), (await import('greet')).default.greet('bob'))
console.log(require('@scope/modern').shout('a'), (await import('@scope/modern/part')).part)
console.log(require('./snippets/shared.js').text)`,
    { snippets: [{ name: 'shared', code: "exports.text = require('greet').greet('cy')" }] },
  )
  t.equal(problem, null)
  t.same(lines, ['INFO Hello ANN Hello BOB', 'INFO A! a part', 'INFO Hello CY'])
  t.ok(
    existsSync(join(folder, '2026-04/node_modules/greet/index.js')),
    'the link goes, what it leads to stays',
  )
})

t.test('what is not in the runtime fails with a sentence', async (t) => {
  const run = runWith(runtimeOf(t, ['greet', '@scope/modern'], { ...greetings, ...installed }))
  const cases: [string, string][] = [
    ['other', 'There is no package "other" for setup scripts in the runtime 2026.04'],
    ['casing', 'There is no package "casing" for setup scripts in the runtime 2026.04'],
    ['greet/nothing', 'There is no "greet/nothing" in the runtime 2026.04'],
    ['@scope/modern/inner', 'There is no "@scope/modern/inner" in the runtime 2026.04'],
  ]
  for (const [name, sentence] of cases)
    for (const load of [`require('${name}')`, `await import('${name}')`])
      t.ok((await run(load)).problem?.endsWith(`: ${sentence}`), load)
  t.match(
    (await run("require('greet')", { runtimeId: '2024.09' })).problem,
    /The package "greet" of the runtime 2024\.09 is not installed on this agent$/,
  )
})

t.test('packages that nobody installed are named with what installs them, and the rest works', async (t) => {
  for (const files of [{}, greetings]) {
    const run = runWith(runtimeOf(t, ['greet'], files))
    t.match(
      (await run("require('greet')")).problem,
      /The package "greet" of the runtime 2026\.04 is not installed on this agent; "npm run runtime 2026-04" installs it$/,
    )
    t.equal((await run("require('crypto')")).problem, null)
  }
})

t.test('packages that are installed while the agent runs are there for the next script', async (t) => {
  const folder = runtimeOf(t, ['greet'], greetings)
  const run = runWith(folder)
  t.not((await run("require('greet')")).problem, null)
  writeFileSync(join(folder, '2026-04/node_modules/.package-lock.json'), '{}')
  t.equal((await run("require('greet')")).problem, null)
})

t.test('an agent takes scripts of the runtimes that it has a folder for', async (t) => {
  const folder = runtimeOf(t, [], {})
  const offered = () => agentIo({ runtimesFolder: folder }).offeredRuntimes().runtimeIds
  mkdirSync(join(folder, '2025-04'))
  mkdirSync(join(folder, 'notes'))
  t.same(offered(), ['2026.04'])
  writeFileSync(join(folder, '2025-04/package.json'), manifest('older'))
  t.same(offered(), ['2026.04', '2025.04'])
  rmSync(folder, { recursive: true })
  t.same(offered(), [], 'an image may come without any')
})

t.test('a runtime for migrations is offered once it is installed, while the agent runs', async (t) => {
  const folder = runtimeOf(t, ['playwright'], {})
  const modules = join(folder, '2024-09/node_modules')
  mkdirSync(modules, { recursive: true })
  writeFileSync(join(folder, '2024-09/package.json'), manifest('old', { dependencies: { playwright: '1' } }))
  const io = agentIo({ runtimesFolder: folder })
  t.same(io.offeredRuntimes(), { runtimeIds: ['2026.04'], playwrightRuntimeIds: [] })
  writeFileSync(join(modules, '.package-lock.json'), '{}')
  t.same(io.offeredRuntimes(), { runtimeIds: ['2026.04', '2024.09'], playwrightRuntimeIds: ['2024.09'] })
})

t.test('a package reaches no more of the machine than its script', async (t) => {
  const canary = join(temporaryFolder(t), 'spooled')
  writeFileSync(canary, 'canary')
  const folder = runtimeOf(t, ['reach'], {
    'reach/package.json': manifest('reach'),
    'reach/index.js': `exports.attempts = {
  own: () => require('fs').readFileSync(__filename, 'utf8').length,
  read: (path) => require('fs').readFileSync(path),
  write: () => require('fs').writeFileSync(__filename, ''),
  manifest: () => require('fs').readFileSync(__dirname + '/../../package.json'),
  spawn: () => require('child_process').spawnSync('/bin/true'),
  thread: () => new (require('worker_threads').Worker)('0', { eval: true }),
  datagram: () => require('dgram').createSocket('udp4'),
  datagram2: () => new (require('dgram').Socket)('udp4'),
  local: () => new (require('net').Socket)().connect('/run/some.sock'),
  listen: () => require('net').createServer().listen(0),
  listenLocally: (path) => require('http').createServer().listen(path + '.sock'),
  priority: () => require('os').setPriority(0, 5),
  kill: () => require('process').kill(1, 0),
  inspect: () => require('inspector').open(0),
}`,
    ...installed,
  })
  const run = runWith(folder)
  const { lines } = await run(`for (const [name, attempt] of Object.entries(require('reach').attempts)) {
  try { attempt('${canary}'); console.log(name) } catch { }
}`)
  t.same(lines, ['INFO own'])
  t.same(readdirSync(dirname(canary)), ['spooled'])
})

t.test('the egress policy holds for connections that packages open', async (t) => {
  let requests = 0
  const { origin, port } = await httpServer(t, (_, response) => {
    requests += 1
    response.end('answer')
  })
  const folder = runtimeOf(t, ['opens'], {
    'opens/package.json': manifest('opens'),
    'opens/index.js': `const once = (start) => new Promise((done, fail) => start(done).on('error', fail))
exports.ways = [
  () => once((done) => require('net').connect(${port}, '127.0.0.1', done)),
  () => once((done) => new (require('net').Socket)().connect({ port: ${port}, host: 'localhost' }, done)),
  () => once((done) => require('http').get('${origin}', done)),
  () => once((done) => require('http2').connect('${origin}').on('connect', done)),
]`,
    ...installed,
  })
  const code = (way: number) => `await require('opens').ways[${way}]()`
  for (const way of [0, 1, 2, 3]) {
    const refused = await runWith(folder, ['127.0.0.0/8', '::1'])(code(way))
    t.not(refused.problem, null, code(way))
    t.match(refused.lines.join(), /may not be reached: the agent's BLOCKED_NETWORKS/, code(way))
  }
  t.equal(requests, 0)
  for (const way of [0, 1, 2, 3]) t.equal((await runWith(folder)(code(way))).problem, null, code(way))
  t.equal(requests, 1)
})

t.test('no private folder is left behind', async (t) => {
  process.env['TMPDIR'] = temporaryFolder(t)
  const run = runWith(runtimeOf(t, ['greet'], { ...greetings, ...installed }))
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('watchpost-script-'))
  t.equal((await run("require('greet')")).problem, null)
  t.same(
    readdirSync(tmpdir()).filter((name) => name.startsWith('watchpost-script-')),
    before,
  )
})
