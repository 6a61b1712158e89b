// Runs on both engines in test:all: its statements run in no other file.
import type { Test } from 'tap'
import { recordAgentSeen } from '../../../../../control-plane/monitoring/locations/agents/queries.ts'
import { sampleLocationsTick } from '../../../../../control-plane/monitoring/locations/sample.ts'
import { forgiveTick } from '../../../../../control-plane/monitoring/runs/forgive.ts'
import { aliveTick, recover } from '../../../../../control-plane/monitoring/runs/recover.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { locationProblemsTick } from '../../../../../control-plane/monitoring/watches/location-problems/location-problems-tick.ts'
import { mailTick } from '../../../../../control-plane/platform/services/mail/mail-tick.ts'
import { controlPlaneVersion } from '../../../../../control-plane/platform/settings/config.ts'
import { urlMonitor } from '../../../../support/api.ts'
import { eachEngine, type TestApp } from '../../../../support/app.ts'
import { type Mailbox, withMailbox } from '../../../../support/mailbox.ts'
import { addPerson } from '../../../../support/members.ts'

const minuteMs = 60_000

const eachWithPeople = (
  name: string,
  body: (t: Test, plane: TestApp, box: Mailbox) => Promise<void>,
): void => {
  eachEngine(name, async (t, plane) => {
    await addPerson(plane, { email: 'owner@example.com', role: 'OWNER' })
    await addPerson(plane, { email: 'admin@example.com', role: 'ADMIN' })
    await addPerson(plane, { email: 'reader@example.com', role: 'READ_ONLY' })
    await body(t, plane, await withMailbox(t, plane))
  })
}

const addCheck = async (plane: TestApp): Promise<string> =>
  (await plane.call('POST', '/v1/checks/url', { body: urlMonitor('shop', 'http://127.0.0.1/') })).body.id

const seeAgent = (plane: TestApp) =>
  plane.app.db.run(recordAgentSeen, {
    location: plane.locationId,
    agentId: 'agent-1',
    version: '1.0.0',
    platform: 'linux-x64',
    checkTypes: '["URL"]',
    runtimeIds: '[]',
    isolation: null,
    now: plane.app.clock.now(),
  })

/** Two control planes look, and mails are sent. */
const look = async (plane: TestApp): Promise<void> => {
  await Promise.all([
    locationProblemsTick(controlPlaneVersion)(plane.app),
    locationProblemsTick(controlPlaneVersion)(plane.app),
  ])
  await mailTick(plane.app)
}

const unavailableSince = async (plane: TestApp): Promise<string | null> =>
  (await plane.call('GET', `/v1/private-locations/${plane.locationId}`)).body.unavailableSince

eachWithPeople(
  'owners and admins are told once that nobody comes, and once that somebody is back',
  async (t, plane, box) => {
    await addCheck(plane)
    await seeAgent(plane)
    await look(plane)
    plane.advance(3 * minuteMs)
    await look(plane)
    const since = new Date(plane.app.clock.now()).toISOString()
    plane.advance(9 * minuteMs)
    await look(plane)
    t.equal(box.mails.length, 0)
    t.equal(await unavailableSince(plane), null)
    plane.advance(minuteMs)
    await look(plane)
    t.equal(await unavailableSince(plane), since)
    t.strictSame(box.mails.map((mail) => mail.to?.[0]?.address).sort(), [
      'admin@example.com',
      'owner@example.com',
    ])
    t.match(box.mails[0], {
      subject: 'No agent in location local',
      text: /The last agent was seen on 1 Jan 2026, 00:00 UTC/,
    })
    plane.advance(minuteMs)
    await look(plane)
    t.equal(box.mails.length, 2, 'once')
    const { body } = await plane.call('GET', '/v1/check-alerts')
    t.match(body, [{ checkId: null, location: { id: plane.locationId, problem: 'NO_AGENT' } }])
    t.equal(body.length, 1, 'it is no outage of the checks')
    await seeAgent(plane)
    await look(plane)
    t.equal(await unavailableSince(plane), null)
    t.strictSame(
      box.mails.slice(2).map(({ subject }) => subject),
      ['An agent is back in location local', 'An agent is back in location local'],
    )
  },
)

eachWithPeople('a location without checks is missed by nobody', async (t, plane, box) => {
  await look(plane)
  const id = await addCheck(plane)
  await look(plane)
  await plane.call('DELETE', `/v1/checks/${id}`)
  plane.advance(20 * minuteMs)
  await look(plane)
  t.equal(box.mails.length, 0)
  t.strictSame(await plane.app.db.select((k) => k.selectFrom('location_problems').selectAll()), [])
})

eachWithPeople('our own downtime is no absence: agents could not be seen', async (t, plane, box) => {
  await addCheck(plane)
  await aliveTick(plane.app)
  await look(plane)
  plane.advance(20 * minuteMs)
  await recover(plane.app)
  await forgiveTick(plane.app)
  await look(plane)
  t.equal(box.mails.length, 0)
  plane.advance(10 * minuteMs)
  await look(plane)
  t.equal(box.mails.length, 2)
})

eachWithPeople('scaled to zero is no outage, until runs wait and nobody comes', async (t, plane, box) => {
  const { app, locationId, call } = plane
  await call('PUT', `/v1/private-locations/${locationId}`, { body: { name: 'local', scalesToZero: true } })
  await seeAgent(plane)
  plane.advance(20 * minuteMs)
  const { body } = await call('POST', '/v1/checks/url', { body: urlMonitor('shop', 'http://127.0.0.1/') })
  t.equal(body.warnings, undefined, 'an agent comes when a run waits')
  await look(plane)
  plane.advance(20 * minuteMs)
  await look(plane)
  t.equal(await unavailableSince(plane), null)
  t.strictSame(await app.db.select((k) => k.selectFrom('location_problems').selectAll()), [])

  const waitFor = async (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      plane.advance(minuteMs)
      await scheduleTick(app)
      await sampleLocationsTick(app)
      await look(plane)
    }
  }
  await waitFor(4)
  t.strictSame(await app.db.select((k) => k.selectFrom('location_problems').selectAll()), [])
  await waitFor(11)
  t.match(await unavailableSince(plane), /^2026-/, 'runs waited')
  t.equal(box.mails.length, 2)
  t.equal(box.mails[0]?.subject, 'No agent in location local')
  await seeAgent(plane)
  await look(plane)
  t.equal(await unavailableSince(plane), null)
  t.equal(box.mails[2]?.subject, 'An agent is back in location local')
})
