// Runs in test:all only: it opens pages in a browser.
/** A dashboard in a real browser: accessibility in both schemes, wide and on a phone, without a script. */
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { overflowOf, violationsOf } from '../../../support/axe.ts'
import { checkWith } from '../../../support/dashboard.ts'
import { noChromium, openBrowser } from '../../../support/result-browser.ts'

t.test(
  'axe finds nothing, and nothing is wider than the window',
  { skip: noChromium, timeout: 300_000 },
  async (t) => {
    const plane = await testApp(t)
    const { call } = plane
    const group = await call('POST', '/v1/check-groups', { body: { name: 'Payments', tags: ['shop'] } })
    const states = ['failing', 'passing', 'passing', 'degraded', 'passing', 'unknown', 'passing'] as const
    for (const [at, state] of states.entries()) {
      const name =
        ['Checkout', 'Catalogue', 'Search', 'Sign-in', 'Mail', 'Payment provider', 'Images'][at] ?? ''
      await checkWith(plane, { name, state, doc: { tags: ['shop', `team-${at % 3}`], frequency: 10 } })
    }
    await call('POST', '/v1/checks/url', {
      body: { name: 'Refunds', request: { url: 'https://shop.example/' }, groupId: group.body.id },
    })
    const options = { header: 'Shop', customUrl: 'wall', description: 'All that customers notice' }
    const { body } = await call('POST', '/v1/dashboards', {
      body: {
        ...options,
        sortByStatus: true,
        enableIncidents: true,
        checksPerPage: 6,
        showCheckRunLinks: true,
      },
    })
    await call('POST', '/v1/incidents', {
      body: {
        ...{ name: 'Checkout fails for cards', impact: 'MAJOR', dashboardId: body.id },
        incidentUpdates: [{ status: 'IDENTIFIED', description: 'The provider has told us the cause.' }],
      },
    })
    const browser = await openBrowser(t)
    for (const colorScheme of ['light', 'dark'] as const)
      for (const width of [1440, 390]) {
        const context = await browser.newContext({
          viewport: { width, height: 900 },
          colorScheme,
          javaScriptEnabled: true,
        })
        const tab = await context.newPage()
        const requests: string[] = []
        tab.on('request', (request) => requests.push(request.url()))
        for (const path of ['', '?page=1']) {
          await tab.goto(`${plane.url}/dashboards/wall${path}`)
          t.same(await violationsOf(tab), [], `${path} ${colorScheme} ${width}`)
          t.equal(await overflowOf(tab), 0, `it fits ${width}`)
          await tab.evaluate(`for (const each of document.querySelectorAll('details')) each.open = true`)
          t.same(await violationsOf(tab), [], `unfolded, ${colorScheme} ${width}`)
        }
        t.ok(requests.length <= 4, `${requests}`)
        const folder = process.env['BOARD_PICTURES']
        if (folder !== undefined) {
          await tab.goto(`${plane.url}/dashboards/wall`)
          await tab.screenshot({ path: `${folder}/board-${colorScheme}-${width}.png`, fullPage: true })
        }
        await context.close()
      }
    const { keys } = (await call('PUT', `/v1/dashboards/${body.dashboardId}`, { body: { isPrivate: true } }))
      .body
    const tab = await (await browser.newContext({ viewport: { width: 390, height: 700 } })).newPage()
    await tab.goto(`${plane.url}/dashboards/wall`)
    t.same(await violationsOf(tab), [], 'the form before a private one')
    await tab.fill('input[name=password]', keys[0].rawKey)
    await tab.click('button')
    t.match(await tab.content(), /Checkout fails for cards/)
  },
)
