// Runs on both engines in test:all: what waits is locked, and leaves its line by statements of its own.
/** What waits for the hours of a channel, and what becomes of it. */
import t, { type Test } from 'tap'
import { alertRoom } from '../../../support/alert-room.ts'
import { dispatch, loopbackEnv } from '../../../support/alerting.ts'
import { engineNames } from '../../../support/databases.ts'
import { byLength } from '../../../support/length.ts'
import { randomFrom } from '../../../support/random.ts'
import { receiver } from '../../../support/receiver.ts'
import { seed } from '../../../support/seed.ts'

const hourMs = 3_600_000
/** The clock of tests begins at midnight. */
const nights = {
  timezone: 'UTC',
  mode: 'quiet',
  times: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '22:00', to: '07:00' }],
}

const nightRoom = async (t: Test, engine: (typeof engineNames)[number]) => {
  const room = await alertRoom(t, engine, loopbackEnv)
  const hook = await receiver(t)
  const addHook = async (name: string, more: object = {}): Promise<number> =>
    room.addChannel({ type: 'WEBHOOK', config: { name, url: `${hook.origin}/${name}` }, ...more })
  return {
    ...room,
    addHook,
    hours: () => (room.app.clock.now() % (24 * hourMs)) / hourMs,
    /** What came to one of them, in order. */
    told: (name: string): string[] =>
      hook.received
        .filter(({ path }) => path === `/${name}`)
        .map(({ json }) => (json as { alert_type: string }).alert_type.replace('ALERT_', '')),
    go: async (letters: string): Promise<void> => {
      for (const letter of letters) {
        await room.run(letter)
        await dispatch(room.app)
      }
    },
    to: async (hour: number): Promise<void> => {
      const now = (room.app.clock.now() % (24 * hourMs)) / hourMs
      room.advance(Math.ceil((((hour - now + 24) % 24) * hourMs) / 1000) * 1000)
      await dispatch(room.app)
    },
  }
}

for (const engine of engineNames) {
  const test = (
    name: string,
    body: (t: Test, room: Awaited<ReturnType<typeof nightRoom>>) => Promise<void>,
  ) => t.test(`${name} (${engine})`, async (t) => body(t, await nightRoom(t, engine)))

  test('what fails and recovers by night is told to nobody, and said', async (t, room) => {
    const quiet = await room.addHook('quiet', { hours: nights })
    await room.addHook('always')
    const checkId = await room.addCheck()
    await room.go('pf')
    const [waiting] = (await room.call('GET', `/v1/alert-notifications?alertChannelId=${quiet}`)).body
    t.match(waiting, { status: 'IN_PROGRESS', waitsUntil: '2026-01-01T07:00:00.000Z', tries: 0 })
    const explained = async () =>
      (await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body.channels.find(
        ({ alertChannelId }: { alertChannelId: number }) => alertChannelId === quiet,
      ).reason
    t.match(await explained(), /waits for the hours of the channel, until 1 Jan 2026, 07:00/)
    await room.go('p')
    t.match(await explained(), /was not sent. Not sent: what it is the end of was over before the hours/)
    await room.to(7)
    t.strictSame(room.told('quiet'), [])
    t.strictSame(room.told('always'), ['FAILURE', 'RECOVERY'])
    const all = (await room.call('GET', `/v1/alert-notifications?alertChannelId=${quiet}`)).body
    t.match(all, [
      { status: 'WITHDRAWN', nextTryAt: null, notificationResult: /what it is the end of was over/ },
      { status: 'WITHDRAWN', nextTryAt: null, notificationResult: /it was over before/ },
    ])
  })

  test('what still fails in the morning is told then, once, and its recovery after it', async (t, room) => {
    await room.addHook('quiet', { hours: nights })
    await room.addHook('failures', { hours: nights, sendRecovery: false })
    await room.addCheck()
    await room.go('pfpf')
    await room.to(6.9)
    t.strictSame(room.told('quiet'), [])
    await room.to(7)
    t.strictSame(room.told('quiet'), ['FAILURE'])
    t.strictSame(room.told('failures'), ['FAILURE'], 'who hears of no recovery hears no old failure either')
    await room.to(23)
    await room.go('p')
    t.strictSame(room.told('quiet'), ['FAILURE', 'RECOVERY'], 'what was told is over at once')
  })

  test('what is critical is told at once, and what waits is chosen', async (t, room) => {
    await room.addHook('quiet', { hours: nights })
    await room.addHook('low', { hours: { ...nights, waits: 'low' } })
    const checkId = await room.addCheck()
    await room.go('pf')
    t.strictSame([room.told('quiet'), room.told('low')], [[], ['FAILURE']])
    await room.call('PATCH', `/v1/checks/url/${checkId}`, { body: { severity: 'LOW' } })
    await room.go('pf')
    t.strictSame(room.told('low'), ['FAILURE', 'RECOVERY'])
    await room.call('PATCH', `/v1/checks/url/${checkId}`, { body: { severity: 'CRITICAL' } })
    await room.go('pf')
    t.strictSame([room.told('quiet'), room.told('low')], [['FAILURE'], ['FAILURE', 'RECOVERY', 'FAILURE']])
  })

  test('hours that are changed hold for what waits already', async (t, room) => {
    const quiet = await room.addHook('quiet', { hours: nights })
    await room.addCheck()
    await room.go('pf')
    const { type, config } = (await room.call('GET', `/v1/alert-channels/${quiet}`)).body
    const change = (hours: unknown) =>
      room.call('PUT', `/v1/alert-channels/${quiet}`, { body: { type, config, hours } })
    t.match(await change({ ...nights, timezone: 'Mars/Olympus' }), { status: 400 })
    t.equal((await change({ ...nights, timezone: 'Asia/Tokyo' })).status, 200)
    await dispatch(room.app)
    t.strictSame(room.told('quiet'), ['FAILURE'], 'there it is day')
    await room.go('p')
    t.match((await room.call('GET', `/v1/alert-channels/${quiet}`)).body, { hours: { waits: 'normal' } })
    t.equal((await change(null)).status, 200)
    t.equal((await room.call('GET', `/v1/alert-channels/${quiet}`)).body.hours, null)
  })

  test('whatever happens, what a channel with hours hears follows from what another one hears', async (t, room) => {
    await room.addHook('quiet', { hours: nights, sendDegraded: true })
    await room.addHook('always', { sendDegraded: true })
    await room.addCheck()
    const random = randomFrom(seed)
    const below = (count: number): number => Math.floor(random() * count)
    const expected: string[] = []
    const model = { waiting: false, isTold: false, latest: '' }
    let heard = 0
    for (let step = 0; step < byLength({ short: 25, all: 60, long: 400 }); step++) {
      const before = room.hours()
      let ahead = below(3) === 0 ? 1 + below(9) : 0
      // No hours begin or end while a run is waited for.
      const at = (before + ahead) % 24
      if ((at > 6.5 && at < 7) || (at > 21.5 && at < 22)) ahead += 0.5
      room.advance(ahead * hourMs)
      await dispatch(room.app)
      if (model.waiting && ((before < 7 && before + ahead >= 7) || before + ahead >= 31)) {
        expected.push(model.latest)
        Object.assign(model, { waiting: false, isTold: true })
      }
      await room.go('pffdp'.charAt(below(5)))
      const isNight = room.hours() < 7 || room.hours() >= 22
      for (const type of room.told('always').slice(heard)) {
        heard += 1
        if (type.endsWith('RECOVERY')) {
          if (model.isTold) expected.push(type)
          Object.assign(model, { waiting: false, isTold: false })
        } else if (isNight) Object.assign(model, { waiting: true, latest: type })
        else {
          expected.push(type)
          Object.assign(model, { waiting: false, isTold: true })
        }
      }
      t.strictSame(room.told('quiet'), expected, `step ${step}`)
    }
  })
}
