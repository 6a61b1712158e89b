// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a process for each of many hostile scripts.
/** Scripts that mean harm, or behave as if they did. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { agentIo } from '../../support/agent-io.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

const run = runScriptWith(agentIo({ isolated: true }))

t.test('an endless loop is stopped after ten seconds, and others go on beside it', async (t) => {
  const tenSeconds = heldTimer(10_000)
  const run = runScriptWith(agentIo({ scriptClock: tenSeconds.clock }))
  const loop = run('process.stdout.write("loops"); for (;;);')
  const beside = await run('process.env.A = 1')
  t.equal(beside.problem, null, 'the other one did not wait for it')
  await until('the time that the loop has', () => tenSeconds.waiting() === 1)
  tenSeconds.pass()
  t.equal((await loop).problem, 'The setup script of the check was stopped: it took longer than 10 seconds')
})

t.test('memory is bounded, on the heap and beside it', async (t) => {
  const limit =
    'The setup script of the check was stopped: it used more than its 320 MB of memory (measured by the agent)'
  const heap = await run('const all = []; for (;;) all.push(new Array(1000).fill({}))')
  t.equal(heap.problem, limit)
  t.same(heap.lines, [])
  const beside = await run(
    'const all = []; for (;;) { all.push(Buffer.alloc(10_000_000, 1)); await new Promise((done) => setTimeout(done, 5)) }',
  )
  t.equal(beside.problem, limit)
})

t.test('files, processes and other parts of the machine are out of reach', async (t) => {
  const file = join(temporaryFolder(t), 'spooled')
  writeFileSync(file, 'canary')
  const modules = ['fs', 'node:fs/promises', 'child_process', 'worker_threads', 'net', 'os', 'vm', 'module']
  const names = [...modules, 'process', 'inspector', 'cluster', 'dgram', 'http2', 'v8', 'node:sqlite']
  const { lines } = await run(`for (const name of ${JSON.stringify(names)})
  for (const load of [async () => require(name), () => import(name)])
    await load().then(() => console.log('loaded', name), ({ message }) => console.log(name, message))`)
  t.same(
    lines,
    names.flatMap((name) => {
      const refused = `INFO ${name} The module "${name}" is not available to setup scripts`
      return [refused, refused]
    }),
  )
  for (const name of names)
    t.match(
      (await run(`import all from '${name}'`)).problem,
      /The module ".*" is not available to setup scripts$/,
      name,
    )
  for (const path of ['/etc/passwd', file, '/proc/self/environ', '../../etc/passwd'])
    for (const load of [`require('${path}')`, `import '${path}'`])
      t.match((await run(load)).problem, /There is no snippet/, load)
  for (const code of [
    'process.kill(1)',
    'process.binding("fs")',
    'process.getBuiltinModule("fs")',
    'process.dlopen({}, "x")',
    'process.constructor.constructor("return process")().kill(1, 0)',
    'require("module")._load("child_process")',
    'require.main.constructor._load("child_process")',
    'new WebAssembly.Memory({ initial: 1 }).grow(70000)',
    'require("tls").connect({ path: "/run/some.sock" })',
    'require("http").get({ socketPath: "/run/some.sock" })',
    'require("dns").setServers(["192.0.2.1"])',
    'new (require("dns").Resolver)().setServers(["192.0.2.1"])',
  ])
    t.not((await run(code)).problem, null, code)
})

t.test('nothing of the agent’s own is in the child', async (t) => {
  process.env['CANARY_KEY'] = 'canary-of-the-agent'
  t.teardown(() => delete process.env['CANARY_KEY'])
  const { lines, changes } = await run(
    'console.log(JSON.stringify([process.env, process.argv, process.cwd()]))',
    {
      variables: new Map([['MINE', 'x']]),
    },
  )
  t.same(lines, ['INFO [{"MINE":"x"},["node"],"/"]'])
  t.same(changes?.variables, {})
  const options = await run('console.log(1)', {
    variables: new Map([
      ['NODE_OPTIONS', '--nonsense'],
      ['LD_PRELOAD', '/nonsense'],
    ]),
  })
  t.same(options.lines, ['INFO 1'], 'variables mean nothing to Node')
})

t.test('ten megabytes of console are cut, with a note', async (t) => {
  const text = 'x'.repeat(10_000)
  const code = `for (let i = 0; i < 1000; i += 1) console.log('${text}')`
  const { problem, lines } = await run(code)
  t.equal(problem, null)
  t.ok(lines.join('').length < 50_000)
  t.equal(lines.at(-1), 'WARN What the script printed after this is not kept')
  t.equal((await run('process.stdout.write("bare")')).lines[0], 'INFO bare')
})

t.test('the egress policy holds for every connection of a script', async (t) => {
  const seen: string[] = []
  const { origin, port } = await httpServer(t, (request, response) => {
    seen.push(String(request.url))
    response.end()
  })
  const guarded = runScriptWith(agentIo({ isolated: true, blockedNetworks: ['127.0.0.0/8', '::1'] }))
  const attempts = [
    `await fetch('${origin}/1')`,
    `await fetch('http://localhost:${port}/2')`,
    `await fetch('http://[::ffff:127.0.0.1]:${port}/3')`,
    `await new Promise((done, fail) => require('http').get('${origin}/4', done).on('error', fail))`,
    `await new Promise((done, fail) => require('http').get({ port: ${port}, host: 'x.example',
  lookup: (name, options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) }, done).on('error', fail))`,
    `await new Promise((done, fail) => require('tls').connect(${port}, '127.0.0.1', done).on('error', fail))`,
  ]
  for (const code of attempts) {
    const { problem, lines } = await guarded(code)
    t.not(problem, null, code)
    t.match(
      lines.join(),
      /\S+ may not be reached: the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it/,
      code,
    )
  }
  t.same(seen, [])
  t.equal((await run(`await fetch('${origin}/free')`)).problem, null)
  const listening = await run(
    'await new Promise((done, fail) => require("http").createServer().on("error", fail).listen(0, done))',
  )
  t.match(listening.problem, /EACCES/)
})
