/** What time alone brings, with two control planes on one store. */
import t from 'tap'
import { createApp } from '../../../../../control-plane/create-app.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { alertStatesTick } from '../../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import type { Job } from '../../../../../protocol/job.ts'
import { type AlertRoom, alertRoom } from '../../../../support/alert-room.ts'
import { overlapped } from '../../../../support/overlapped.ts'

const settings = {
  useGlobalAlertSettings: false,
  alertSettings: {
    escalationType: 'TIME_BASED',
    timeBasedEscalation: { minutesFailingThreshold: 5 },
    reminders: { amount: 100_000, interval: 1 },
  },
}

const another = ({ app: { config, db, log, cipher, clock } }: AlertRoom) =>
  createApp({ config, db, log, cipher, clock })

/** What is due next, once something is. */
const dueJobs = async (room: AlertRoom): Promise<Job[]> => {
  let jobs = await room.claim()
  while (jobs.length === 0) {
    room.advance(1000)
    await scheduleTick(room.app)
    jobs = await room.claim()
  }
  return jobs
}

t.test('two control planes tell a threshold that is met, and each reminder, once', async (t) => {
  const room = await alertRoom(t, 'postgres')
  const channel = await room.addChannel()
  const checkId = await room.addCheck({
    ...settings,
    alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }],
  })
  const second = another(room)
  await room.run('f')
  t.strictSame(await room.notified(), [])
  const expected: string[] = []
  room.advance(5 * 60_000)
  for (let minute = 0; minute < 12; minute++) {
    expected.push(`${channel} ${minute === 0 ? 'FAILURE' : 'FAILURE_REMAIN'}`)
    await overlapped(room.app, alertStatesTick, () => alertStatesTick(second))
    t.strictSame(await room.notified(), expected, `minute ${minute}`)
    t.equal((await room.alertTypes(checkId)).length, expected.length)
    room.advance(60_000)
  }
})

t.test('a run that is reported while a reminder comes due: each is told, and once', async (t) => {
  for (const order of ['reminder first', 'report first']) {
    const room = await alertRoom(t, 'postgres')
    const checkId = await room.addCheck(settings)
    const second = another(room)
    await room.run('f')
    room.advance(5 * 60_000)
    await alertStatesTick(room.app)
    t.strictSame(await room.alertTypes(checkId), ['FAILURE'])
    await room.run('f')
    const told = (await room.alertTypes(checkId)).length
    room.advance(60_000)
    const jobs = await dueJobs(room)
    const report = (app: typeof second) => room.reportTo(app, jobs, 'p')
    if (order === 'reminder first') await overlapped(room.app, alertStatesTick, () => report(second))
    else await overlapped(room.app, report, () => alertStatesTick(second))
    await alertStatesTick(room.app)
    const types = (await room.alertTypes(checkId)).slice(told)
    t.strictSame(types.sort(), ['FAILURE_REMAIN', 'RECOVERY'], order)
  }
})

t.test('many checks come due at once, and neither control plane doubles what the other tells', async (t) => {
  const room = await alertRoom(t, 'postgres')
  const count = 40
  const channel = await room.addChannel()
  const more = { ...settings, alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }] }
  for (let i = 0; i < count; i++) await room.addCheck({ ...more, name: `Check ${i}` })
  const second = another(room)
  let failed = 0
  while (failed < count) {
    const jobs = await dueJobs(room)
    failed += new Set(jobs.map(({ checkId }) => checkId)).size
    await room.report(jobs, 'f')
  }
  room.advance(5 * 60_000)
  await Promise.all([
    alertStatesTick(room.app),
    alertStatesTick(second),
    alertStatesTick(room.app),
    alertStatesTick(second),
  ])
  const told = await room.notified()
  t.equal(told.filter((one) => one === `${channel} FAILURE`).length, count)
  t.equal(told.length, count)
  t.comment(`${count} checks, two control planes with two looks each, ${told.length} transitions`)
})
