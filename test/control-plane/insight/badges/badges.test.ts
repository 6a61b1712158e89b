// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { insertCheck } from '../../../../control-plane/monitoring/definitions/checks/queries.ts'
import { insertResults } from '../../../../control-plane/monitoring/results/stored/insert-results.ts'
import { recordStatus } from '../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

type More = {
  state?: 'passing' | 'degraded' | 'failing'
  name?: string
  activated?: boolean
  groupId?: number
}

const addCheck = async ({ app, accountId }: TestApp, more: More = {}): Promise<string> => {
  const id = app.newId()
  const now = app.clock.now()
  const { state, name = 'Home', activated = true, groupId = null } = more
  const doc = JSON.stringify({ request: { url: 'https://private.example/secret' } })
  const check = {
    id,
    account_id: accountId,
    type: 'URL',
    name,
    activated,
    group_id: groupId,
    created_at: now,
    doc,
  }
  await app.db.run(insertCheck, check)
  if (state)
    await app.db.run(recordStatus, {
      checkId: id,
      accountId,
      state,
      hasFailures: state === 'failing',
      hasErrors: false,
      isDegraded: state === 'degraded',
      longestRunMs: 12,
      shortestRunMs: 12,
      updatedAt: null,
      location: 'local',
      checkRunId: 1,
      startedAt: now,
      sslDaysRemaining: null,
      now,
    })
  return id
}

const enableBadges = async ({ app, accountId }: TestApp): Promise<void> => {
  const doc = JSON.stringify({ settings: { badgesEnabled: true } })
  await app.db.execute((k) => k.updateTable('accounts').set({ doc }).where('id', '=', accountId))
}

t.test('a badge is off until the account enables it, then needs no key', async (t) => {
  const given = await testApp(t)
  const checkId = await addCheck(given, { state: 'passing' })
  const get = (path: string) => given.call('GET', `/v1/badges/${path}`, { key: null })
  t.equal((await get(`checks/${checkId}`)).status, 404)
  await enableBadges(given)
  const badge = await get(`checks/${checkId}`)
  t.equal(badge.status, 200)
  t.equal(badge.headers.get('content-type'), 'image/svg+xml')
  t.equal(badge.headers.get('cache-control'), 'public, max-age=60')
  t.match(badge.text, /<title>Home: passing<\/title>/)
  t.notMatch(badge.text, /private\.example|secret/, 'nothing but the name and the status')
  t.equal((await get(`checks/${given.app.newId()}`)).status, 404)
  t.equal((await get('checks/x')).status, 400)
  t.equal((await get('groups/77')).status, 404)
})

for (const engine of engineNames) {
  t.test(`a group's badge shows the worst of its active checks (${engine})`, async (t) => {
    const given = await testApp(t, { engine })
    const { app, accountId, call } = given
    await enableBadges(given)
    await app.db.execute((k) =>
      k.insertInto('check_groups').values({
        id: 5,
        account_id: accountId,
        name: 'Shop',
        activated: true,
        created_at: 1,
        updated_at: null,
        version: 1,
        doc: '{}',
      }),
    )
    const shown = async () => {
      const { text } = await call('GET', '/v1/badges/groups/5', { key: null })
      return /<title>Shop: ([^<]*)<\/title>/.exec(text)?.[1]
    }
    t.equal(await shown(), 'no data')
    await addCheck(given, { groupId: 5, state: 'failing', activated: false })
    t.equal(await shown(), 'paused')
    await addCheck(given, { groupId: 5, state: 'passing' })
    t.equal(await shown(), 'passing')
    await addCheck(given, { groupId: 5, state: 'degraded' })
    t.equal(await shown(), 'degraded')
    await addCheck(given, { groupId: 5, state: 'failing' })
    t.equal(await shown(), 'failing')
  })

  t.test(`the response time of the latest run is shown where it is asked for (${engine})`, async (t) => {
    const given = await testApp(t, { engine })
    const { app, accountId, call } = given
    await enableBadges(given)
    const id = await addCheck(given, { state: 'passing' })
    const now = app.clock.now()
    const result = {
      account_id: accountId,
      check_id: id,
      check_type: 'URL',
      result_type: 'FINAL',
      location: 'local',
      due_at: now,
      stopped_at: now,
      created_at: now,
      has_failures: false,
      has_errors: false,
      is_degraded: false,
      is_cancelled: false,
      over_max: false,
      attempts: 0,
      sequence_id: app.newId(),
      check_run_id: 1,
      doc: '{}',
    }
    const rows = [
      { ...result, id: app.newId(), started_at: now, response_time: 214.4 },
      { ...result, id: app.newId(), started_at: now - 1000, response_time: 999 },
    ]
    await app.db.transaction((trx) => insertResults(trx, rows))
    const asked = await call('GET', `/v1/badges/checks/${id}?responseTime=true`, { key: null })
    t.match(asked.text, /passing \| 214 ms/)
    t.notMatch((await call('GET', `/v1/badges/checks/${id}`, { key: null })).text, / ms/)
  })
}

t.test('style and theme are those of the contract, and change the picture', async (t) => {
  const given = await testApp(t)
  await enableBadges(given)
  const id = await addCheck(given, { state: 'degraded' })
  const get = (query: string) => given.call('GET', `/v1/badges/checks/${id}?${query}`, { key: null })
  const styles = ['flat', 'plastic', 'flat-square', 'for-the-badge', 'social']
  const pictures = await Promise.all(
    styles.flatMap((style) =>
      ['light', 'dark'].map(async (theme) => (await get(`style=${style}&theme=${theme}`)).text),
    ),
  )
  t.equal(new Set(pictures).size, 10)
  t.equal(
    (await get('')).text,
    (await get('style=flat&theme=default&responseTime=false')).text,
    'the defaults',
  )
  for (const wrong of ['style=round', 'theme=blue', 'responseTime=maybe', 'x=1'])
    t.equal((await get(wrong)).status, 400, wrong)
})
