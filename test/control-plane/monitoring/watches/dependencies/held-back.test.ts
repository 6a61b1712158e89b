// Runs on both engines in test:all: rows are locked, and states of others are written.
/** What depends on something that is down is not told of; what is told instead, and when it ends. */
import t, { type Test } from 'tap'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { alertStatesTick } from '../../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import type { Job } from '../../../../../protocol/job.ts'
import { type AlertRoom, alertRoom, type Letter } from '../../../../support/alert-room.ts'
import { sessionOf, visitPage } from '../../../../support/dashboard.ts'
import { engineNames } from '../../../../support/databases.ts'
import { byLength } from '../../../../support/length.ts'

type Room = AlertRoom & {
  /** The jobs of these checks that are there to be run; of other checks they are left out. */
  due(): Promise<Job[]>
  /** Each check's next due time, one after the other as they are given. */
  runs(results: ReadonlyArray<[checkId: string, letter: Letter]>): Promise<void>
  look(seconds?: number): Promise<void>
  types(): Promise<string[]>
}

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test, room: Room) => Promise<void>) =>
    t.test(`${name} (${engine})`, async (t) => body(t, await roomOf(t)))

  const roomOf = async (t: Test): Promise<Room> => {
    const room = await alertRoom(t, engine)
    const names = new Map<string, string>()
    const waiting: Job[] = []
    const due = async (): Promise<Job[]> => {
      await scheduleTick(room.app)
      waiting.push(...(await room.claim()))
      return waiting
    }
    const take = async (checkId: string): Promise<Job> => {
      for (let waited = 0; waited < 15; waited++) {
        const found = (await due()).findIndex((job) => job.checkId === checkId)
        if (found !== -1) return waiting.splice(found, 1)[0] as Job
        room.advance(10_000)
      }
      throw new Error('no run is due')
    }
    return {
      ...room,
      due,
      addCheck: async (body = {}) => {
        const id = await room.addCheck(body)
        names.set(id, (body as { name?: string }).name ?? '')
        return id
      },
      runs: async (results) => {
        for (const [checkId, letter] of results) {
          room.advance(1000)
          await room.report([await take(checkId)], letter)
        }
      },
      look: async (seconds = 1) => {
        room.advance(seconds * 1000)
        await alertStatesTick(room.app)
      },
      types: async () =>
        (
          await room.app.db.select((k) =>
            k.selectFrom('check_alerts').select(['name', 'alert_type']).orderBy('created_at').orderBy('id'),
          )
        ).map(({ name, alert_type }) => `${name} ${alert_type.replace('ALERT_', '')}`),
    }
  }

  const pair = async (room: Room, more: object = {}) => {
    const router = await room.addCheck({ name: 'router' })
    const shop = await room.addCheck({ name: 'shop', dependsOn: [{ checkId: router }], ...more })
    return { router, shop }
  }

  test('while the router is down, the shop behind it is not told of', async (t, room) => {
    await room.addChannel()
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'p'],
      [shop, 'p'],
      [router, 'f'],
      [shop, 'f'],
    ])
    t.strictSame(await room.types(), ['router FAILURE'])
    for (let looks = 0; looks < 10; looks++) await room.look(10)
    t.strictSame(await room.types(), ['router FAILURE'], 'however long it lasts')
    const [event] = await room.app.db.select((k) => k.selectFrom('alert_notifications').select('event'))
    t.match(JSON.parse(event?.event ?? '{}'), { checkName: 'router', dependents: 1 })
  })

  test('the first card of its page says because of what, whatever else keeps it quiet', async (t, room) => {
    await room.addChannel()
    const { router, shop } = await pair(room)
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

  test('where it is not known whether the router is down, it is run first', async (t, room) => {
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    t.strictSame(await room.types(), [], 'not told yet')
    const asked = (await room.due()).filter(({ runSource }) => runSource === 'SCHEDULE_NOW')
    t.strictSame(
      asked.map(({ checkId }) => checkId),
      [router],
    )
    await room.look(2)
    t.strictSame(
      (await room.due()).filter(({ runSource }) => runSource === 'SCHEDULE_NOW').length,
      1,
      'asked once',
    )
    await room.report(asked, 'f')
    await room.look()
    t.strictSame(await room.types(), ['router FAILURE'])
  })

  test('where the router is well, the shop is told of as soon as that is known', async (t, room) => {
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    await room.report(
      (await room.due()).filter(({ runSource }) => runSource === 'SCHEDULE_NOW'),
      'p',
    )
    await room.look()
    t.strictSame(await room.types(), ['shop FAILURE'])
  })

  test('where nobody runs the router, the shop is told of after ten seconds', async (t, room) => {
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    await room.look(9)
    t.strictSame(await room.types(), [])
    await room.look(1)
    t.strictSame(await room.types(), ['shop FAILURE'])
  })

  test('when the router is well again, the shop is run before it is told of', async (t, room) => {
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
      [router, 'p'],
    ])
    t.strictSame(await room.types(), ['router FAILURE', 'router RECOVERY'])
    await room.look()
    t.strictSame(await room.types(), ['router FAILURE', 'router RECOVERY'], 'what it said before is old')
    const asked = (await room.due()).filter(({ runSource }) => runSource === 'SCHEDULE_NOW')
    t.strictSame(
      asked.map(({ checkId }) => checkId),
      [shop],
    )
    room.advance(1000)
    await room.report(asked, 'f')
    t.strictSame((await room.types()).slice(2), ['shop FAILURE'])
    const { body } = await room.call('GET', '/v1/check-alerts')
    const [late, recovery, failure] = body
    t.match(late, { name: 'shop', keptBack: { name: 'router' } })
    t.ok(late.keptBack.to >= recovery.created_at && late.keptBack.to < late.created_at)
    t.ok(late.keptBack.from >= failure.created_at && late.keptBack.from < late.keptBack.to)
    t.strictSame([recovery.keptBack, failure.keptBack], [null, null])
  })

  test('a shop that came back with its router was never told of', async (t, room) => {
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
      [router, 'p'],
      [shop, 'p'],
    ])
    await room.look(20)
    t.strictSame(await room.types(), ['router FAILURE', 'router RECOVERY'])
    t.strictSame(await room.app.db.select((k) => k.selectFrom('alert_states').selectAll()), [])
  })

  test('what was told before the router went down gets its recovery at once', async (t, room) => {
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    await room.look(10)
    await room.runs([
      [router, 'f'],
      [shop, 'p'],
    ])
    t.strictSame(await room.types(), ['shop FAILURE', 'router FAILURE', 'shop RECOVERY'])
  })

  test('one hop is enough: what is kept back itself is down for others', async (t, room) => {
    const { router, shop } = await pair(room)
    const cart = await room.addCheck({ name: 'cart', dependsOn: [{ checkId: shop }] })
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
      [cart, 'f'],
    ])
    await room.look(30)
    t.strictSame(await room.types(), ['router FAILURE'])
  })

  test('a group is down when all of its checks are, and its checks have its dependencies', async (t, room) => {
    const behind = async (body: object) => (await room.call('POST', '/v2/check-groups', { body })).body.id
    const routers = await behind({ name: 'routers' })
    const first = await room.addCheck({ name: 'first', groupId: routers })
    const second = await room.addCheck({ name: 'second', groupId: routers })
    const shops = await behind({ name: 'shops', dependsOn: [{ groupId: routers }] })
    const shop = await room.addCheck({ name: 'shop', groupId: shops })
    await room.runs([
      [first, 'f'],
      [second, 'p'],
      [shop, 'f'],
    ])
    await room.look(10)
    t.strictSame(await room.types(), ['first FAILURE', 'shop FAILURE'], 'one of two is up')
    await room.runs([
      [shop, 'p'],
      [second, 'f'],
      [shop, 'f'],
    ])
    await room.look(10)
    t.strictSame((await room.types()).slice(2), ['shop RECOVERY', 'second FAILURE'])
  })

  test('hundreds behind one router are one message, and what is not behind it is told of alone', async (t, room) => {
    const count = byLength({ short: 25, all: 200, long: 1000 })
    await room.addChannel({ autoSubscribe: true })
    const router = await room.addCheck({ name: 'router' })
    const group = await room.call('POST', '/v2/check-groups', {
      body: { name: 'behind', dependsOn: [{ checkId: router }] },
    })
    const add = (more: object) =>
      room.addCheck({ name: 'other', alertChannelSubscriptions: [], groupId: group.body.id, ...more })
    for (let made = 0; made < count; made++) await add({ name: `behind ${made}` })
    const other = await add({ name: 'elsewhere', groupId: null })
    const first: Job[] = []
    for (let more = await room.claim(); more.length > 0; more = await room.claim()) first.push(...more)
    t.equal(first.length, count + 2, 'what is new is run at once')
    const of = (checkId: string) => first.filter((job) => job.checkId === checkId)
    await room.reportTogether(room.app, of(router), 'p')
    room.advance(1000)
    await room.reportTogether(room.app, [...first.filter(({ checkId }) => checkId !== router)], 'f')
    t.strictSame(await room.types(), ['elsewhere FAILURE'], 'at once')
    t.equal(of(other).length, 1)
    const asked = await room.claim()
    t.match(asked, [{ checkId: router, runSource: 'SCHEDULE_NOW' }])
    t.equal(asked.length, 1, 'one run for all of them')
    room.advance(1000)
    await room.report(asked, 'f')
    for (let looks = 0; looks < 20; looks++) await room.look(15)
    t.strictSame((await room.types()).toSorted(), ['elsewhere FAILURE', 'router FAILURE'])
    const events = await room.app.db.select((k) => k.selectFrom('alert_notifications').select('event'))
    t.strictSame(
      events
        .map(({ event }) => (JSON.parse(event) as { dependents: number }).dependents)
        .toSorted((a, b) => a - b),
      [0, count],
    )
    const again: Job[] = []
    for (let looks = 0; looks < 7 && again.length < count; looks++) {
      room.advance(10_000)
      await scheduleTick(room.app)
      for (let more = await room.claim(); more.length > 0; more = await room.claim()) again.push(...more)
    }
    await room.reportTogether(
      room.app,
      again.filter(({ checkId }) => checkId !== router && checkId !== other),
      'p',
    )
    const kept = await room.app.db.select((k) =>
      k.selectFrom('kept_back_failures').select(['check_id', 'because_name']),
    )
    t.equal(new Set(kept.map(({ check_id }) => check_id)).size, count, 'written in one statement')
    t.strictSame([...new Set(kept.map(({ because_name }) => because_name))], ['router'])
  })

  test('the account says how long is waited for a run of what it depends on', async (t, room) => {
    const { router, shop } = await pair(room)
    const wait = async (dependencyWaitSeconds: number) =>
      (await room.call('PATCH', '/v1/accounts/me', { body: { alertSettings: { dependencyWaitSeconds } } }))
        .status
    t.equal(await wait(61), 400)
    t.equal(await wait(0), 200)
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    t.strictSame(await room.types(), ['shop FAILURE'], 'at once')
    t.equal(await wait(60), 200)
    await room.runs([
      [shop, 'p'],
      [router, 'p'],
      [shop, 'f'],
    ])
    await room.look(50)
    t.strictSame((await room.types()).slice(1), ['shop RECOVERY'])
    await room.look(10)
    t.strictSame((await room.types()).slice(2), ['shop FAILURE'])
  })

  test('a router that is muted is down all the same for what is behind it', async (t, room) => {
    const { router, shop } = await pair(room)
    t.equal((await room.call('PATCH', `/v1/checks/url/${router}`, { body: { muted: true } })).status, 200)
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
    ])
    await room.look(30)
    t.strictSame(await room.types(), [])
    const { body } = await room.call('GET', `/v1/checks/${shop}/alert-explanation`)
    t.match(body.keptBackBy, { name: 'router', phase: 'down' })
    t.equal((await room.call('PATCH', `/v1/checks/url/${router}`, { body: { muted: false } })).status, 200)
    await room.runs([[router, 'f']])
    t.strictSame(await room.types(), ['router FAILURE'], 'told when it may be, and alone')
  })

  test('a router whose group is switched off keeps nothing back', async (t, room) => {
    const group = (await room.call('POST', '/v2/check-groups', { body: { name: 'routers' } })).body.id
    const { router, shop } = await pair(room)
    const into = await room.call('PATCH', `/v1/checks/url/${router}`, { body: { groupId: group } })
    t.equal(into.status, 200)
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
    ])
    await room.call('PATCH', `/v2/check-groups/${group}`, { body: { activated: false } })
    await room.look(16)
    await room.look(10)
    t.strictSame(await room.types(), ['router FAILURE', 'shop FAILURE'])
  })

  test('a router that is switched off or gone keeps nothing back', async (t, room) => {
    const { router, shop } = await pair(room)
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
    ])
    t.equal((await room.call('DELETE', `/v1/checks/${router}`)).status, 204)
    await room.look(16)
    await room.look(10)
    t.strictSame(await room.types(), ['shop FAILURE'])
    const answer = await room.call('GET', `/v1/checks/${shop}`)
    t.strictSame(answer.body.dependsOn, [])
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
