// Runs in a process of its own: it changes the environment.
// Runs in test:all only: it starts an agent for each of many machines.
/** What an agent says that it can run, to people and to the control plane: what it finds on disk, and no more. */
import t, { type Test } from 'tap'
import type { ClaimRequest } from '../../../protocol/agent-api.ts'
import { letChildrenThrough } from '../../support/attempts.ts'
import { cannotBrowse } from '../../support/browser-room.ts'
import { fakeControlPlane, urlJob } from '../../support/fake-control-plane.ts'
import { installed, manifest, runtimeOf } from '../../support/runtime-folder.ts'
import { httpServer } from '../../support/servers.ts'
import { temporaryFolder, testAgent, testApiKey } from '../../support/test-agent.ts'
import { until } from '../../support/until.ts'

process.env['TMPDIR'] = temporaryFolder(t)
letChildrenThrough()

type Offer = Pick<ClaimRequest, 'checkTypes' | 'runtimeIds' | 'playwrightRuntimeIds'>
type Machine = NonNullable<Parameters<typeof testAgent>[3]>

/** What it offers, and its line about browsers, once it has looked round. */
const lookRound = async (t: Test, machine: Machine): Promise<{ offer: Offer; line: string }> => {
  const plane = await fakeControlPlane(t, { serverTime: Date.now, apiKey: testApiKey, leaseMs: 15_000 })
  const target = await httpServer(t, (_, response) => response.end('ok'))
  const { lines } = await testAgent(t, plane.origin, {}, { isolated: true, ...machine })
  const about = /browser checks (here|with)/
  await until('its line about browsers', () => lines.some((one) => about.test(one)))
  // It ends the poll that is under way: the next one knows all.
  const before = plane.claims.length
  plane.offer(urlJob(target.origin))
  await until('a claim that knows it', () => plane.claims.length > before && plane.reports.length > 0)
  const { checkTypes, runtimeIds, playwrightRuntimeIds } = plane.claims.at(-1)!
  const scripted = checkTypes.filter((type) => ['API', 'BROWSER', 'MULTI_STEP'].includes(type))
  const offer = {
    checkTypes: scripted.toSorted(),
    runtimeIds,
    ...(playwrightRuntimeIds && { playwrightRuntimeIds }),
  }
  return { offer, line: lines.find((one) => about.test(one))! }
}

const shell = { path: '/usr/lib/chromium/chromium-headless-shell', kind: "Debian's headless shell" }

t.test('without a runtime', async (t) => {
  const { offer, line } = await lookRound(t, { runtimesFolder: temporaryFolder(t), chromium: shell })
  t.same(offer, { checkTypes: ['API'], runtimeIds: [], playwrightRuntimeIds: [] })
  t.equal(
    line,
    'no browser checks here: no runtime with Playwright is installed; "npm run runtime 2026-04" installs one',
  )
})

t.test(
  'with a runtime that nobody has installed, and no Chromium, one line says how to get both',
  async (t) => {
    const { offer, line } = await lookRound(t, {
      runtimesFolder: runtimeOf(t, ['playwright'], {}),
      chromium: null,
    })
    t.same(offer, { checkTypes: ['API'], runtimeIds: ['2026.04'], playwrightRuntimeIds: [] })
    t.match(
      line,
      /"npm run runtime 2026-04" installs one, and no Chromium was found; "apt-get install chromium/,
    )
  },
)

t.test('with a runtime that has no Playwright', async (t) => {
  const files = { 'greet/package.json': manifest('greet'), ...installed }
  const { offer } = await lookRound(t, { runtimesFolder: runtimeOf(t, ['greet'], files), chromium: shell })
  t.same(offer, { checkTypes: ['API'], runtimeIds: ['2026.04'], playwrightRuntimeIds: [] })
})

t.test('without a Chromium it runs multi-step checks', async (t) => {
  const runtimesFolder = runtimeOf(t, ['playwright'], installed)
  const { offer, line } = await lookRound(t, { runtimesFolder, chromium: null })
  t.same(offer, {
    checkTypes: ['API', 'MULTI_STEP'],
    runtimeIds: ['2026.04'],
    playwrightRuntimeIds: ['2026.04'],
  })
  t.match(
    line,
    /^no browser checks here: no Chromium was found; .*; multi-step checks run \(runtime 2026\.04\)$/,
  )
})

t.test('with one that does not start', { skip: cannotBrowse() }, async (t) => {
  const { offer, line } = await lookRound(t, {
    chromium: { path: '/bin/false', kind: "the system's Chromium" },
  })
  t.same(offer.checkTypes, ['API', 'MULTI_STEP'])
  t.match(
    line,
    /^no browser checks here: \/bin\/false \(the system's Chromium\) does not start: .*chromium-headless-shell/,
  )
})

t.test(
  'it is not ready where its location has checks for that browser',
  { skip: cannotBrowse() },
  async (t) => {
    const plane = await fakeControlPlane(t, { serverTime: Date.now, apiKey: testApiKey })
    plane.types = ['URL', 'BROWSER']
    const chromium = { path: '/bin/false', kind: "the system's Chromium" }
    const agent = await testAgent(t, plane.origin, {}, { isolated: true, chromium })
    const readiness = () => agent.probe('/-/readiness')
    await until('its first answer', () => plane.claims.length > 1)
    t.equal((await readiness()).status, 503, 'nobody knows yet whether it has one')
    await until('its line about browsers', () =>
      agent.lines.some((line) => /browser checks (here|with)/.test(line)),
    )
    t.match(await readiness(), {
      status: 503,
      text: /^not ready\nno browser, and this location has checks that need one \(BROWSER\): \/bin\/false .* does not start/,
    })
    t.match((await agent.probe('/health')).text, 'no browser, and this location')
    plane.types = ['URL']
    plane.offer(urlJob(plane.origin))
    await plane.until(() => plane.reports.length === 1)
    await until('its next answer', async () => (await readiness()).status === 200)
    t.strictSame(plane.claims.at(-1)?.lacks, ['BROWSER', 'PLAYWRIGHT'])
  },
)

t.test('without a Chromium nobody expects it of an agent', async (t) => {
  const plane = await fakeControlPlane(t, { serverTime: Date.now, apiKey: testApiKey })
  plane.types = ['BROWSER']
  const agent = await testAgent(t, plane.origin, {}, { isolated: true, chromium: null })
  await until('a claim that knows it', () => plane.claims.some(({ lacks }) => lacks === undefined))
  await until('its answer', async () => (await agent.probe('/-/readiness')).status === 200)
})

t.test('with all of it the line names the browser and the runtimes', { skip: cannotBrowse() }, async (t) => {
  const { offer, line } = await lookRound(t, {})
  t.same(offer.checkTypes, ['API', 'BROWSER', 'MULTI_STEP'])
  t.ok(offer.playwrightRuntimeIds?.includes('2026.04'))
  t.match(
    line,
    /^browser checks with Chromium \d+\.\S+ \(\/\S+, \S.*; its own sandbox is \S.*\), runtimes? .*2026\.04/,
  )
})
