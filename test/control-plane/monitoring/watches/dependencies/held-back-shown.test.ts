// Runs on both engines in test:all: rows are locked, and states of others are written.
/** Why a failure was kept back, for whoever looks. */
import t, { type Test } from 'tap'
import { sessionOf, visitPage } from '../../../../support/dashboard.ts'
import { engineNames } from '../../../../support/databases.ts'
import { type DependencyRoom, dependencyRoom } from '../../../../support/dependency-room.ts'

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test, room: DependencyRoom) => Promise<void>) =>
    t.test(`${name} (${engine})`, async (t) => body(t, await dependencyRoom(t, engine)))

  test('the first card of its page says because of what, whatever else keeps it quiet', async (t, room) => {
    await room.addChannel()
    const { router, shop } = await room.pair()
    await room.runs([
      [router, 'p'],
      [shop, 'p'],
      [shop, 'f'],
    ])
    const cookie = await sessionOf(room)
    const card = async (): Promise<string> => {
      const { text } = await visitPage(room, cookie, `/app/checks/${shop}`)
      return (/<section[^>]* id="state".*?<\/section>/s.exec(text)?.[0] ?? '').replace(/<[^>]*>/g, '')
    }
    await room.runs([[router, 'f']])
    await room.look()
    const why = '“router” is down, which it depends on'
    t.match(await card(), `that is not told, because ${why}.`)
    t.notMatch(await card(), 'Because of another', 'once')
    await room.call('PATCH', `/v1/checks/url/${shop}`, { body: { muted: true } })
    t.match(await card(), `Because of another: ${why}.`)
    t.match(await card(), 'Nobody is told: it is muted.')
    await room.call('PATCH', `/v1/checks/url/${shop}`, {
      body: { muted: false, alertChannelSubscriptions: [] },
    })
    t.match(await card(), `Because of another: ${why}.`)
    t.match(await card(), 'no alert channel is subscribed to it')
    await room.runs([[router, 'p']])
    await room.look(60)
    t.notMatch(await card(), why)
  })

  test('what failed because of the router says so afterwards: the check, the report, a page of both', async (t, room) => {
    const services: string[] = []
    const opens = async (name: string) => {
      const { id: serviceId } = (await room.call('POST', '/v1/status-pages/services', { body: { name } }))
        .body
      services.push(serviceId)
      return { triggerIncident: { serviceId, severity: 'MAJOR', name: 'Out', notifySubscribers: false } }
    }
    const router = await room.addCheck({ name: 'router', ...(await opens('Network')) })
    const dependsOn = [{ checkId: router }]
    const shop = await room.addCheck({ name: 'shop', dependsOn, ...(await opens('Shop window')) })
    const page = async (url: string, shown: readonly string[]) => {
      const cards = [{ name: 'All', services: shown.map((id) => ({ id })) }]
      await room.call('POST', '/v1/status-pages', { body: { name: url, url, cards } })
    }
    await page('both', services)
    await page('shop', services.slice(1))
    const causes = async (url: string) => {
      room.advance(2000)
      const { body } = await room.call('GET', `/status/${url}/api/status.json`, { key: null })
      return body.components.map((one: { name: string; caused_by: object[] }) => [one.name, one.caused_by])
    }
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
    ])
    const network = [{ id: services[0], name: 'Network' }]
    t.strictSame(await causes('both'), [
      ['Network', []],
      ['Shop window', network],
    ])
    t.strictSame(await causes('shop'), [['Shop window', []]], 'what a page does not show is not named')
    const shownTo = await room.call('GET', '/status/both', { key: null, headers: { accept: 'text/html' } })
    t.match(shownTo.text, /Caused by: (<bdi>)?Network/)
    const downtime = async () =>
      (await room.call('GET', `/v1/checks/${shop}/alert-explanation`)).body.dependencyDowntime
    t.match(await downtime(), [{ name: 'router', to: null }], 'it still lasts')
    const report = async () =>
      (await room.call('GET', '/v1/reporting')).body.map(
        (one: { name: string; aggregate: { successRatio: number; dependencyDowntime: object[] } }) => [
          one.name,
          one.aggregate.successRatio,
          one.aggregate.dependencyDowntime,
        ],
      )
    const now = room.app.clock.now()
    const [lasting] = await downtime()
    const seconds = Math.round((now - Date.parse(lasting.from)) / 1000)
    t.ok(seconds > 0)
    t.strictSame(await report(), [
      ['router', 0, []],
      ['shop', 0, [{ name: 'router', seconds }]],
    ])
    await room.app.db.execute((k) =>
      k.updateTable('checks').set({ name: 'gateway' }).where('id', '=', router),
    )
    await room.runs([
      [router, 'p'],
      [shop, 'p'],
    ])
    t.strictSame(await room.types(), ['router FAILURE', 'gateway RECOVERY'])
    const [over] = await downtime()
    t.match(over, { name: 'router', from: lasting.from, to: String }, 'as it was called then')
    const lasted = Math.round((Date.parse(over.to) - Date.parse(over.from)) / 1000)
    room.advance(1000)
    t.strictSame((await report())[1], ['shop', 50, [{ name: 'router', seconds: lasted }]])
    const cookie = await sessionOf(room)
    const shownIn = async (path: string) => (await visitPage(room, cookie, path)).text
    t.match(await shownIn(`/app/checks/${shop}`), /because <bdi>router<\/bdi> was down/)
    t.match(await shownIn('/app/reports'), /Down because of others/)
    t.strictSame(await causes('both'), [
      ['Network', []],
      ['Shop window', []],
    ])
    t.equal((await room.call('DELETE', `/v1/checks/${shop}`)).status, 204)
    const left = await room.app.db.select((k) => k.selectFrom('kept_back_failures').select('id'))
    t.strictSame(left, [], 'it ends with its check')
  })
}
