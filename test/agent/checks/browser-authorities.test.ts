// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts a browser for each of its scripts.
/** A location's own authorities hold for browsers and for Node in every kind of script, and nobody else's do. */
import t, { type Test } from 'tap'
import type { Driver } from '../../../agent/browser/drive-page.ts'
import type { PageAnswer } from '../../../agent/browser/page-task.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { browserRoom, browsingRuntimes, cannotBrowse, sharedRoom } from '../../support/browser-room.ts'
import { createAuthority } from '../../support/certificates.ts'
import { httpsServer } from '../../support/servers.ts'
import { suiteRoom } from '../../support/suite-room.ts'
import { temporaryFolder } from '../../support/test-agent.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

const authority = createAuthority()
const intermediate = authority.intermediate()
const leaf = intermediate.issue({ altName: 'DNS:localhost' })
const chained = { ...leaf, cert: `${leaf.cert}\n${intermediate.pem}` }
/** Twice, as files that grew over the years have it. */
const extraCaCerts = [authority.pem, intermediate.pem, authority.pem].join('\n')

const targetOf = async (t: Test, credentials: { key: string; cert: string }): Promise<string> => {
  const { port } = await httpsServer(t, credentials, (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<title>inside</title>')
  })
  return `https://localhost:${port}/`
}

const libraryAt = (urls: readonly string[]): string => `const { chromium, request } = require('playwright')
const browser = await chromium.launch()
for (const url of ${JSON.stringify(urls)}) {
  const page = await browser.newPage()
  await page.goto(url)
  const own = await (await request.newContext()).get(url)
  const ofPage = await page.request.get(url)
  console.log(await page.title(), own.status(), ofPage.status(), (await fetch(url)).status)
}
await browser.close()`

const testsAt = (urls: readonly string[]): string => `import { expect, test } from '@playwright/test'
for (const url of ${JSON.stringify(urls)}) test('at ' + url, async ({ page, request }) => {
  await page.goto(url)
  await expect(page).toHaveTitle('inside')
  expect([(await request.get(url)).status(), (await fetch(url)).status]).toEqual([200, 200])
})`

const room = sharedRoom(t, { extraCaCerts })

for (const { id: runtimeId, skip } of browsingRuntimes())
  t.test(`with an intermediate or without, in ${runtimeId}`, { skip }, async (t) => {
    const { run } = await room()
    const urls = [await targetOf(t, leaf), await targetOf(t, chained)]
    const program = await run(libraryAt(urls), { runtimeId })
    t.equal(program.failure, null, program.log)
    t.equal(program.log.match(/inside 200 200 200/g)?.length, 2, program.log)
    const tests = await run(testsAt(urls), { runtimeId })
    t.equal(tests.failure, null, tests.log)
  })

t.test('what was not given is not trusted, and the failure says why', { skip: cannotBrowse() }, async (t) => {
  const { run } = await browserRoom(t, { extraCaCerts: authority.pem })
  const stranger = await targetOf(t, createAuthority().issue({ altName: 'DNS:localhost' }))
  const withoutChain = await targetOf(t, leaf)
  const otherName = await targetOf(t, authority.issue({ altName: 'DNS:other.example' }))
  const trusted = await targetOf(t, chained)
  const { failure, log } = await run(`const { chromium, request } = require('playwright')
const browser = await chromium.launch()
const told = (name, trying) => trying.then(() => console.log(name, 'answers'), ({ message }) => console.log(name, message))
const open = async (url) => (await browser.newPage()).goto(url)
const ask = async (url) => (await request.newContext()).get(url)
for (const [name, url] of Object.entries(${JSON.stringify({ stranger, withoutChain })})) {
  await told('open ' + name, open(url))
  await told('ask ' + name, ask(url))
}
await told('open otherName', open('${otherName}'))
await told('open trusted', open('${trusted}'))
await (await browser.newPage()).goto('${stranger}')`)
  t.match(failure?.message, /failed at line 12: .*net::ERR_CERT_AUTHORITY_INVALID/)
  const unknown = /unable to (?:get local issuer|verify the first) certificate/
  for (const name of ['stranger', 'withoutChain']) {
    t.match(log, new RegExp(`open ${name} page\\.goto: net::ERR_CERT_AUTHORITY_INVALID`))
    t.match(log, new RegExp(`ask ${name} .*${unknown.source}`))
  }
  t.match(log, /open otherName page\.goto: net::ERR_CERT_COMMON_NAME_INVALID/)
  t.match(log, /open trusted answers/)
})

t.test('an intermediate alone vouches for nothing', { skip: cannotBrowse() }, async (t) => {
  const { run } = await browserRoom(t, { extraCaCerts: intermediate.pem })
  const url = await targetOf(t, chained)
  const { failure } = await run(libraryAt([url]))
  t.match(failure?.message, /net::ERR_CERT_AUTHORITY_INVALID/)
})

t.test('a suite, and a page that is driven', { skip: cannotBrowse() }, async (t) => {
  const { run, io } = await suiteRoom(t, { extraCaCerts })
  const url = await targetOf(t, leaf)
  const files = [{ path: 'a.spec.ts', content: testsAt([url]) }]
  const { failure, log } = await run({ files })
  t.equal(failure, null, log)
  const listener = { signal: new AbortController().signal, say: () => undefined, hide: () => true }
  const driver: Driver<PageAnswer> = (command) => command({ act: 'open', url, follow: false })
  const job = { origins: [new URL(url).origin], userAgent: '', timeMs: 60_000, driver }
  t.match(await io.browsers.drive(job, listener, io), { value: { problem: null, title: 'inside' } })
})

t.test(
  'an agent that cannot hand them on has no browser, and says why',
  { skip: cannotBrowse() },
  async (t) => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
    const { status, attempt } = await browserRoom(t, { extraCaCerts: broken })
    t.equal(status.chromium, null)
    t.match(status.problem, /cannot hand EXTRA_CA_CERTS to its browser: /)
    t.match(await attempt('1 + 1'), { outcome: { kind: 'could-not-run', reason: /EXTRA_CA_CERTS/ } })
  },
)
