// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a process for each of many scripts.
import { tmpdir } from 'node:os'
import t from 'tap'
import { agentIo } from '../../support/agent-io.ts'
import { greetings, installed, manifest, runtimeOf } from '../../support/runtime-folder.ts'
import { runScriptWith } from '../../support/scripts.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

// Tests of other files have private folders at the same time.
process.env['TMPDIR'] = temporaryFolder(t)

const packages = {
  ...greetings,
  // Names that nobody finds by reading, as lodash has them.
  'hidden/package.json': manifest('hidden'),
  'hidden/index.js':
    "module.exports = Object.assign(function hidden() { return 'called' }, Object.fromEntries([['map', () => 'mapped'], ['a-b', 1]]))",
  'compiled/package.json': manifest('compiled'),
  'compiled/index.js':
    "Object.defineProperty(exports, '__esModule', { value: true }); exports.default = () => 'the default'; exports.other = 'other'",
  'waiting/package.json': manifest('waiting', { type: 'module', exports: './main.js' }),
  'waiting/main.js': "export const later = await Promise.resolve('later')",
  ...installed,
}
const names = ['greet', '@scope/modern', 'hidden', 'compiled', 'waiting']
const run = runScriptWith(agentIo({ runtimesFolder: runtimeOf(t, names, packages) }))

t.test('types are taken out, and lines keep their numbers', async (t) => {
  const { lines, problem } = await run(`interface Login { token: string }
type Maybe<T> = T | null

const login = { token: 'tö😀' } as Login
const read = (from: Maybe<Login>): string => from!.token
request.headers['x-token'] = read(login) satisfies string
console.log(await Promise.resolve(read(login)))
if (login.token) throw new Error('seen')`)
  t.same(lines, ['INFO tö😀'])
  t.equal(problem, 'The setup script of the check failed at line 8: seen')
})

t.test('a script may return before its end, with types and with imports', async (t) => {
  for (const first of [
    'const a: number = 1',
    "import { createHmac } from 'crypto'",
    "import type { A } from 'greet'\nimport {\n  createHmac as hmac,\n} from 'crypto'; const b: typeof hmac = hmac",
  ]) {
    const { lines, problem } = await run(
      `${first}\nconsole.log('one')\nif (true) return\nthrow new Error('two')`,
    )
    t.equal(problem, null)
    t.same(lines, ['INFO one'])
  }
  const failing = `import { createHmac } from 'crypto'\n\nif (request.url === '') return\nthrow new Error('here')`
  t.match((await run(failing)).problem, /failed at line 4: here$/)
})

t.test('modules and packages are imported, with all names that they have', async (t) => {
  const { origin } = await httpServer(t, (_, response) => response.end('"from the network"'))
  const { changes, lines, problem } = await run(
    `import { createHmac } from 'node:crypto'
import path, { posix } from 'path'
import { greet } from 'greet'
import { shout } from '@scope/modern'
import hidden, { map, 'a-b' as ab } from 'hidden'
import * as all from 'hidden'
import compiled, { other } from 'compiled'
import { later } from 'waiting'
import { text } from './snippets/shared.js'
import { typed } from './snippets/typed.js'
const key: string = createHmac('sha256', 'k').update('a').digest('hex')
console.log(key.length, path.posix === posix, greet('ann'), shout('a'))
console.log(hidden(), map(), ab, all.map(), all.default === hidden, compiled(), other, later, text, typed)
request.body = await (await fetch('${origin}')).json()
process.env.DONE = String(require('greet').greet('bob'))
  export default null`,
    {
      snippets: [
        { name: 'shared', code: "import { greet } from 'greet'\nexport const text = greet('cy')" },
        { name: 'typed', code: "const typed: string = 'typed'\nexports.typed = typed" },
      ],
    },
  )
  t.equal(problem, null)
  t.same(lines, [
    'INFO 64 true Hello ANN A!',
    'INFO called mapped 1 mapped true the default other later Hello CY typed',
  ])
  t.match(changes, { request: { body: 'from the network' }, variables: { DONE: 'Hello BOB' } })
})

t.test('a teardown script is one like any other', async (t) => {
  const { lines, problem } = await run(
    "import { greet } from 'greet'\nconst name: string = 'ann'\nconsole.log(greet(name), typeof response)",
    { phase: 'teardown' },
  )
  t.equal(problem, null)
  t.same(lines, ['INFO Hello ANN undefined'])
})

t.test('what cannot be run says why, in words about the script', async (t) => {
  const cases: [string, RegExp][] = [
    ['enum Color { Red }', /SyntaxError: TypeScript enum is not supported in strip-only mode$/],
    [
      "import { greet } from 'greet'\nenum Color { Red }",
      /TypeScript enum is not supported in strip-only mode$/,
    ],
    ['const x =\n= 1', /failed at line 2: SyntaxError: Unexpected token '='$/],
    ["import { greet from 'greet'", /SyntaxError: Expected ',', got 'from'$/],
    [
      "\nimport { Greeting } from '@scope/modern'\nlet greeting: Greeting",
      /failed at line 2: SyntaxError: .* does not provide an export named 'Greeting'; types are imported with "import type"$/,
    ],
    ["import { nothing } from 'hidden'", /does not provide an export named 'nothing'/],
    ["import 'casing'", /There is no package "casing" for setup scripts in the runtime 2026\.04$/],
    ["import fs from 'node:fs'", /The module "node:fs" is not available to setup scripts$/],
    ["import './setup.js'", /There is no snippet "setup"$/],
    ["import 'https://example.com/a.js'", /There is no package "https:" for setup scripts/],
    ["const a: string = require('node:fs')", /The module "node:fs" is not available to setup scripts$/],
    ["import { greet } from 'greet'\nexport default () => boom()", /ReferenceError: boom is not defined$/],
    ["import { greet } from 'greet'\n\nPromise.reject(new Error('nobody'))", /failed at line 3: nobody$/],
  ]
  for (const [code, problem] of cases) {
    const { problem: said } = await run(code)
    t.match(said, problem, code)
    t.notOk(said?.includes(tmpdir()), 'no path of this machine')
  }
})
