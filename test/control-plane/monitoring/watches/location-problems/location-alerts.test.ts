// Runs on both engines in test:all: several control planes race for the rows of a problem.
/** What is wrong with a private location is told by ordinary channels: once, and once more when it is over. */
import t, { type Test } from 'tap'
import { slackMessage } from '../../../../../control-plane/alerting/channels/slack-message.ts'
import { alertEvent as storedEvent } from '../../../../../control-plane/alerting/messages/alert-event.ts'
import { messageOf } from '../../../../../control-plane/alerting/messages/message.ts'
import { presenceTick } from '../../../../../control-plane/monitoring/locations/agents/agent-presence.ts'
import { recordAgentSeen } from '../../../../../control-plane/monitoring/locations/agents/queries.ts'
import { sampleLocationsTick } from '../../../../../control-plane/monitoring/locations/sample.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { locationProblemsTick } from '../../../../../control-plane/monitoring/watches/location-problems/location-problems-tick.ts'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { controlPlaneVersion } from '../../../../../control-plane/platform/settings/config.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { agentPaths } from '../../../../../protocol/agent-api.ts'
import { addChannel, dispatch, loopbackEnv } from '../../../../support/alerting.ts'
import { urlMonitor } from '../../../../support/api.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { sessionOf, visitPage } from '../../../../support/dashboard.ts'
import { engineNames } from '../../../../support/databases.ts'
import { claimRequest } from '../../../../support/engine-room.ts'
import { byLength } from '../../../../support/length.ts'
import { withMailbox } from '../../../../support/mailbox.ts'
import { addPerson } from '../../../../support/members.ts'
import { randomFrom } from '../../../../support/random.ts'
import { receiver } from '../../../../support/receiver.ts'
import { seed } from '../../../../support/seed.ts'

const minuteMs = 60_000
const url = 'http://127.0.0.1/'

const seeAgent = ({ app, locationId }: TestApp, version = '99.0.0', checkTypes = ['URL']) =>
  app.db.run(recordAgentSeen, {
    location: locationId,
    agentId: 'agent-1',
    version,
    platform: 'linux-x64',
    checkTypes: JSON.stringify(checkTypes),
    runtimeIds: '[]',
    isolation: null,
    now: app.clock.now(),
  })

/** Two control planes look. */
const look = async ({ app }: TestApp, version: string = controlPlaneVersion): Promise<void> => {
  const tick = locationProblemsTick(version)
  await Promise.all([tick(app), tick(app)])
}

const hooked = async (t: Test, plane: TestApp, more: object = {}) => {
  const hook = await receiver(t)
  const config = { name: 'w', url: `${hook.origin}/in` }
  const { status } = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'WEBHOOK', config, autoSubscribe: true, ...more },
  })
  t.equal(status, 201)
  return { told: () => hook.received.map(({ json }) => json) }
}

/** A minute at a time, as the loops do. */
const pass = async (
  plane: TestApp,
  minutes: number,
  alive: () => Promise<unknown>,
  version?: string,
): Promise<void> => {
  for (let minute = 0; minute < minutes; minute++) {
    plane.advance(minuteMs)
    await alive()
    await scheduleTick(plane.app)
    await sampleLocationsTick(plane.app)
    await look(plane, version)
    await dispatch(plane.app)
  }
}

const nobody = async () => {}

for (const engine of engineNames) {
  t.test(`a location without agents: webhook, mail, Slack, list and page (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: loopbackEnv })
    await addPerson(plane, { email: 'owner@example.com', role: 'OWNER' })
    const box = await withMailbox(t, plane)
    const { told } = await hooked(t, plane)
    await addChannel(plane, 'EMAIL', { address: 'silent@example.com' })
    await plane.call('POST', '/v1/alert-channels', {
      body: { type: 'EMAIL', config: { address: 'ops@example.com' }, locationAlerts: true },
    })
    await plane.call('POST', '/v1/checks/url', { body: urlMonitor('shop', url) })
    await seeAgent(plane)
    await pass(plane, 14, nobody)
    t.equal(told().length, 1)
    const location = { id: plane.locationId, name: 'local', problem: 'NO_AGENT' }
    t.match(told()[0], {
      alert_title: 'No agent in location local',
      alert_type: 'ALERT_FAILURE',
      location,
      check_id: null,
      check_name: null,
      check_type: null,
      acknowledge_link: null,
      error_message: /no agent serves it. The last agent was seen on 1 Jan 2026, 00:00 UTC/,
      link: `${plane.app.config.baseUrl}/app/locations/${plane.locationId}`,
    })
    t.strictSame(
      box.mails.map(({ to }) => to?.[0]?.address),
      ['ops@example.com'],
      'who subscribes to nothing is not told, nor are owners where a channel is',
    )
    t.match(box.mails[0], {
      subject: '[Failing] No agent in location local',
      text: /Their runs are missed until an agent returns/,
    })
    const { body } = await plane.call('GET', '/v1/check-alerts')
    t.match(body, [{ name: 'local', checkId: null, checkType: null, location, alertType: 'ALERT_FAILURE' }])
    const sent = (await plane.call('GET', '/v1/alert-notifications')).body
    t.match(sent, [
      { checkId: null, locationId: plane.locationId, checkName: 'local' },
      { status: 'SUCCESS' },
    ])
    t.match(
      (await visitPage(plane, await sessionOf(plane), '/app/channels')).text,
      `<a href="/app/locations/${plane.locationId}">local</a>`,
    )
    const { problems, unavailableSince } = (
      await plane.call('GET', `/v1/private-locations/${plane.locationId}`)
    ).body
    t.strictSame(problems, [{ problem: 'NO_AGENT', since: unavailableSince }])

    const [row] = await plane.app.db.select((k) => k.selectFrom('alert_notifications').select('event'))
    const event = storedEvent.read(row?.event ?? '')
    t.match(
      JSON.stringify(slackMessage(messageOf(event, { id: 'x', link: 'https://w' }))),
      /No agent in location local.*no agent serves it/,
    )

    await seeAgent(plane)
    await look(plane)
    await dispatch(plane.app)
    t.match(told().slice(1), [
      { alert_type: 'ALERT_RECOVERY', alert_title: 'An agent is back in location local', location },
    ])
    t.equal(box.mails.length, 2)
    await pass(plane, 3, () => seeAgent(plane))
    t.equal(told().length, 2, 'once')
  })

  t.test(`runs that wait for want of agents (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: loopbackEnv })
    const { told } = await hooked(t, plane)
    await plane.call('POST', '/v1/checks/url', { body: { ...urlMonitor('shop', url), frequency: 5 } })
    await pass(plane, 14, () => seeAgent(plane, '99.0.0', ['TCP']))
    t.strictSame(told(), [], 'what no agent there could run at any time does not wait for room')
    await pass(plane, 4, () => seeAgent(plane))
    t.equal(told().length, 0, 'four minutes are not enough')
    await pass(plane, 1, () => seeAgent(plane))
    t.match(told(), [
      {
        alert_type: 'ALERT_DEGRADED',
        alert_title: 'Too few agents in location local',
        location: { problem: 'TOO_FEW_AGENTS' },
        error_message: /of the last 10 minutes one had waited for 30 seconds, or for half of its period/,
      },
    ])
    await plane.app.db.execute((k) => k.deleteFrom('jobs'))
    await plane.app.db.execute((k) => k.updateTable('schedules').set({ next_at: 9_000_000_000_000 }))
    await pass(plane, 9, () => seeAgent(plane))
    t.equal(told().length, 1)
    await pass(plane, 2, () => seeAgent(plane))
    t.match(told().slice(1), [
      { alert_type: 'ALERT_DEGRADED_RECOVERY', location: { problem: 'TOO_FEW_AGENTS' } },
    ])
  })

  t.test(`agents that are older than is supported, from their claims on (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: loopbackEnv })
    const { told } = await hooked(t, plane, { locationAlerts: true })
    await plane.call('POST', '/v1/checks/url', { body: { ...urlMonitor('shop', url), frequency: 1440 } })
    const claims = (version: string) => async () => {
      const body = claimRequest({ version })
      const { status } = await plane.call('POST', agentPaths.claim, { key: plane.agentKey, body })
      t.equal(status, 200)
      await presenceTick(plane.app)
    }
    await pass(plane, 9, claims('0.2.9'), '0.5.0')
    t.equal(told().length, 0, 'whoever is upgraded meanwhile bothers nobody')
    await pass(plane, 3, claims('0.2.9'), '0.5.0')
    t.match(told(), [
      {
        alert_title: 'Outdated agents in location local',
        alert_type: 'ALERT_DEGRADED',
        location: { problem: 'OUTDATED_AGENTS' },
        error_message: /the oldest is 0\.2\.9, and 0\.3 is the oldest that works/,
      },
    ])
    const { body } = await plane.call('GET', `/v1/private-locations/${plane.locationId}`)
    t.match(body.problems, [{ problem: 'OUTDATED_AGENTS' }])
    await pass(plane, 1, claims('0.3.0'), '0.5.0')
    t.match(told().slice(1), [{ alert_type: 'ALERT_DEGRADED_RECOVERY' }], 'upgraded')
    await pass(plane, 12, claims('0.3.0'), '0.5.0')
    t.equal(told().length, 2, 'once')
  })

  t.test(`nobody is told of what nobody would be told of (${engine})`, async (t) => {
    const plane = await testApp(t, { engine, env: loopbackEnv })
    const { told } = await hooked(t, plane)
    const { id } = (
      await plane.call('POST', '/v1/checks/url', { body: { ...urlMonitor('shop', url), muted: true } })
    ).body
    await pass(plane, 15, nobody)
    t.equal(told().length, 0, 'all checks that run there are muted')
    const body = { ...urlMonitor('shop', url), muted: false }
    t.equal((await plane.call('PUT', `/v1/checks/url/${id}`, { body })).status, 200)
    const at = (minutes: number) => new Date(plane.app.clock.now() + minutes * minuteMs).toISOString()
    const window = await plane.call('POST', '/v1/maintenance-windows', {
      body: { name: 'move', startsAt: at(0), endsAt: at(30), repeatUnit: null, silenceAllAlerts: true },
    })
    t.equal(window.status, 201, window.text)
    await pass(plane, 15, nobody)
    t.equal(told().length, 0, 'a maintenance silences them')
    await pass(plane, 17, nobody)
    t.match(told(), [{ location: { problem: 'NO_AGENT' } }], 'it is told when the maintenance is over')
    await plane.call('DELETE', `/v1/checks/${id}`)
    await pass(plane, 1, nobody)
    t.match(told().slice(1), [{ alert_type: 'ALERT_RECOVERY' }], 'nothing runs there any more')
  })

  t.test(
    `a location that is removed takes its alerts along; an open alert is kept (${engine})`,
    async (t) => {
      const plane = await testApp(t, { engine, env: loopbackEnv })
      await hooked(t, plane)
      const { id } = (await plane.call('POST', '/v1/checks/url', { body: urlMonitor('shop', url) })).body
      await pass(plane, 12, nobody)
      plane.advance(400 * 86_400_000)
      for (let turn = 0; turn < 3; turn++) {
        plane.advance(3_600_000)
        await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
      }
      const alerts = await plane.app.db.select((k) => k.selectFrom('check_alerts').select('id'))
      t.equal(alerts.length, 1, 'it is open')
      await plane.call('DELETE', `/v1/checks/${id}`)
      const removed = await plane.call('DELETE', `/v1/private-locations/${plane.locationId}`)
      t.equal(removed.status, 204, removed.text)
      for (const table of ['location_problems', 'check_alerts', 'alert_notifications'] as const)
        t.strictSame(await plane.app.db.select((k) => k.selectFrom(table).selectAll()), [], table)
    },
  )

  t.test(`told once, over once, whatever happens in between (${engine})`, async (t) => {
    const random = randomFrom(seed)
    const histories = engine === 'sqlite' ? byLength({ short: 3, all: 20, long: 100 }) : 3
    for (let history = 0; history < histories; history++) await anyHistory(t, engine, random)
  })
}

/**
 * Agents come and go at random, control planes look one or two at a time and die between what they wrote and its delivery. The model: what is told
 * last says what is true, told after ten minutes, over at once.
 */
const anyHistory = async (t: Test, engine: (typeof engineNames)[number], random: () => number) => {
  const plane = await testApp(t, { engine, env: loopbackEnv })
  const { told } = await hooked(t, plane)
  await plane.call('POST', '/v1/checks/url', { body: urlMonitor('shop', url) })
  const expected: string[] = []
  let [seenAt, goneSince, isTold] = [0, 0, false]
  for (let step = 0; step < 60; step++) {
    plane.advance(minuteMs * (1 + Math.floor(random() * 4)))
    const now = plane.app.clock.now()
    if (random() < 0.2) {
      await seeAgent(plane)
      seenAt = now
    }
    await (random() < 0.5 ? look(plane) : locationProblemsTick(controlPlaneVersion)(plane.app))
    if (seenAt > now - 2 * minuteMs) {
      if (isTold) expected.push('ALERT_RECOVERY')
      ;[goneSince, isTold] = [0, false]
    } else {
      if (goneSince === 0) goneSince = now
      if (!isTold && goneSince <= now - 10 * minuteMs) {
        expected.push('ALERT_FAILURE')
        isTold = true
      }
    }
    const dice = random()
    if (dice < 0.3) await dispatch(plane.app)
    // One that had taken a message up is gone before it has sent it.
    else if (dice < 0.5)
      await plane.app.db.execute((k) =>
        k
          .updateTable('alert_notifications')
          .set({ claimed_until: now + 5000 })
          .where('due_at', 'is not', null),
      )
  }
  plane.advance(minuteMs)
  for (let turn = 0; turn < 40 && told().length < expected.length; turn++) await dispatch(plane.app)
  t.strictSame(
    told().map(({ alert_type }) => alert_type),
    expected,
    `seed ${seed}`,
  )
}
