// Runs on both engines in test:all: who leads a message claims what it names, and all is settled together.
/** Many checks, one message: storms, groups, and what becomes of a message that names many. */
import t, { type Test } from 'tap'
import { sweepTick } from '../../../../control-plane/monitoring/runs/sweep.ts'
import { scheduleTick } from '../../../../control-plane/monitoring/schedule/schedule.ts'
import { alertRoom, type Letter } from '../../../support/alert-room.ts'
import { dispatch, loopbackEnv } from '../../../support/alerting.ts'
import { engineNames } from '../../../support/databases.ts'
import { type Answering, receiver } from '../../../support/receiver.ts'

const brake = { enabled: true, checks: 6, percent: 100, seconds: 60 }

type Answer = (path: string) => Answering

const stormRoom = async (t: Test, engine: (typeof engineNames)[number], answer: Answer = () => ({})) => {
  const hook = await receiver(t, ({ path }) => answer(path))
  const room = await alertRoom(t, engine, { ...loopbackEnv, PAGERDUTY_BASE_URL: hook.origin })
  const setting = async (alertSettings: object): Promise<void> => {
    t.equal((await room.call('PATCH', '/v1/accounts/me', { body: { alertSettings } })).status, 200)
  }
  await setting({ stormBrake: brake })
  const failing = new Set<string>()
  const ids = new Map<string, string>()
  /** Every check runs, those that are named here in one batch. */
  const round = async (together = 50): Promise<void> => {
    const jobs = []
    const missing = new Set(ids.values())
    for (let seconds = 0; missing.size > 0 && seconds < 30; seconds++) {
      room.advance(1000)
      await scheduleTick(room.app)
      await sweepTick(room.app)
      for (let some = await room.claim(); some.length > 0; some = await room.claim()) jobs.push(...some)
      for (const { checkId } of jobs) missing.delete(checkId)
    }
    t.equal(missing.size, 0, 'each is due')
    const letterOf = (checkId: string): Letter => (failing.has(checkId) ? 'f' : 'p')
    for (let at = 0; at < jobs.length; at += together)
      for (const [letter, those] of Map.groupBy(jobs.slice(at, at + together), (job) =>
        letterOf(job.checkId),
      ))
        await room.reportTogether(room.app, those, letter)
    await dispatch(room.app)
  }
  return {
    ...room,
    hook,
    setting,
    round,
    addHook: (name: string, more: object = {}): Promise<number> =>
      room.addChannel({
        type: 'WEBHOOK',
        config: { name, url: `${hook.origin}/${name}` },
        autoSubscribe: true,
        ...more,
      }),
    addChecks: async (count: number, host: string, more: object = {}): Promise<void> => {
      for (let n = 0; n < count; n++) {
        const name = `${host} ${n}`
        const pace = { frequency: 0, frequencyOffset: 10 }
        ids.set(name, await room.addCheck({ name, request: { url: `http://${host}/` }, ...pace, ...more }))
      }
    },
    turn: (names: RegExp, isFailing: boolean): void => {
      for (const [name, id] of ids)
        if (names.test(name)) {
          if (isFailing) failing.add(id)
          else failing.delete(id)
        }
    },
    pass: async (seconds: number): Promise<void> => {
      room.advance(seconds * 1000)
      await dispatch(room.app)
    },
    /** Titles of what came to one of them, in order. */
    told: (name: string): string[] =>
      hook.received.filter(({ path }) => path === `/${name}`).map(({ json }) => json.alert_title),
    all: async (query = ''): Promise<Record<string, unknown>[]> =>
      (await room.call('GET', `/v1/alert-notifications?limit=100${query}`)).body,
    idOf: (name: string): string => ids.get(name) ?? '',
  }
}

for (const engine of engineNames) {
  const test = (
    name: string,
    body: (t: Test, room: Awaited<ReturnType<typeof stormRoom>>) => Promise<void>,
    answer?: Answer,
  ) => t.test(`${name} (${engine})`, async (t) => body(t, await stormRoom(t, engine, answer)))

  test('what fails together is one message, and one failure beside it is told at once', async (t, room) => {
    await room.addHook('hook')
    await room.addChecks(12, 'router.test')
    await room.addChecks(1, 'other.test')
    await room.round()
    room.turn(/./, true)
    await room.round()
    t.strictSame(room.told('hook'), ['Check "other.test 0" has failed'])
    await room.pass(3)
    t.strictSame(room.told('hook').slice(1), ['12 checks have failed'])
    const { json } = room.hook.received.at(-1) ?? {}
    t.equal(json.members.length, 12)
    t.match(json.members[0], { check_name: /^router.test/, alert_type: 'ALERT_FAILURE' })
    const sent = await room.all()
    t.strictSame([...new Set(sent.map(({ status }) => status))], ['SUCCESS'])
    t.equal(sent.filter(({ bundleId }) => bundleId === json.notification_id).length, 12)
    room.turn(/router.test [0-9]$/, false)
    await room.round()
    await room.pass(30)
    t.strictSame(room.told('hook').slice(2), ['10 checks have recovered, 2 still are not well'])
    room.turn(/./, false)
    await room.round()
    await room.pass(30)
    t.strictSame(room.told('hook').slice(3).sort(), [
      '2 checks have recovered',
      'Check "other.test 0" has recovered',
    ])
  })

  test('who keeps incidents has one for the storm, until its last check is well', async (t, room) => {
    await room.addChannel({ type: 'PAGERDUTY', config: { serviceKey: 'k' }, autoSubscribe: true })
    await room.addChecks(8, 'router.test')
    await room.round()
    const turned = async (names: RegExp, isFailing: boolean) => {
      room.turn(names, isFailing)
      await room.round()
      await room.pass(30)
    }
    await turned(/./, true)
    await turned(/router.test [0-5]/, false)
    await turned(/./, false)
    t.match(
      room.hook.received.map(({ json: { event_action, dedup_key, payload } }) => ({
        event_action,
        dedup_key,
        summary: payload?.summary,
      })),
      [
        ['trigger', '8 checks have failed'],
        ['trigger', '6 checks have recovered, 2 still are not well'],
        ['resolve', undefined],
      ].map(([event_action, summary]) => ({
        event_action,
        dedup_key: 'watchpost-storm-host-router.test',
        summary,
      })),
    )
    t.equal(room.hook.received.length, 3)
  })

  test('suspects wait for a moment, and join what becomes of them', async (t, room) => {
    await room.addHook('hook')
    await room.addChecks(8, 'router.test')
    await room.round()
    room.turn(/./, true)
    await room.round(1)
    t.strictSame(room.told('hook').length, 1, 'before others followed')
    await room.pass(3)
    t.strictSame(room.told('hook').slice(1), ['7 checks have failed'])
  })

  test('suspects that nobody follows are told one by one', async (t, room) => {
    await room.addHook('hook')
    await room.addChecks(5, 'router.test')
    await room.addChecks(20, 'other.test')
    await room.round()
    room.turn(/router/, true)
    await room.round()
    await room.pass(3)
    t.equal(room.told('hook').length, 5)
    t.match(room.told('hook')[0], /^Check "router.test \d" has failed$/)
  })

  test('the brake of an account that has none is off', async (t, room) => {
    await room.setting({ stormBrake: { enabled: false } })
    await room.addHook('hook')
    await room.addChecks(8, 'router.test')
    await room.round()
    room.turn(/./, true)
    await room.round()
    t.equal(room.told('hook').length, 8)
  })

  test('a group is told of at once, and of what follows in one message', async (t, room) => {
    await room.setting({ stormBrake: { enabled: false }, grouping: { by: 'TAG', intervalSeconds: 120 } })
    await room.addHook('hook')
    await room.addHook('each', { grouping: { by: 'NONE' } })
    await room.addChecks(5, 'shop.test', { tags: ['shop'] })
    await room.addChecks(2, 'lone.test')
    await room.round()
    room.turn(/shop.test 0|lone/, true)
    await room.round()
    t.equal(room.told('hook').length, 3)
    room.turn(/shop/, true)
    await room.round()
    t.equal(room.told('hook').length, 3, 'what follows waits')
    await room.pass(120)
    t.strictSame(room.told('hook').slice(3), ['4 checks have failed'])
    t.equal(room.told('each').length, 7, 'a channel has its own say')
    room.turn(/shop/, false)
    await room.round()
    await room.pass(30)
    t.strictSame(room.told('hook').slice(4), ['5 checks have recovered'])
    t.equal(room.told('each').length, 12)
  })

  test(
    'a message that does not arrive is tried again with the same members, and given up whole',
    async (t, room) => {
      const second = await room.addHook('second', { autoSubscribe: false })
      await room.addHook('broken', { fallbackChannelId: second })
      await room.addChecks(8, 'router.test')
      await room.round()
      room.turn(/./, true)
      await room.round()
      for (let tries = 0; tries < 6; tries++) await room.pass(20)
      const broken = room.hook.received.filter(({ path }) => path === '/broken')
      t.equal(broken.length, 5)
      t.equal(new Set(broken.map(({ headers }) => headers['x-service-notification-id'])).size, 1)
      t.strictSame([...new Set(broken.map(({ json }) => json.members.length))], [8])
      t.strictSame(room.told('second'), ['8 checks have failed'])
      const sent = await room.all('&hasFailures=true')
      t.equal(sent.length, 8)
      t.equal((await room.call('POST', `/v1/alert-notifications/${sent[0]?.['id']}/resend`)).status, 202)
      await room.pass(0)
      t.match(room.told('broken').at(-1), /^Check "router.test \d" has failed$/, 'one is sent again alone')
    },
    (path) => (path === '/broken' ? { status: 500 } : {}),
  )

  test('the explanation of a check says with how many it was told', async (t, room) => {
    await room.addHook('hook')
    await room.addChecks(8, 'router.test')
    await room.round()
    room.turn(/./, true)
    await room.round()
    const reason = async () =>
      (await room.call('GET', `/v1/checks/${room.idOf('router.test 3')}/alert-explanation`)).body.channels[0]
        .reason
    t.match(await reason(), /It waits to be told together with others, until/)
    await room.pass(3)
    t.match(await reason(), /was delivered\. .*\. It was told together with 7 others\.$/)
  })
}
