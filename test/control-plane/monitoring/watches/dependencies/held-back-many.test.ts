// Runs on both engines in test:all: rows are locked, and states of others are written.
/** Hundreds that depend on one. */
import t, { type Test } from 'tap'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import type { Job } from '../../../../../protocol/job.ts'
import { engineNames } from '../../../../support/databases.ts'
import { type DependencyRoom, dependencyRoom } from '../../../../support/dependency-room.ts'
import { byLength } from '../../../../support/length.ts'

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test, room: DependencyRoom) => Promise<void>) =>
    t.test(`${name} (${engine})`, async (t) => body(t, await dependencyRoom(t, engine)))

  test('hundreds behind one router are one message, and what is not behind it is told of alone', async (t, room) => {
    const count = byLength({ short: 25, all: 110, long: 1000 })
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
}
