// Runs in test:all only: it runs a check of every type from its form in a browser.
/** Whatever type a check is of: tried beside its form it runs once, says how it went, and neither it nor its result is stored. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { checkKinds } from '../../../../control-plane/monitoring/definitions/checks/types/index.ts'
import { type CheckType, checkTypes } from '../../../../protocol/check-type.ts'
import { testApp } from '../../../support/app.ts'
import { letChildrenThrough } from '../../../support/attempts.ts'
import { overflowOf, violationsOf } from '../../../support/axe.ts'
import { cannotBrowse } from '../../../support/browser-room.ts'
import { uploadBundle } from '../../../support/bundles.ts'
import { signedIn } from '../../../support/dashboard.ts'
import { inProcessAgent } from '../../../support/in-process-agent.ts'
import { nameServer } from '../../../support/name-server.ts'
import { journeyLooks } from '../../../support/page-journey.ts'
import { openBrowser, type BrowserPage as Page } from '../../../support/result-browser.ts'
import { httpServer } from '../../../support/servers.ts'
import { suiteRoom } from '../../../support/suite-room.ts'
import { tarOf } from '../../../support/tar.ts'
import { until } from '../../../support/until.ts'

letChildrenThrough()

const runtimeId = '2026.04' as const
const passing = /Tried just now, from local.*Passing.* in /s

/** What its form needs, by the fields' names. */
type Filling = { readonly [field: string]: string }

const fill = async (page: Page, fields: Filling): Promise<void> => {
  for (const [name, value] of Object.entries(fields)) {
    const field = page.locator(`[name="body.${name}"]`)
    if (await field.evaluate((element) => element.matches('select'))) await field.selectOption(value)
    else await field.fill(value)
  }
}

t.test('a check of every type is tried before it is saved', { skip: cannotBrowse() }, async (t) => {
  const plane = await testApp(t)
  const target = await httpServer(t, (_request, response) => response.end('<h1>Shop</h1>'))
  const { port: dnsPort } = await nameServer(t, ({ send, answer }) =>
    send(answer([{ type: 'A', name: 'shop.example', data: '192.0.2.1' }])),
  )
  const ofPage = `import { test, expect } from '@playwright/test'
test('shop', async ({ page }) => {
  await page.goto('${target.origin}/')
  await expect(page.locator('h1')).toHaveText('Shop')
})`
  const ofRequests = `import { test, expect } from '@playwright/test'
test('shop', async ({ request }) => { expect((await request.get('${target.origin}/')).status()).toBe(200) })`
  const lockFile = { path: 'package-lock.json', content: '{"lockfileVersion": 3}' }
  const suite = [{ path: 'package.json', content: '{}' }, lockFile, { path: 'shop.spec.ts', content: ofPage }]
  const bytes = gzipSync(tarOf(suite))
  const { id: bundleId } = (await uploadBundle(plane, bytes)).body
  const room = await suiteRoom(t)
  room.bundle(bundleId, bytes)
  const { hostname, port } = new URL(target.origin)
  const fillings: { readonly [type in CheckType]?: Filling } = {
    URL: { 'request.url': target.origin },
    API: { 'request.url': target.origin },
    TCP: { 'request.hostname': hostname, 'request.port': port },
    DNS: {
      'request.query': 'shop.example',
      'request.recordType': 'A',
      'request.nameServer': '127.0.0.1',
      'request.port': `${dnsPort}`,
    },
    ICMP: { 'request.hostname': '127.0.0.1' },
    // The server speaks neither: what is told is why they fail.
    SSL: { 'request.sslConfig.hostname': hostname, 'request.sslConfig.port': port },
    GRPC: { 'request.url': hostname, 'request.port': port, 'request.grpcConfig.mode': 'HEALTH' },
    TRACEROUTE: { 'request.url': hostname, 'request.port': port },
    BROWSER: { script: ofPage, runtimeId },
    MULTI_STEP: { script: ofRequests, runtimeId },
    PLAYWRIGHT: { codeBundleId: bundleId },
    // No agent here has a model.
    AGENTIC: { prompt: 'Open the shop' },
  }
  const offered = checkTypes.filter((type) => type !== 'AGENTIC' && type !== 'HEARTBEAT')
  const offers = { checkTypes: offered, runtimeIds: [runtimeId], maxMain: 10 }
  const agent = inProcessAgent(plane, { io: room.io, offers })
  await agent.runDue()
  const browser = await openBrowser(t)
  for (const [at, type] of checkTypes.entries()) {
    const { path, scheduled } = checkKinds[type]
    if (!scheduled) continue
    const look = journeyLooks[at % journeyLooks.length] ?? journeyLooks[0]
    const page = await (await signedIn(t, browser, { plane, options: look })).newPage()
    plane.advance(3000)
    await page.goto(`${plane.url}/app/checks/new`)
    await page.click(`.tiles a[href*="/checks/${path}?"]`)
    await page.locator('.savebar').waitFor()
    await page.evaluate('for (const each of document.querySelectorAll(".form details")) each.open = true')
    await fill(page, { name: `Tried ${type}`, ...fillings[type] })
    const clicked = page.click('.savebar button:text-is("Try it")')
    if (type !== 'AGENTIC') await until(`${type} is run`, async () => (await agent.runDue()) > 0, 50)
    await clicked
    await page.locator('#tried.card').waitFor()
    const told = (await page.locator('#tried').textContent()) ?? ''
    const outcome = type === 'SSL' || type === 'GRPC' ? /Tried just now, from local.*Failing/s : passing
    t.match(told, type === 'AGENTIC' ? /It was not run/ : outcome, `${type}: ${told}`)
    t.match(told, 'Nothing was stored, and nobody was told.')
    for (const [name, value] of Object.entries(fillings[type] ?? {}))
      t.equal(await page.inputValue(`[name="body.${name}"]`), value, `${type}: ${name} is kept`)
    t.equal(await overflowOf(page), 0, `${type} fits`)
    if (look.javaScriptEnabled) t.strictSame(await violationsOf(page), [], type)
    t.strictSame((await plane.call('GET', '/v1/checks')).body, [], `${type}: no check`)
    t.strictSame((await plane.call('GET', '/v1/check-statuses')).body, [], `${type}: no state`)
  }
})
