// Runs on both engines in test:all: rows are locked, and states of others are written.
/** When what was down is well again, gone or told of by nobody: what is told then. */
import t, { type Test } from 'tap'
import { engineNames } from '../../../../support/databases.ts'
import { type DependencyRoom, dependencyRoom } from '../../../../support/dependency-room.ts'

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test, room: DependencyRoom) => Promise<void>) =>
    t.test(`${name} (${engine})`, async (t) => body(t, await dependencyRoom(t, engine)))

  test('when the router is well again, the shop is run before it is told of', async (t, room) => {
    const { router, shop } = await room.pair()
    await room.runs([
      [router, 'f'],
      [shop, 'f'],
      [router, 'p'],
    ])
    t.strictSame(await room.types(), ['router FAILURE', 'router RECOVERY'])
    await room.look()
    t.strictSame(await room.types(), ['router FAILURE', 'router RECOVERY'], 'what it said before is old')
    const asked = await room.asked()
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
    const { router, shop } = await room.pair()
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
    const { router, shop } = await room.pair()
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

  test('a router that is muted is down all the same for what is behind it', async (t, room) => {
    const { router, shop } = await room.pair()
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
    const { router, shop } = await room.pair()
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
    const { router, shop } = await room.pair()
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
}
