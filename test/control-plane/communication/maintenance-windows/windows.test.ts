import t from 'tap'
import { type Answer, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const windows = '/v1/maintenance-windows'

const newWindow = (more: object = {}) => ({
  name: 'Upgrade',
  startsAt: '2026-01-02T02:00:00Z',
  endsAt: '2026-01-02T04:00:00+01:00',
  ...more,
})

const noVisibility = {
  enabled: false,
  severity: null,
  affectAllServices: false,
  suppressAutoIncidents: false,
  notifyOnStart: false,
  notifyOnEnd: false,
  autoStart: true,
  autoEnd: true,
  showAffectedServices: true,
  reminderMinutesBefore: [],
  statusPageIds: [],
  serviceIds: [],
}

const paths = ({ body }: Answer): string[] =>
  (body.attributes?.violations ?? []).map(({ path }: { path: string }) => path)

for (const engine of engineNames) {
  t.test(`a maintenance window through its whole life (${engine})`, async (t) => {
    const { call, advance, addKey } = await testApp(t, { engine })
    const created = await call('POST', windows, { body: newWindow() })
    t.equal(created.status, 201, created.text)
    t.strictSame(created.body, {
      id: 1,
      name: 'Upgrade',
      startsAt: '2026-01-02T02:00:00.000Z',
      endsAt: '2026-01-02T03:00:00.000Z',
      timezone: 'UTC',
      tags: [],
      pauseAllChecks: false,
      silenceAlertsTags: [],
      silenceAllAlerts: false,
      description: null,
      translations: {},
      repeatUnit: null,
      repeatInterval: null,
      repeatEndsAt: null,
      statusPageVisibility: noVisibility,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
      warnings: [{ message: 'It pauses no check, keeps back no alert, and no status page shows it.' }],
    })
    const one = `${windows}/1`
    const { warnings: _, ...stored } = created.body
    t.strictSame((await call('GET', one)).body, stored)
    advance(1000)
    const put = await call('PUT', one, {
      body: {
        tags: ['db'],
        repeatUnit: 'WEEK',
        timezone: 'america/new_york',
        statusPageVisibility: { notifyOnStart: true },
      },
    })
    t.equal(put.status, 200, put.text)
    t.strictSame(put.body, {
      ...stored,
      tags: ['db'],
      warnings: [
        { message: 'It pauses no check, keeps back no alert, and no status page shows it.' },
        { message: 'No check and no group has the tag "db".' },
      ],
      repeatUnit: 'WEEK',
      repeatInterval: 1,
      timezone: 'America/New_York',
      statusPageVisibility: { ...noVisibility, notifyOnStart: true },
      updated_at: '2026-01-01T00:00:01.000Z',
    })
    const again = await call('PUT', one, {
      body: { timezone: null, repeatUnit: null, statusPageVisibility: { notifyOnEnd: true } },
    })
    t.match(again.body, {
      timezone: 'UTC',
      repeatUnit: null,
      repeatInterval: null,
      tags: ['db'],
      statusPageVisibility: { notifyOnStart: true, notifyOnEnd: true },
    })
    const { apiKey: key } = await addKey()
    t.equal((await call('GET', one, { key })).status, 404, 'not for another account')
    t.equal((await call('PUT', one, { key, body: {} })).status, 404)
    t.equal((await call('DELETE', one, { key })).status, 404)
    t.equal((await call('DELETE', one)).status, 204)
    for (const method of ['GET', 'DELETE']) t.equal((await call(method, one)).status, 404)
    t.equal((await call('PUT', one, { body: {} })).status, 404)
    t.equal((await call('POST', windows, { body: newWindow() })).body.id, 2, 'ids are never used twice')
  })

  t.test(
    `windows are listed page by page, and by constraints on startsAt and endsAt (${engine})`,
    async (t) => {
      const { call } = await testApp(t, { engine })
      for (let day = 1; day <= 12; day++) {
        const date = `2026-03-${String(day).padStart(2, '0')}`
        await call('POST', windows, {
          body: newWindow({ name: `w${day}`, startsAt: date, endsAt: `${date}T01:00:00Z` }),
        })
      }
      const names = ({ body }: Answer) => body.map(({ name }: { name: string }) => name).join(' ')
      const first = await call('GET', windows)
      t.equal(names(first), 'w1 w2 w3 w4 w5 w6 w7 w8 w9 w10')
      t.equal(first.headers.get('content-range'), '0-9/12')
      t.match(first.headers.get('link'), /page=2>; rel="next"/)
      t.equal(names(await call('GET', `${windows}?page=2`)), 'w11 w12')
      t.equal(names(await call('GET', `${windows}?startsAt[gte]=2026-03-11`)), 'w11 w12')
      t.equal(names(await call('GET', `${windows}?startsAt[gt]=2026-03-11&limit=5`)), 'w12')
      t.equal(names(await call('GET', `${windows}?endsAt[lt]=2026-03-02T01:00:00Z`)), 'w1')
      t.equal(names(await call('GET', `${windows}?endsAt[lte]=2026-03-02T01:00:00Z`)), 'w1 w2')
      t.equal(
        names(await call('GET', `${windows}?startsAt[gte]=2026-03-04&startsAt[lt]=2026-03-06`)),
        'w4 w5',
      )
      t.equal((await call('GET', `${windows}?startsAt[gte]=soon`)).status, 400)
      t.equal((await call('GET', `${windows}?startsAt[gte]=2026-02-30`)).status, 400)
      t.equal((await call('GET', `${windows}?limit=0`)).status, 400)
    },
  )

  t.test(`two who change different fields at once both count (${engine})`, async (t) => {
    const { call } = await testApp(t, { engine })
    const { body } = await call('POST', windows, { body: newWindow() })
    const put = (change: object) => call('PUT', `${windows}/${body.id}`, { body: change })
    await Promise.all([
      put({ name: 'renamed' }),
      put({ tags: ['a'] }),
      put({ description: 'why' }),
      put({ statusPageVisibility: { notifyOnEnd: true } }),
    ])
    t.match((await call('GET', `${windows}/${body.id}`)).body, {
      name: 'renamed',
      tags: ['a'],
      description: 'why',
      statusPageVisibility: { notifyOnEnd: true },
    })
  })
}

t.test("a window's rules are refused by name", async (t) => {
  const { call } = await testApp(t)
  const repeating = { repeatUnit: 'DAY', repeatInterval: 1 }
  const cases: [object, string][] = [
    [{ name: undefined }, 'name'],
    [{ name: 'x'.repeat(201) }, 'name'],
    [{ startsAt: undefined }, 'startsAt'],
    [{ endsAt: '2026-01-02T01:59:59Z' }, 'endsAt'],
    [{ startsAt: '2026-01-02T02:00:00' }, 'startsAt'],
    [{ startsAt: '2026-02-30' }, 'startsAt'],
    [{ endsAt: '9999-12-31T23:59:59Z' }, 'endsAt'],
    [{ repeatUnit: 'YEAR' }, 'repeatUnit'],
    [{ ...repeating, repeatInterval: 0 }, 'repeatInterval'],
    [{ ...repeating, repeatInterval: 366 }, 'repeatInterval'],
    [{ ...repeating, repeatInterval: 1.5 }, 'repeatInterval'],
    [{ repeatInterval: 2 }, 'repeatInterval'],
    [{ repeatEndsAt: '2026-02-01' }, 'repeatEndsAt'],
    [{ ...repeating, repeatEndsAt: '2026-01-01' }, 'repeatEndsAt'],
    [{ ...repeating, endsAt: '2027-02-02' }, 'endsAt'],
    [{ timezone: '+01:00' }, 'timezone'],
    [{ timezone: 'Mars/Olympus' }, 'timezone'],
    [{ description: 'x'.repeat(2001) }, 'description'],
    [{ tags: [''] }, 'tags.0'],
    [{ statusPageVisibility: { unknown: true } }, 'statusPageVisibility.unknown'],
    [{ unknown: 1 }, 'unknown'],
  ]
  for (const [body, path] of cases) {
    const answer = await call('POST', windows, { body: newWindow(body) })
    t.equal(answer.status, 400, JSON.stringify(body))
    t.ok(paths(answer).includes(path), `${path} in ${paths(answer)}`)
  }
  t.equal((await call('GET', `${windows}/abc`)).status, 400)
  t.equal((await call('GET', `${windows}/99`)).status, 404)
})

t.test('dates without a time are midnight in the time zone; repeatEndsAt is a date there', async (t) => {
  const { call } = await testApp(t)
  const { body } = await call('POST', windows, {
    body: newWindow({
      startsAt: '2026-06-01',
      endsAt: '2026-06-02',
      timezone: 'America/New_York',
      repeatUnit: 'DAY',
      repeatEndsAt: '2026-07-01T02:00:00Z',
    }),
  })
  t.match(body, {
    startsAt: '2026-06-01T04:00:00.000Z',
    endsAt: '2026-06-02T04:00:00.000Z',
    repeatEndsAt: '2026-07-01T02:00:00Z',
  })
  const { body: occurrences } = await call('GET', `${windows}/${body.id}/maintenances?limit=50`)
  t.equal(occurrences.at(-1).id, `${body.id}-20260630`, 'the last one starts on the date that it is there')
})

t.test('only who may write changes windows', async (t) => {
  const { call, addKey, accountId } = await testApp(t)
  const { apiKey: key } = await addKey({ accountId, role: 'READ_RUN' })
  t.equal((await call('GET', windows, { key })).status, 200)
  t.equal((await call('POST', windows, { key, body: newWindow() })).status, 403)
})
