import t, { type Test } from 'tap'
import { alertRoom } from '../../../support/alert-room.ts'
import { engineNames } from '../../../support/databases.ts'

for (const engine of engineNames) {
  const test = (name: string, body: (t: Test) => Promise<void>) => t.test(`${name} (${engine})`, body)

  test('why it did not alert yet, and then why it did', async (t) => {
    const room = await alertRoom(t, engine)
    const mail = await room.addChannel()
    const silent = await room.addChannel({ sendFailure: false })
    const checkId = await room.addCheck({
      useGlobalAlertSettings: false,
      alertSettings: { runBasedEscalation: { failedRunThreshold: 3 }, reminders: { amount: 2, interval: 5 } },
    })
    const other = await room.addChannel()
    const explain = async () => (await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body
    t.match(await explain(), { state: 'unknown', told: null, latestAlert: null, sequence: [] })
    await room.run('pcff')
    const waiting = await explain()
    t.match(waiting, {
      summary: 'The check is failing, which is not told yet: 2 of 3 failing runs in a row.',
      state: 'failing',
      told: null,
      rule: { text: '2 of 3 failing runs in a row', met: false, nextAlertAt: null },
      settings: { from: 'check', parallelLocations: 1 },
      channels: [{ alertChannelId: mail, reason: 'The check has not alerted yet.' }, {}, {}],
    })
    t.strictSame(
      waiting.sequence.map(({ verdict }: { verdict: string }) => verdict),
      ['failing', 'failing', 'none', 'passing'],
    )
    await room.run('f')
    t.match(await explain(), {
      told: 'failing',
      latestAlert: { alertType: 'ALERT_FAILURE_REMAIN' },
      rule: { met: true, nextAlertAt: new Date(room.app.clock.now() + 300_000).toISOString() },
      channels: [
        { alertChannelId: mail, status: 'IN_PROGRESS', subscribedThrough: 'check' },
        { alertChannelId: silent, status: null, reason: /sendFailure is false/ },
        { alertChannelId: other, subscribedThrough: null, reason: /Neither the check nor its group/ },
      ],
    })
  })

  test('a check that was never judged is not said to be well', async (t) => {
    const room = await alertRoom(t, engine)
    const checkId = await room.addCheck()
    const explain = async () => (await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body
    const unknown = {
      state: 'unknown',
      summary: /^Nothing is known of the check: no run has been judged/,
      rule: { text: 'nothing to alert: no run has been judged', met: false },
    }
    t.match(await explain(), unknown)
    await room.run('c')
    t.match(await explain(), unknown)
    await room.run('p')
    t.match(await explain(), {
      state: 'passing',
      summary: /^All is well/,
      rule: { text: /the last judged run passed/ },
    })
  })

  test('an alert that nobody was to get is not said to be told', async (t) => {
    const room = await alertRoom(t, engine)
    const checkId = await room.addCheck()
    await room.run('f')
    t.match((await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body, {
      summary: 'The check is failing, and that was alerted, but no channel was to be told.',
      told: 'failing',
      channels: [],
    })
  })

  test('mutes, deactivation and maintenance are named', async (t) => {
    const room = await alertRoom(t, engine)
    const group = await room.call('POST', '/v2/check-groups', { body: { name: 'Shop', muted: true } })
    const checkId = await room.addCheck({ groupId: group.body.id, tags: ['shop'] })
    const explain = async () => (await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body
    await room.run('f')
    t.match(await explain(), {
      mutedBy: 'group',
      summary: /its group is muted/,
      settings: { from: 'account' },
    })
    await room.call('PUT', `/v2/check-groups/${group.body.id}`, { body: { name: 'Shop', muted: false } })
    const now = room.app.clock.now()
    const window = await room.call('POST', '/v1/maintenance-windows', {
      body: {
        name: 'Upgrade',
        startsAt: new Date(now - 1000).toISOString(),
        endsAt: new Date(now + 3_600_000).toISOString(),
        repeatUnit: null,
        silenceAlertsTags: ['shop'],
      },
    })
    t.equal(window.status, 201, window.text)
    t.match(await explain(), {
      mutedBy: null,
      silencedBy: [{ name: 'Upgrade', until: new Date(now + 3_600_000).toISOString() }],
      summary: /maintenance keeps this back until it ends: Upgrade/,
      rule: { met: true, nextAlertAt: new Date(now + 3_600_000).toISOString() },
    })
    const pause = await room.call('POST', '/v1/maintenance-windows', {
      body: {
        name: 'Move',
        startsAt: new Date(now - 1000).toISOString(),
        endsAt: new Date(now + 1_800_000).toISOString(),
        tags: ['shop'],
      },
    })
    t.equal(pause.status, 201, pause.text)
    t.match(await explain(), {
      silencedBy: [{ name: 'Upgrade' }],
      pausedBy: [{ name: 'Move', until: new Date(now + 1_800_000).toISOString() }],
      summary: /: Upgrade\. Maintenance pauses its runs: Move\.$/,
    })
    await room.call('PUT', `/v1/checks/url/${checkId}`, { body: { activated: false } })
    t.match(await explain(), { deactivatedBy: 'check' })
  })

  test('a check of another account, or none, is not explained', async (t) => {
    const room = await alertRoom(t, engine)
    const checkId = await room.addCheck()
    const { apiKey } = await room.addKey()
    const path = `/v1/checks/${checkId}/alert-explanation`
    t.equal((await room.call('GET', path, { key: apiKey })).status, 404)
  })
}
