// Runs on both engines in test:all: rows are locked, and states of others are written.
/** What depends on something that is down is not told of; where it is not known whether it is, that is asked for. */
import t, { type Test } from 'tap'
import { engineNames } from '../../../../support/databases.ts'
import { type DependencyRoom, dependencyRoom } from '../../../../support/dependency-room.ts'

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test, room: DependencyRoom) => Promise<void>) =>
    t.test(`${name} (${engine})`, async (t) => body(t, await dependencyRoom(t, engine)))

  test('while the router is down, the shop behind it is not told of', async (t, room) => {
    await room.addChannel()
    const { router, shop } = await room.pair()
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

  test('where it is not known whether the router is down, it is run first', async (t, room) => {
    const { router, shop } = await room.pair()
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    t.strictSame(await room.types(), [], 'not told yet')
    const asked = await room.asked()
    t.strictSame(
      asked.map(({ checkId }) => checkId),
      [router],
    )
    await room.look(2)
    t.equal((await room.asked()).length, 1, 'asked once')
    await room.report(asked, 'f')
    await room.look()
    t.strictSame(await room.types(), ['router FAILURE'])
  })

  test('where the router is well, the shop is told of as soon as that is known', async (t, room) => {
    const { router, shop } = await room.pair()
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    await room.report(await room.asked(), 'p')
    await room.look()
    t.strictSame(await room.types(), ['shop FAILURE'])
  })

  test('where nobody runs the router, the shop is told of after ten seconds', async (t, room) => {
    const { router, shop } = await room.pair()
    await room.runs([
      [router, 'p'],
      [shop, 'f'],
    ])
    await room.look(9)
    t.strictSame(await room.types(), [])
    await room.look(1)
    t.strictSame(await room.types(), ['shop FAILURE'])
  })

  test('one hop is enough: what is kept back itself is down for others', async (t, room) => {
    const { router, shop } = await room.pair()
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

  test('the account says how long is waited for a run of what it depends on', async (t, room) => {
    const { router, shop } = await room.pair()
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
}
