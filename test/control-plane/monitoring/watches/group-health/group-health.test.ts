// Runs on both engines in test:all: rows are locked, and made where there are none.
import t, { type Test } from 'tap'
import { alertEvent } from '../../../../../control-plane/alerting/messages/alert-event.ts'
import { incidentKey, messageOf } from '../../../../../control-plane/alerting/messages/message.ts'
import { scheduleTick } from '../../../../../control-plane/monitoring/schedule/schedule.ts'
import { groupHealthTick } from '../../../../../control-plane/monitoring/watches/group-health/group-health-tick.ts'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { type AlertRoom, alertRoom, type Letter } from '../../../../support/alert-room.ts'
import { engineNames } from '../../../../support/databases.ts'

const minute = 60_000
type EngineName = (typeof engineNames)[number]

/** A group that tells a channel of its own, with checks that tell another one. */
const shop = async (t: Test, engine: EngineName, { groupHealth, checks = 3, ...more }: Shop) => {
  const room = await alertRoom(t, engine)
  const ofGroup = await room.addChannel()
  const ofChecks = await room.addChannel()
  const group = await room.call('POST', '/v2/check-groups?autoAssignAlerts=false', {
    body: {
      name: 'Shop',
      groupHealth,
      alertChannelSubscriptions: [{ alertChannelId: ofGroup, activated: true }],
      ...more,
    },
  })
  t.equal(group.status, 201, group.text)
  const groupId: number = group.body.id
  const ids: string[] = []
  for (let n = 0; n < checks; n++)
    ids.push(
      await room.addCheck({
        name: `Page ${n}`,
        groupId,
        frequencyOffset: 5,
        alertChannelSubscriptions: [{ alertChannelId: ofChecks, activated: true }],
      }),
    )
  const round = async (letters: string): Promise<void> => {
    const jobs = await room.claim()
    t.equal(jobs.length, letters.length, `all are due for ${letters}`)
    for (const [position, letter] of [...letters].entries())
      await room.report(
        jobs.filter(({ checkId }) => checkId === ids[position]),
        letter as Letter,
      )
    await groupHealthTick(room.app)
    room.advance(minute)
    await scheduleTick(room.app)
  }
  const health = async () => (await room.call('GET', `/v1/check-groups/${groupId}/health`)).body
  const change = async (body: object) => {
    const answer = await room.call('PATCH', `/v2/check-groups/${groupId}`, { body })
    t.equal(answer.status, 200, answer.text)
    await groupHealthTick(room.app)
  }
  return { room, groupId, ids, ofGroup, ofChecks, round, health, change, told: toldIn(room) }
}

type Shop = { groupHealth: object | null; checks?: number; muted?: boolean; tags?: string[] }

/** `group` or `check`, and of what: each message in the outbox, by channel. */
const toldIn =
  (room: AlertRoom) =>
  async (channelId: number): Promise<string[]> =>
    (
      await room.app.db.select((k) =>
        k
          .selectFrom('alert_notifications as n')
          .innerJoin('check_alerts as a', 'a.id', 'n.check_alert_id')
          .select(['n.check_id', 'a.alert_type', 'n.event'])
          .where('n.channel_id', '=', channelId)
          .orderBy('n.created_at')
          .orderBy('n.id'),
      )
    ).map(({ check_id, alert_type, event }) => {
      const { group } = JSON.parse(event)
      const what = alert_type.replace('ALERT_', '')
      return check_id.startsWith('group:')
        ? `group ${what} ${group.failing}/${group.counted}`
        : `check ${what}`
    })

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(`${name} (${engine})`, body)

  test('the alert of a group is kept while it is open, however old it is', async (t) => {
    const { room, round, change } = await shop(t, engine, {
      groupHealth: { failingWhen: 'ANY', tells: 'GROUP' },
    })
    const alertsOfGroup = async () => {
      room.advance(100 * 86_400_000)
      for (let turn = 0; turn < 3; turn++) {
        room.advance(3_600_000)
        await retentionTick(retentionKinds)(room.app, new AbortController().signal)
      }
      return room.app.db.select((k) =>
        k.selectFrom('check_alerts').select('alert_type').where('problem', '=', 'GROUP'),
      )
    }
    await round('fpp')
    t.match(await alertsOfGroup(), [{ alert_type: 'ALERT_FAILURE' }])
    await change({ groupHealth: null })
    t.strictSame(await alertsOfGroup(), [], 'it is open no more')
  })

  test('a group fails and recovers by its rule, and tells it once each', async (t) => {
    const { round, health, told, ofGroup, ofChecks, groupId, room } = await shop(t, engine, {
      groupHealth: { failingWhen: 'PERCENTAGE', percentage: 60 },
    })
    t.match(await health(), { state: 'unknown', counted: 0 })
    await round('ppp')
    t.match(await health(), { state: 'passing', failing: 0, counted: 3, isTold: false })
    await round('fpp')
    t.match(await health(), { state: 'passing', failing: 1, counted: 3 })
    t.strictSame(await told(ofGroup), ['check FAILURE'])
    await round('ffp')
    await round('fff')
    t.match(await health(), { groupId, state: 'failing', failing: 3, counted: 3, isTold: true })
    await round('fpp')
    t.match(await health(), { state: 'passing', failing: 1, isTold: false })
    const ofItself = (await told(ofGroup)).filter((one) => one.startsWith('group'))
    t.strictSame(ofItself, ['group FAILURE 2/3', 'group RECOVERY 1/3'])
    t.strictSame(
      (await told(ofChecks)).toSorted(),
      ['FAILURE', 'FAILURE', 'FAILURE', 'RECOVERY', 'RECOVERY'].map((what) => `check ${what}`),
    )
    const { body } = await room.call('GET', '/v1/check-alerts')
    t.strictSame(
      body
        .filter(({ group }: { group: object | null }) => group !== null)
        .map((one: { checkId: null; group: object; location: null }) => [
          one.checkId,
          one.group,
          one.location,
        ]),
      Array.from({ length: 2 }, () => [null, { id: groupId, name: 'Shop' }, null]),
    )
    const titles = await room.app.db.select((k) =>
      k
        .selectFrom('alert_notifications')
        .select('event')
        .where('check_id', '=', `group:${groupId}`)
        .orderBy('created_at'),
    )
    const links = { id: 'message', link: '/app/groups' }
    const said = titles.map(({ event }) => messageOf(alertEvent.read(event), links))
    t.strictSame(
      said.map(({ title, reason, answerLink }) => [title, reason, answerLink]),
      [
        ['Group "Shop" is failing: 2 of 3 checks', null, null],
        ['Group "Shop" has recovered', '1 of 3 checks still fail.', null],
      ],
    )
    t.equal(new Set(said.map(incidentKey)).size, 1, 'the recovery resolves the incident of the failure')
    const log = await room.call('GET', '/v1/alert-notifications')
    t.equal(log.body.filter((one: { groupId: number | null }) => one.groupId === groupId).length, 2)
  })

  test('a group that tells instead of its checks leaves their messages out, and each says so', async (t) => {
    const { round, told, ofGroup, ofChecks, ids, room, groupId, change } = await shop(t, engine, {
      groupHealth: { failingWhen: 'ALL', tells: 'GROUP' },
    })
    await round('ppp')
    await round('ffp')
    t.strictSame([await told(ofGroup), await told(ofChecks)], [[], []])
    const { body } = await room.call('GET', `/v1/checks/${ids[0]}/alert-explanation`)
    t.match(body.toldBy, { groupId, name: 'Shop' })
    t.match(body.summary, 'not told by itself: its group “Shop” tells')
    t.match(
      body.channels.map(({ reason }: { reason: string }) => reason),
      ['The group of the check tells instead of it.', 'The group of the check tells instead of it.'],
    )
    await round('fff')
    t.strictSame([await told(ofGroup), await told(ofChecks)], [['group FAILURE 3/3'], []])
    t.strictSame(await room.alertTypes(ids[0] ?? ''), ['FAILURE'], 'it is in the list of alerts')
    await round('ppp')
    t.strictSame(await told(ofGroup), ['group FAILURE 3/3', 'group RECOVERY 0/3'])
    await change({ groupHealth: null })
    await round('fpp')
    t.strictSame(await told(ofChecks), ['check FAILURE'])
  })

  test('who is muted, deactivated or in maintenance does not count; what was told is taken back with a recovery', async (t) => {
    const { round, health, told, ofGroup, ids, room } = await shop(t, engine, {
      groupHealth: { failingWhen: 'ALL', tells: 'GROUP' },
      tags: ['shop'],
    })
    await round('ppp')
    const muted = await room.call('PUT', `/v1/checks/${ids[0]}`, { body: { muted: true } })
    t.equal(muted.status, 200, muted.text)
    await round('fff')
    t.match(await health(), { state: 'failing', failing: 2, counted: 2 })
    const now = room.app.clock.now()
    const window = await room.call('POST', '/v1/maintenance-windows', {
      body: {
        name: 'Repairs',
        silenceAlertsTags: ['shop'],
        startsAt: new Date(now - minute).toISOString(),
        endsAt: new Date(now + 2.5 * minute).toISOString(),
      },
    })
    t.equal(window.status, 201, window.text)
    await round('fff')
    t.match(await health(), { state: 'failing' }, 'what was told still counts')
    await round('fpp')
    t.strictSame(await told(ofGroup), ['group FAILURE 2/2'], 'no recovery is told in maintenance')
    await round('fpp')
    await round('fpp')
    t.match(await health(), { state: 'passing', failing: 0, counted: 2 })
    t.strictSame(await told(ofGroup), ['group FAILURE 2/2', 'group RECOVERY 0/2'])
  })

  test('a muted group tells nobody, and what is wrong when that ends', async (t) => {
    const { round, health, told, ofGroup, change } = await shop(t, engine, {
      groupHealth: { failingWhen: 'ANY', tells: 'GROUP' },
      muted: true,
    })
    await round('ppp')
    await round('fff')
    t.match(await health(), { state: 'unknown', counted: 0 })
    t.strictSame(await told(ofGroup), [])
    await change({ muted: false })
    await round('fff')
    t.strictSame(await told(ofGroup), ['group FAILURE 3/3'])
  })

  test('its health ends with the group, and by a rule of null', async (t) => {
    const { room, groupId, round, health, change, ids } = await shop(t, engine, {
      groupHealth: { failingWhen: 'ANY' },
      checks: 1,
    })
    const rows = () => room.app.db.select((k) => k.selectFrom('check_group_health').select('group_id'))
    await round('f')
    t.equal((await health()).state, 'failing')
    await change({ groupHealth: null })
    t.strictSame([(await health()).state, await rows()], [null, []])
    await change({ groupHealth: { failingWhen: 'ANY' } })
    t.strictSame(await rows(), [{ group_id: groupId }])
    t.equal((await room.call('DELETE', `/v1/checks/${ids[0]}`)).status, 204)
    t.equal((await room.call('DELETE', `/v1/check-groups/${groupId}`)).status, 204)
    t.strictSame(await rows(), [])
    t.equal((await room.call('GET', `/v1/check-groups/${groupId}/health`)).status, 404)
  })

  test('what a control plane that dies had not committed is told once by the next one', async (t) => {
    const { room, told, ofGroup, health } = await shop(t, engine, {
      groupHealth: { failingWhen: 'ANY', tells: 'GROUP' },
    })
    await room.reportTogether(room.app, await room.claim(), 'f')
    const dying: typeof room.app = {
      ...room.app,
      db: {
        ...room.app.db,
        transaction: (work) =>
          room.app.db.transaction(async (trx) => {
            await work(trx)
            throw new Error('killed before the commit')
          }),
      },
    }
    await t.rejects(groupHealthTick(dying), { message: 'killed before the commit' })
    t.strictSame(await told(ofGroup), [])
    await groupHealthTick(room.app)
    await groupHealthTick(room.app)
    t.strictSame(await told(ofGroup), ['group FAILURE 3/3'])
    t.match(await health(), { state: 'failing', isTold: true })
  })

  test('of several control planes that look at once, one tells', async (t) => {
    const { room, ids, told, ofGroup } = await shop(t, engine, {
      groupHealth: { failingWhen: 'ANY', tells: 'GROUP' },
    })
    const jobs = await room.claim()
    await room.reportTogether(room.app, jobs, 'f')
    t.equal(jobs.length, ids.length)
    await Promise.all(Array.from({ length: 5 }, () => groupHealthTick(room.app)))
    t.strictSame(await told(ofGroup), ['group FAILURE 3/3'])
  })
}
