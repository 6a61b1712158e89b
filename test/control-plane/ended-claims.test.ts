/** What a killed control plane was sending is sent by the next one at once, unless somebody else works with the same file. */
import { randomUUID } from 'node:crypto'
import t, { type Test } from 'tap'
import { queueNotifications } from '../../control-plane/alerting/notifications/queue-notifications.ts'
import { attend } from '../../control-plane/platform/store/database/attendance.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { alertEvent } from '../support/alerting.ts'
import { callApi } from '../support/api.ts'
import { accountId, endsWith, listening, scratchFolder, spawnControlPlane } from '../support/programs.ts'
import { type Answering, receiver } from '../support/receiver.ts'
import { until } from '../support/until.ts'

const longMs = 3_600_000

/** A notification whose sender was killed while its receiver thought about it, with a claim that outlasts the test. */
const setUp = async (t: Test) => {
  const dataDir = await scratchFolder(t)
  const file = `${dataDir}/watchpost.db`
  const env = { DATABASE_URL: `sqlite:${file}`, EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8' }
  const start = () => listening(endsWith(t, spawnControlPlane({ dataDir, env })))
  const hook = await receiver(t, (_, count): Answering => (count === 1 ? 'stall' : {}))
  const first = await start()
  const config = { name: 'hook', url: hook.origin }
  const channel = await callApi<{ id: number }>(first.url, '/v1/alert-channels', {
    method: 'POST',
    body: { type: 'WEBHOOK', config },
  })
  const db = openDatabase(`sqlite:${file}`)
  t.teardown(() => db.close())
  const queue = (checkId: string) => {
    const notice = { event: alertEvent({ accountId, checkId }), to: [channel.body.id] }
    return db.transaction((trx) =>
      queueNotifications(trx, [notice], { now: Date.now(), newId: () => randomUUID() }),
    )
  }
  await queue(randomUUID())
  await until('it is on its way', () => hook.received.length === 1)
  await first.end('SIGKILL')
  await db.execute((k) =>
    k
      .updateTable('alert_notifications')
      .set({ claimed_until: Date.now() + longMs })
      .where('claims', '>', 0),
  )
  return { file, start, hook, queue }
}

const idsOf = ({ received }: Awaited<ReturnType<typeof receiver>>) =>
  received.map(({ headers }) => headers['x-service-notification-id'])

t.test('a control plane that is alone with its file sends it again', async (t) => {
  const { start, hook } = await setUp(t)
  await start()
  await until('its copy has come', () => hook.received.length === 2)
  const [first, again] = idsOf(hook)
  t.equal(again, first)
})

t.test('one that is not alone leaves it to whoever may have it', async (t) => {
  const { file, start, hook, queue } = await setUp(t)
  const other = attend(file)
  t.teardown(other.leave)
  other.stay()
  await start()
  await queue(randomUUID())
  await until('the next one has come', () => hook.received.length === 2)
  const [first, next] = idsOf(hook)
  t.not(next, first)
})
