// Runs on both engines in test:all: rows are locked.
import type { Test } from 'tap'
import t from 'tap'
import { alertStatesTick } from '../../../../../control-plane/monitoring/watches/alert-states/alert-states-tick.ts'
import { type AlertRoom, alertRoom } from '../../../../support/alert-room.ts'
import { engineNames } from '../../../../support/databases.ts'

const minute = 60_000
const reminding = {
  useGlobalAlertSettings: false,
  alertSettings: { reminders: { amount: 100_000, interval: 5 } },
}

const each = (name: string, body: (t: Test, room: AlertRoom) => Promise<void>): void => {
  for (const engine of engineNames)
    t.test(`${name} (${engine})`, async (t) => body(t, await alertRoom(t, engine)))
}

/** Time passes in steps in which nothing is run. */
const pass = async ({ app, advance }: AlertRoom, minutes: number): Promise<void> => {
  for (let passed = 0; passed < minutes; passed++) {
    advance(minute)
    await alertStatesTick(app)
  }
}

const explained = async ({ call }: AlertRoom, id: string) =>
  (await call('GET', `/v1/checks/${id}/alert-explanation`)).body

each('an acknowledged alert is not reminded of; the next failure is', async (t, room) => {
  const { call, addCheck, run, alertTypes } = room
  const id = await addCheck(reminding)
  const path = `/v1/check-alerts/${id}`
  const nothing = await call('POST', `${path}/acknowledge`, { body: {} })
  t.equal(nothing.status, 409, 'there is nothing to acknowledge yet')
  await run('pf')
  await pass(room, 6)
  t.strictSame(await alertTypes(id), ['FAILURE', 'FAILURE_REMAIN'])
  const { status, body, text } = await call('POST', `${path}/acknowledge`, { body: {} })
  t.equal(status, 200, text)
  t.match(body, { action: 'ACKNOWLEDGED', until: null, via: 'API_KEY' })
  const again = await call('POST', `${path}/acknowledge`, { body: {} })
  t.strictSame(again.body, body, 'the first one stays')
  await pass(room, 30)
  t.strictSame(await alertTypes(id), ['FAILURE', 'FAILURE_REMAIN'], 'no reminder')
  const explanation = await explained(room, id)
  t.strictSame(explanation.response, body)
  t.match(explanation.summary, `it is acknowledged by ${body.by}`)
  const listed = (await call('GET', path)).body
  t.strictSame(listed[0].response, body, 'the list says who')
  t.equal(listed[1].response, null)
  await run('pf')
  await pass(room, 6)
  t.strictSame((await alertTypes(id)).slice(2), ['RECOVERY', 'FAILURE', 'FAILURE_REMAIN'])
  t.equal((await explained(room, id)).response, null)
  const older = await call('POST', `${path}/acknowledge`, { body: { checkAlertId: listed[0].id } })
  t.equal(older.status, 409, 'an alert of an older failure is not answered any more')
})

each('a snoozed alert comes back once; taken back, reminders go on', async (t, room) => {
  const { call, addCheck, run, alertTypes } = room
  const id = await addCheck({ ...reminding, alertSettings: { reminders: { amount: 0, interval: 5 } } })
  const path = `/v1/check-alerts/${id}`
  await run('pf')
  const { status, body } = await call('POST', `${path}/snooze`, { body: { minutes: 30 } })
  t.equal(status, 200)
  t.equal(Date.parse(body.until), room.app.clock.now() + 30 * minute)
  const again = await call('POST', `${path}/snooze`, { body: { until: body.until } })
  t.strictSame(again.body, body)
  await pass(room, 29)
  t.strictSame(await alertTypes(id), ['FAILURE'])
  await pass(room, 60)
  t.strictSame(await alertTypes(id), ['FAILURE', 'FAILURE_REMAIN'], 'once')
  t.equal((await explained(room, id)).response, null)
  await call('POST', `${path}/acknowledge`, { body: {} })
  const withdrawn = await call('DELETE', `${path}/response`)
  t.equal(withdrawn.status, 204)
  t.equal((await explained(room, id)).response, null)
})

each('two at once: one row, one answer', async (t, room) => {
  const { call, addCheck, run } = room
  const id = await addCheck(reminding)
  await run('pf')
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => call('POST', `/v1/check-alerts/${id}/acknowledge`, { body: {} })),
  )
  t.equal(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1)
})

each('who may, and what is refused', async (t, room) => {
  const { call, addCheck, run, addKey, accountId, app } = room
  const id = await addCheck(reminding)
  await run('pf')
  const path = `/v1/check-alerts/${id}`
  const { apiKey: reader } = await addKey({ accountId, role: 'READ_ONLY' })
  t.equal((await call('POST', `${path}/acknowledge`, { key: reader, body: {} })).status, 403)
  const { apiKey: runner } = await addKey({ accountId, role: 'READ_RUN' })
  t.equal((await call('POST', `${path}/acknowledge`, { key: runner, body: {} })).status, 200)
  const past = new Date(app.clock.now() - 1).toISOString()
  for (const body of [{}, { minutes: 0 }, { minutes: 43_201 }, { until: past }, { minutes: 5, until: past }])
    t.equal((await call('POST', `${path}/snooze`, { body })).status, 400, JSON.stringify(body))
  const stranger = `/v1/check-alerts/${app.newId()}/acknowledge`
  t.equal((await call('POST', stranger, { body: {} })).status, 404)
})
