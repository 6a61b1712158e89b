// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** The install stage of Playwright suites, with the npm of this machine and a registry on the loopback. */
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { findTools } from '../../../agent/browser/suite/tools.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { cannotBrowse, leftFolders } from '../../support/browser-room.ts'
import { sharedSuiteRoom } from '../../support/suite-room.ts'
import { tarOf } from '../../support/tar.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const skip = cannotBrowse() || (findTools(process.execPath).npm === undefined && 'there is no npm')

const room = sharedSuiteRoom(t)

const archive = gzipSync(
  tarOf([
    {
      path: 'package/package.json',
      content: '{"name":"words","version":"1.0.0","main":"main.js","bin":{"say-word":"say.js"}}',
    },
    { path: 'package/main.js', content: "module.exports = 'of the registry'" },
    { path: 'package/say.js', content: "#!/usr/bin/env node\nconsole.log('said by', process.argv[2])" },
  ]),
)
const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`

const registry = async (t: Test) => {
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${request.headers.authorization ?? ''}`.trim())
    if (request.url === '/words/-/words-1.0.0.tgz') response.end(archive)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const project = (origin: string) => [
  {
    path: 'package.json',
    content: '{"name":"suite","version":"1.0.0","dependencies":{"words":"1.0.0","near":"file:near"}}',
  },
  { path: 'near/package.json', content: '{"name":"near","version":"1.0.0","main":"main.js"}' },
  { path: 'near/main.js', content: "module.exports = 'of the folder'" },
  {
    path: '.npmrc',
    content: `fetch-retries=0\nregistry=${origin}/\n//${origin.slice(7)}/:_authToken=\${REGISTRY_TOKEN}\n`,
  },
  {
    path: 'package-lock.json',
    content: JSON.stringify({
      ...{ name: 'suite', version: '1.0.0', lockfileVersion: 3, requires: true },
      packages: {
        '': { name: 'suite', version: '1.0.0', dependencies: { words: '1.0.0', near: 'file:near' } },
        near: { version: '1.0.0' },
        'node_modules/near': { resolved: 'near', link: true },
        'node_modules/words': {
          ...{ version: '1.0.0', resolved: `${origin}/words/-/words-1.0.0.tgz`, integrity },
          bin: { 'say-word': 'say.js' },
        },
      },
    }),
  },
  {
    path: 'a.spec.ts',
    content: `import { test, expect } from '@playwright/test'
import words from 'words'
import near from 'near'
test('packages', () => { expect([words, near]).toEqual(['of the registry', 'of the folder']) })`,
  },
]

t.test('npm installs by the lock file, and the next run without a registry', { skip }, async (t) => {
  const { run } = await room()
  const { origin, requests, server } = await registry(t)
  const token = [{ key: 'REGISTRY_TOKEN', value: 'token-4711', secret: true }]
  const change = { files: project(origin), job: { variables: token } }

  const first = await run({ ...change, testCommand: 'npx say-word me && npx playwright test' })
  t.equal(first.failure, null, first.log)
  t.match(first.detail.install, { manager: 'npm', command: /^npm ci/, cache: 'saved' })
  t.match(first.log, /INFO said by me/)
  t.same(requests, ['/words/-/words-1.0.0.tgz Bearer token-4711'])

  server.close()
  server.closeAllConnections()
  const second = await run(change)
  t.equal(second.failure, null, second.log)
  t.match(second.detail.install, { cache: 'hit' })

  const refreshed = await run({ ...change, refreshCache: true, job: { ...change.job, deadlineMs: 60_000 } })
  t.match(refreshed.failure, { code: /^(INSTALL_FAILED|TIMEOUT)$/, message: /^The install command / })
  t.match(
    (await run({ ...change, job: { ...change.job, accountId: 'another', deadlineMs: 40_000 } })).detail
      .install,
    { cache: 'none' },
    'what one account has installed no other uses',
  )
  t.notMatch(JSON.stringify([first, refreshed].map(({ detail, log }) => [detail, log])), /token-4711/)
  t.notMatch(JSON.stringify(refreshed.detail), tmpdir())
  t.same(leftFolders(), [])
})

t.test('a program that installs asks what ordinary programs ask', { skip }, async (t) => {
  const { run } = await room()
  const asks = `const os = require('node:os')
console.log('asked', process.memoryUsage().rss > 1e6, os.cpus().length > 0, Object.keys(os.networkInterfaces()), os.userInfo().uid === process.getuid())
process.exit(3)`
  const { failure } = await run({
    files: [{ path: 'asks.cjs', content: asks }],
    installCommand: 'node asks.cjs',
  })
  t.match(failure?.message, /asked true true \[ 'lo' \] true/)
})

t.test('a stage that fails says why, and nothing of it is kept', { skip }, async (t) => {
  const { run } = await room()
  const files = [
    { path: 'package.json', content: '{"dependencies":{"words":"1.0.0"}}' },
    { path: 'pnpm-lock.yaml', content: '' },
  ]
  const outside = await run({
    files,
    installCommand:
      'mkdir -p node_modules/x && echo kept > node_modules/x/y && echo hello && ls /root /etc/shadow; exit 3',
  })
  t.match(outside.failure, {
    code: 'INSTALL_FAILED',
    message: /^The install command ended with exit code 3: /,
  })
  t.match(outside.failure?.message, /hello[\s\S]*Permission denied/)
  t.match(outside.detail.install, { cache: 'none' })
  if (findTools(process.execPath).pnpm === undefined)
    t.match((await run({ files })).failure, {
      code: 'INSTALL_FAILED',
      message: /exit code 127: There is no pnpm on this agent/,
    })
  t.match((await run({ files: [], engine: 'node@22' })).failure, {
    message: /It runs with Node 22, and this agent has Node \d+/,
  })
})
