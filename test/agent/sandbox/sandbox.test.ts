// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a process for each of many scripts.
import { EventEmitter } from 'node:events'
import { readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import t from 'tap'
import { CannotRun } from '../../../agent/base/cannot-run.ts'
import { DeadlinePassed, RunCancelled } from '../../../agent/base/deadline.ts'
import { agentIo } from '../../support/agent-io.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

const run = runScriptWith(agentIo())

// Tests of other files have private folders at the same time.
process.env['TMPDIR'] = temporaryFolder(t)

t.test(
  'a script changes its request and its variables; what it left alone is not in the answer',
  async (t) => {
    const { changes, lines } = await run(
      `const { createHmac } = require('crypto')
request.method = 'POST'
request.headers['x-number'] = 1
delete request.headers.gone
request.queryParameters = { page: 2, none: null }
request.body = { a: [1] }
request.headers.signature = createHmac('sha256', process.env.KEY).update(request.url).digest('hex')
process.env.TOKEN = 12
delete process.env.OLD
await new Promise((resolve) => setTimeout(resolve, 5))
console.log('signed %s', request.url, { with: ['care'] })
console.debug('d'); console.warn('w'); console.error('e')`,
      {
        variables: new Map([
          ['KEY', 'key'],
          ['OLD', 'old'],
        ]),
        request: {
          method: 'GET',
          url: 'https://a.example/',
          headers: { gone: '1' },
          queryParameters: {},
          body: '',
        },
      },
    )
    t.match(changes, {
      request: {
        method: 'POST',
        headers: { 'x-number': '1', signature: /^[0-9a-f]{64}$/ },
        queryParameters: { page: '2' },
        body: '{"a":[1]}',
      },
      variables: { TOKEN: '12', OLD: null },
    })
    t.notHas(changes?.request, { url: String })
    t.notHas(changes?.request.headers, { gone: String })
    t.same(lines, ["INFO signed https://a.example/ { with: [ 'care' ] }", 'DEBUG d', 'WARN w', 'ERROR e'])
  },
)

t.test('a teardown script reads the response and may change its body, and nothing else', async (t) => {
  const response = {
    status: 201,
    statusCode: 201,
    statusText: 'Created',
    headers: { 'x-a': '1' },
    timings: { socket: 0, lookup: 1, connect: 2, secureConnect: null, response: 3, end: 4 },
    timingPhases: { wait: 0, dns: 1, tcp: 1, tls: null, firstByte: 1, download: 1, total: 4 },
  }
  const body = { bytes: Buffer.from('gr\xfc\xdfe', 'latin1'), contentType: 'text/plain; charset=iso-8859-1' }
  const { changes, lines } = await run(
    `console.log(response.statusCode, response.status, response.statusText, response.headers['x-a'],
  response.timings.end, response.timingPhases.total, response.body)
response.body = response.body.toUpperCase()
response.statusCode = 500
request.url = 'https://elsewhere.example'`,
    { phase: 'teardown', response, body },
  )
  t.same(lines, ['INFO 201 201 Created 1 4 4 grüße'])
  t.same(changes, { request: {}, responseBody: 'GRÜSSE', variables: {} })
  const utf16 = { bytes: Buffer.from('\ufeffgrüße', 'utf16le').swap16(), contentType: 'text/plain' }
  const marked = await run('console.log(response.body)', { phase: 'teardown', response, body: utf16 })
  t.same(marked.lines, ['INFO grüße'])
  const without = await run('console.log(typeof response)', { phase: 'teardown' })
  t.same(without.lines, ['INFO undefined'], 'a request without an answer has no response')
})

t.test('snippets are required by their names, from scripts and from each other', async (t) => {
  const snippets = [
    { name: 'sign in', code: "const { base } = require('./base.js'); module.exports = { a: base + 1 }" },
    { name: 'base', code: 'exports.base = 41' },
    { name: '100% über', code: 'exports.b = 1' },
  ]
  const { lines, problem } = await run(
    `console.log(require('./snippets/sign in.js').a, require('./base').base, require('./snippets/100% über.js').b,
  (await import('./snippets/base.js')).base)`,
    { snippets },
  )
  t.equal(problem, null)
  t.same(lines, ['INFO 42 41 1 41'])
  t.match((await run("require('./snippets/none.js')", { snippets })).problem, /There is no snippet "none"$/)
})

t.test('a script that fails says which it is, where and why', async (t) => {
  const cases: [string, RegExp][] = [
    ['\n\nthrow new Error("no token")', /^The setup script of the check failed at line 3: no token$/],
    ['\nboom()', /failed at line 2: ReferenceError: boom is not defined$/],
    ['throw "text"', /check failed: text$/],
    ['throw null', /check failed: null$/],
    ['const x =\n= 1', /failed at line 2: SyntaxError: Unexpected token '='$/],
    ['import x from "y"', /There is no package "y" for setup scripts in the runtime 2026\.04$/],
    [
      'setTimeout(() => { throw new Error("later") }); await new Promise(() => setTimeout(() => 0, 5000))',
      /later$/,
    ],
    ['Promise.reject(new Error("nobody")); await new Promise((done) => setTimeout(done, 100))', /nobody$/],
    [
      '\nPromise.reject(new Error("not awaited"))',
      /^The setup script of the check failed at line 2: not awaited$/,
    ],
    ['(async () => { boom() })()', /failed at line 1: ReferenceError: boom is not defined$/],
    ['Promise.reject("text")', /check failed: text$/],
    ['setTimeout(() => { throw new Error("in a timer") }, 0)', /failed at line 1: in a timer$/],
    ['setImmediate(() => { throw new Error("soon") })', /failed at line 1: soon$/],
    ['queueMicrotask(() => { throw new Error("queued") })', /failed at line 1: queued$/],
    ['await new Promise(() => {})', /it waits for something that never comes$/],
    ['process.exit(0)', /ended its process before it was done \(exit code 0\)$/],
    ['require("koa/lib")', /There is no package "koa" for setup scripts in the runtime 2026\.04$/],
    ['await import("@a/b/c")', /There is no package "@a\/b" for setup scripts in the runtime 2026\.04$/],
    ['request.body = "x".repeat(300_000)', /it changed more than the 256 KB that it may hand over$/],
    ['request = null', /TypeError/],
  ]
  for (const [code, problem] of cases) t.match((await run(code)).problem, problem, code)
})

t.test('fetch and timers work; lines of a script that goes on are not waited for', async (t) => {
  const { origin } = await httpServer(t, (_, response) => response.end('{"token":"t1"}'))
  const { changes } = await run(`const answer = await fetch('${origin}')
process.env.TOKEN = (await answer.json()).token
setTimeout(() => { process.env.TOKEN = 'late' }, 60_000)`)
  t.same(changes?.variables, { TOKEN: 't1' })
})

t.test('values that become secrets are told, also by a script that fails', async (t) => {
  const secretNames = ['TOKEN']
  const variables = new Map([['TOKEN', 'old']])
  const { hidden } = await run(
    `process.env.TOKEN = 'new'; process.env['SERVICE_' + 'SECRET_A'] = 5; process.env.OTHER = 'x'
throw new Error()`,
    { secretNames, variables },
  )
  t.same(hidden, ['new', '5'])
})

t.test(
  'scripts beyond the concurrency wait, and one whose time passes meanwhile could not run',
  async (t) => {
    const one = runScriptWith(agentIo({ scriptConcurrency: 1 }))
    const order: number[] = []
    const slow = 'await new Promise((done) => setTimeout(done, 200))'
    await Promise.all([1, 2, 3].map((n) => one(n === 1 ? slow : '').then(() => order.push(n))))
    t.same(order, [1, 2, 3])
    const first = one(slow)
    for (const [reason, expected] of [
      [new DeadlinePassed(10), CannotRun],
      [new RunCancelled(), RunCancelled],
    ] as const) {
      const controller = new AbortController()
      const waiting = one('', {}, controller)
      controller.abort(reason)
      await t.rejects(waiting, expected)
    }
    t.equal((await first).problem, null)
    t.equal((await one('')).problem, null, 'places are given back')
  },
)

t.test('a run that is cancelled ends its script at once', async (t) => {
  const called = new EventEmitter()
  const { origin } = await httpServer(t, (_, response) => response.end(() => called.emit('called')))
  for (const reason of [new RunCancelled(), new DeadlinePassed(200)]) {
    const controller = new AbortController()
    // Not before it runs: where a process starts slowly, a run that is cancelled has none yet.
    called.once('called', () => controller.abort(reason))
    const running = run(`await fetch('${origin}')\nfor (;;);`, {}, controller)
    if (reason instanceof RunCancelled) await t.rejects(running, RunCancelled)
    else t.match((await running).problem, /was stopped: the time of the whole run was up$/)
  }
})

t.test('an agent that cannot start processes says so, and it is nobody’s failure', async (t) => {
  const host = { execPath: '/nonexistent/node', kill: () => undefined }
  const broken = runScriptWith(agentIo({ host }))
  await t.rejects(broken(''), { name: 'CannotRun', message: /cannot start process.*ENOENT/ })
})

t.test('no folder is left behind', async (t) => t.same(readdirSync(tmpdir()), []))
