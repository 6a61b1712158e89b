// Runs on both engines in test:all: the rows of checks that are well again are kept for a while, and locked.
import t, { type Test } from 'tap'
import { alertStatesTick } from '../../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import { alertRoom } from '../../../../support/alert-room.ts'
import { sessionOf, visitPage } from '../../../../support/dashboard.ts'
import { engineNames } from '../../../../support/databases.ts'

const own = (flapping: object) => ({ useGlobalAlertSettings: false, alertSettings: { flapping } })
const day = 24 * 60 * 60_000

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(`${name} (${engine})`, body)

  test('a check that flaps is told once as that, and once how it is; the explanation says why', async (t) => {
    const room = await alertRoom(t, engine)
    const channel = await room.addChannel()
    const checkId = await room.addCheck(own({ enabled: true }))
    const { body: stored } = await room.call('GET', `/v1/checks/${checkId}`)
    t.strictSame(stored.alertSettings.flapping, { enabled: true, high: 30, low: 25 })
    await room.run('pfpfpfpfpf')
    const told = ['FAILURE', 'RECOVERY', 'FAILURE', 'RECOVERY', 'FAILURE', 'FAILURE_REMAIN']
    t.strictSame(await room.alertTypes(checkId), told)
    t.strictSame(
      await room.notified(),
      told.map((type) => `${channel} ${type}`),
    )
    const explained = await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)
    t.match(explained.body, {
      summary:
        /^The check is failing and flaps, which was told; nothing more is told until it holds still: its level changed 9 times/,
      state: 'failing',
      told: 'failing',
      rule: { met: false, nextAlertAt: null },
      flapping: { changes: 9, percent: 51.5, endsBelow: 25 },
      latestAlert: { alertType: 'ALERT_FAILURE_REMAIN' },
    })
    t.match(Date.parse(explained.body.flapping.since) < room.app.clock.now(), true)
    const cookie = await sessionOf(room)
    const page = async () => (await visitPage(room, cookie, `/app/checks/${checkId}`)).text
    const listed = async (flapping: boolean) =>
      (await room.call('GET', `/v1/checks?flapping=${flapping}`)).body.map(({ id }: { id: string }) => id)
    t.strictSame([await listed(true), await listed(false)], [[checkId], []])
    const filtered = async () => (await visitPage(room, cookie, '/app/checks?flapping=yes')).text
    t.match(await filtered(), `/app/checks/${checkId}`)
    await alertStatesTick(room.app)
    const counted = () => room.app.metrics.getSingleMetricAsString('watchpost_flapping_checks')
    t.match(await counted(), /^watchpost_flapping_checks 1$/m)
    t.match(await page(), /It flaps<\/b> since .*9 changes in its last 21 runs/)
    await room.run('p'.repeat(15))
    t.strictSame(await room.alertTypes(checkId), [...told, 'RECOVERY'])
    const after = await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)
    t.match(after.body, { flapping: null, told: null, summary: /^All is well/ })
    t.notMatch(await page(), 'It flaps')
    t.strictSame([await listed(true), await listed(false)], [[], [checkId]])
    t.notMatch(await filtered(), `/app/checks/${checkId}`)
    t.match(await counted(), /^watchpost_flapping_checks 0$/m)
  })

  test('without the setting each failure and recovery is told, and no row stays', async (t) => {
    const room = await alertRoom(t, engine)
    for (const body of [{}, own({}), own({ enabled: false })]) {
      const checkId = await room.addCheck(body)
      await room.run('pfpfpfpf')
      t.equal((await room.alertTypes(checkId)).length, 7)
      await room.run('p')
      t.strictSame(await room.app.db.select((k) => k.selectFrom('alert_states').selectAll()), [])
      t.equal((await room.call('DELETE', `/v1/checks/${checkId}`)).status, 204)
    }
  })

  test('what a check that is well was is forgotten after 20 runs, or two days without one', async (t) => {
    const room = await alertRoom(t, engine)
    await room.addCheck(own({ enabled: true }))
    const rows = () => room.app.db.select((k) => k.selectFrom('alert_states').select(['level', 'wake_at']))
    await room.run('pfp')
    t.strictSame(await rows(), [{ level: 'passing', wake_at: room.app.clock.now() + 2 * day }])
    await room.run('p'.repeat(19))
    t.equal((await rows()).length, 1)
    await room.run('p')
    t.strictSame(await rows(), [])
    await room.run('fp')
    room.advance(2 * day - 1)
    await alertStatesTick(room.app)
    t.equal((await rows()).length, 1)
    room.advance(1)
    await alertStatesTick(room.app)
    t.strictSame(await rows(), [])
  })

  test('the account’s and a group’s setting count as well, and numbers out of range are refused', async (t) => {
    const room = await alertRoom(t, engine)
    const flapping = { enabled: true, high: 20, low: 10 }
    const account = await room.call('PATCH', '/v1/accounts/me', { body: { alertSettings: { flapping } } })
    t.equal(account.status, 200, account.text)
    const checkId = await room.addCheck()
    await room.run('pfpfpf')
    t.strictSame(await room.alertTypes(checkId), ['FAILURE', 'RECOVERY', 'FAILURE', 'FAILURE_REMAIN'])
    t.match((await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body, {
      settings: { from: 'account', alertSettings: { flapping } },
    })
    const body = { alertSettings: { flapping: { enabled: true, high: 101 } } }
    t.equal((await room.call('PATCH', '/v1/accounts/me', { body })).status, 400)
  })
}
