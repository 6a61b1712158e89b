// Runs on both engines in test:all: states are written and read by other transactions.
/** What is told in the morning of a check that was muted, or in maintenance, by night. */
import t, { type Test } from 'tap'
import { alertStatesTick } from '../../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import { type AlertRoom, alertRoom } from '../../../../support/alert-room.ts'
import { engineNames } from '../../../../support/databases.ts'

const minute = 60_000

type Night = AlertRoom & {
  mute(muted: boolean): Promise<void>
  maintain(minutes: number): Promise<void>
  pass(minutes: number): Promise<void>
  told(): Promise<string[]>
}

const night = async (t: Test, engine: 'sqlite' | 'postgres', alertSettings: object): Promise<Night> => {
  const room = await alertRoom(t, engine)
  const channel = await room.addChannel()
  const id = await room.addCheck({
    useGlobalAlertSettings: false,
    alertSettings,
    alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }],
  })
  return {
    ...room,
    mute: async (muted) => {
      const answer = await room.call('PATCH', `/v1/checks/url/${id}`, { body: { muted } })
      t.equal(answer.status, 200, answer.text)
    },
    maintain: async (minutes) => {
      const now = room.app.clock.now()
      const startsAt = new Date(now).toISOString()
      const endsAt = new Date(now + minutes * minute).toISOString()
      const body = { name: 'Night', startsAt, endsAt, silenceAllAlerts: true }
      const answer = await room.call('POST', '/v1/maintenance-windows', { body })
      t.ok(answer.status < 300, answer.text)
    },
    pass: async (minutes) => {
      for (let passed = 0; passed < minutes; passed++) {
        room.advance(minute)
        await alertStatesTick(room.app)
      }
    },
    told: async () => (await room.notified()).map((one) => one.replace(/^\d+ /, '')),
  }
}

const byTime = {
  escalationType: 'TIME_BASED',
  timeBasedEscalation: { minutesFailingThreshold: 5 },
  reminders: { amount: 100_000, interval: 5 },
}
const byRuns = { reminders: { amount: 100_000, interval: 5 } }

for (const engine of engineNames)
  for (const [name, settings] of Object.entries({ byTime, byRuns })) {
    t.test(
      `muted by night, and it still fails: one message when the mute is over (${name}, ${engine})`,
      async (t) => {
        const room = await night(t, engine, settings)
        await room.run('p')
        await room.mute(true)
        await room.run('f'.repeat(12))
        await room.pass(30)
        t.strictSame(await room.told(), [])
        await room.mute(false)
        await room.run('f')
        t.equal((await room.told()).length, 1, 'and no reminder of what nobody was told of')
        t.match(await room.told(), [/^FAILURE/])
        await room.run('ffffff')
        t.equal((await room.told()).length, 2, 'reminders begin then')
      },
    )

    t.test(`muted by night, and well in the morning: nothing (${name}, ${engine})`, async (t) => {
      const room = await night(t, engine, settings)
      await room.run('p')
      await room.mute(true)
      await room.run('ffffffffp')
      await room.mute(false)
      await room.run('pp')
      await room.pass(30)
      t.strictSame(await room.told(), [])
    })

    t.test(
      `maintenance by night: what fails and recovers is told to nobody, what still fails once (${name}, ${engine})`,
      async (t) => {
        const room = await night(t, engine, settings)
        await room.run('p')
        await room.maintain(60)
        await room.run('ffffffffpp')
        await room.pass(70)
        t.strictSame(await room.told(), [])
        await room.maintain(60)
        await room.run('f'.repeat(10))
        await room.pass(30)
        t.strictSame(await room.told(), [], 'it lasts')
        await room.pass(24)
        const told = await room.told()
        t.equal(told.filter((type) => type.startsWith('FAILURE')).length, told.length)
        t.ok(told.length >= 1 && told.length <= 2, told.join())
      },
    )
  }

for (const engine of engineNames)
  t.test(`told, then muted: that it recovers meanwhile is told to nobody (${engine})`, async (t) => {
    const room = await night(t, engine, byRuns)
    await room.run('pf')
    t.strictSame(await room.told(), ['FAILURE'])
    await room.mute(true)
    await room.run('fp')
    await room.mute(false)
    await room.run('pp')
    await room.pass(30)
    t.strictSame(await room.told(), ['FAILURE'])
  })
