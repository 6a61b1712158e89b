// Runs in a process of its own: it measures the time of the processor.
// Runs on both engines: documents are taken apart, and subjects joined in the store.
/** Which checks nobody would be told of, and why: each reason by itself, and ten thousand at once. */
import t from 'tap'
import { silentChecks } from '../../../../control-plane/insight/alert-explanations/silent-checks.ts'
import { countChecks } from '../../../../control-plane/monitoring/definitions/checks/list-queries.ts'
import { alertRoom } from '../../../support/alert-room.ts'
import { dispatch, loopbackEnv } from '../../../support/alerting.ts'
import { cpuTimeMs } from '../../../support/cpu-time.ts'
import { sessionOf, visitPage } from '../../../support/dashboard.ts'
import { engineNames } from '../../../support/databases.ts'
import { byLength } from '../../../support/length.ts'
import { receiver } from '../../../support/receiver.ts'

const unsubscribed = { alertChannelSubscriptions: [] }
/** At midnight, when the clock of tests begins. */
const nights = {
  timezone: 'UTC',
  mode: 'quiet',
  times: [{ days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], from: '22:00', to: '07:00' }],
}

for (const engine of engineNames) {
  t.test(`each reason, the first that holds (${engine})`, async (t) => {
    const room = await alertRoom(t, engine, loopbackEnv)
    const working = await receiver(t)
    const broken = await receiver(t, () => ({ status: 302, headers: { location: '/elsewhere' } }))
    const hook = (name: string, more: object = {}, origin = working.origin) =>
      room.addChannel({ type: 'WEBHOOK', config: { name, url: `${origin}/${name}` }, ...more })
    const ids = {
      works: await hook('works'),
      recoveries: await hook('recoveries', { sendFailure: false }),
      broken: await hook('broken', {}, broken.origin),
      quiet: await hook('quiet', { hours: nights }),
      sms: await room.addChannel({ type: 'SMS', config: { name: 's', number: '+15550100' } }),
    }
    const told = (alertChannelId: number, activated = true) => ({
      alertChannelSubscriptions: [{ alertChannelId, activated }],
    })
    const create = (name: string, more: object = {}) =>
      room.call('POST', '/v1/checks/url?autoAssignAlerts=false', {
        body: {
          name,
          request: { url: 'http://127.0.0.1:9/' },
          privateLocations: ['local'],
          frequency: 1,
          doubleCheck: false,
          ...unsubscribed,
          ...more,
        },
      })
    const group = async (name: string, more: object) =>
      (await room.call('POST', '/v1/check-groups?autoAssignAlerts=false', { body: { name, ...more } })).body
        .id
    const groupId = await group('muted', { muted: true, ...told(ids.works) })
    const subscribed = await group('subscribed', told(ids.works))
    await create('heard', told(ids.works))
    await create('heard through its group', { groupId: subscribed })
    await create('off for itself', { groupId: subscribed, ...told(ids.works, false) })
    await create('paused', { activated: false, muted: true, ...told(ids.works) })
    await create('muted', { muted: true })
    await create('muted by its group', { groupId })
    await create('nobody subscribed')
    await create('switched off', told(ids.works, false))
    await create('only recoveries', told(ids.recoveries))
    await create('no provider', told(ids.sms))
    await create('quiet', told(ids.quiet))
    await create('critical', { ...told(ids.quiet), severity: 'CRITICAL' })
    await create('in maintenance', { ...told(ids.works), tags: ['shop'] })
    const router = (await create('router', { ...told(ids.broken), runtimeId: null })).body.id
    await create('behind the router', { ...told(ids.works), dependsOn: [{ checkId: router }] })
    const health = (failingWhen: string, more = {}) => ({ failingWhen, tells: 'GROUP', ...more })
    for (const [name, rule] of [
      ['any', health('ANY')],
      ['all', health('ALL')],
      ['half', health('PERCENTAGE', { percentage: 50 })],
      ['most', health('PERCENTAGE', { percentage: 51 })],
      ['both', { failingWhen: 'ALL', tells: 'BOTH' }],
    ] as const) {
      const groupId = await group(name, { groupHealth: rule, ...told(ids.works) })
      for (const each of ['one', 'two']) await create(`${each} of ${name}`, { groupId })
    }
    const start = room.app.clock.now()
    const window = { startsAt: new Date(start - 3_600_000), endsAt: new Date(start + 7_200_000) }
    const made = await room.call('POST', '/v1/maintenance-windows', {
      body: { name: 'Night work', ...window, silenceAlertsTags: ['shop'] },
    })
    t.equal(made.status, 201, made.text)
    const jobs = await room.claim()
    await room.report(
      jobs.filter(({ checkId }) => checkId === router),
      'f',
    )
    await dispatch(room.app)
    const all = (await room.call('GET', '/v1/silent-checks?limit=100')).body
    const said = all.map((one: Record<string, unknown>) => [
      one['name'],
      one['reason'],
      one['by'] ?? one['because'] ?? one['until'] ?? one['since'],
    ])
    t.strictSame(said, [
      ['off for itself', 'SUBSCRIPTIONS_OFF', null],
      ['paused', 'DEACTIVATED', 'check'],
      ['muted', 'MUTED', 'check'],
      ['muted by its group', 'MUTED', 'group'],
      ['nobody subscribed', 'NO_SUBSCRIPTION', null],
      ['switched off', 'SUBSCRIPTIONS_OFF', null],
      ['only recoveries', 'NO_FAILURES', null],
      ['no provider', 'CANNOT_DELIVER', null],
      ['quiet', 'QUIET_HOURS', '2026-01-01T07:00:00.000Z'],
      ['in maintenance', 'MAINTENANCE', 'Night work'],
      ['router', 'CANNOT_DELIVER', new Date(room.app.clock.now()).toISOString()],
      ['behind the router', 'DEPENDENCY', 'router'],
      ['one of all', 'GROUP_TELLS', 'all'],
      ['two of all', 'GROUP_TELLS', 'all'],
      ['one of most', 'GROUP_TELLS', 'most'],
      ['two of most', 'GROUP_TELLS', 'most'],
    ])
    t.match(all[8], { alertChannelIds: [ids.quiet], severity: 'NORMAL' })
    const { body, headers } = await room.call('GET', '/v1/silent-checks?reason=MUTED&search=GROUP&limit=1')
    t.match(body, [{ name: 'muted by its group' }])
    t.equal(headers.get('content-range'), '0-0/1')
    const { accountId } = room
    t.equal(
      await countChecks(room.app.db, { accountId, activated: true, isUntold: true }),
      said.filter(([name, reason]: string[]) => /SUBSCRIPTION/.test(reason ?? '') || name === 'muted').length,
      'the list of checks knows the same ones',
    )
    const { text } = await visitPage(
      room,
      await sessionOf(room, 'READ_ONLY'),
      '/app/silent?reason=QUIET_HOURS',
    )
    t.match(text, /It waits for the hours of its channels/)
    t.match(text, /until <time datetime="2026-01-01T07:00:00.000Z"/)
    t.notMatch(text, 'behind the router')
    const page = await room.call('GET', '/v1/silent-checks?limit=5&page=3')
    t.equal(page.headers.get('content-range'), '10-14/16')
  })

  t.test(`ten thousand checks (${engine})`, async (t) => {
    const room = await alertRoom(t, engine)
    const { accountId } = room
    await room.addChannel({ type: 'WEBHOOK', config: { name: 'w', url: 'http://127.0.0.1:9/' } })
    const checkId = await room.addCheck()
    const count = byLength({ short: 1000, all: 10_000, long: 10_000 })
    await room.app.db.transaction(async (trx) => {
      const [row] = await trx.select((k) => k.selectFrom('checks').selectAll().where('id', '=', checkId))
      const [subscription] = await trx.select((k) => k.selectFrom('channel_subscriptions').selectAll())
      if (row === undefined || subscription === undefined) throw new Error('Nothing to copy')
      const made = Array.from({ length: count - 1 }, (_, n) => ({
        ...row,
        id: room.app.newId(),
        name: `check ${n + 1}`,
      }))
      const own = made.flatMap(({ id }, n) =>
        n % 2 === 0 ? [{ ...subscription, id: 100_001 + n, check_id: id, subject: `check:${id}` }] : [],
      )
      // To say each row by itself took longer than all that is measured.
      for (let at = 0; at < made.length; at += 200)
        await trx.execute((k) => k.insertInto('checks').values(made.slice(at, at + 200)))
      for (let at = 0; at < own.length; at += 200)
        await trx.execute((k) => k.insertInto('channel_subscriptions').values(own.slice(at, at + 200)))
    })
    let leastMs = Number.POSITIVE_INFINITY
    for (let round = 0; round < 5; round++) {
      const before = cpuTimeMs()
      const silent = await silentChecks(room.app, accountId)
      leastMs = Math.min(leastMs, cpuTimeMs() - before)
      t.equal(silent.length, count / 2 - 1)
    }
    t.comment(`${Math.round(leastMs)} ms of the processor`)
    t.ok(leastMs < 400, `${leastMs} ms`)
  })
}
