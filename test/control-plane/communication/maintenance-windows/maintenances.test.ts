// Runs on both engines in test:all: its statements run in no other file.
import t from 'tap'
import { type Answer, type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const windows = '/v1/maintenance-windows'
const hourMs = 3_600_000

/** Daily from 2:00 to 3:00 from the 2nd of January, two o'clock being 26 hours after the clock's start. */
const add = async ({ call }: TestApp, more: object = {}): Promise<string> => {
  const { body } = await call('POST', windows, {
    body: {
      name: 'Upgrade',
      startsAt: '2026-01-02T02:00:00Z',
      endsAt: '2026-01-02T03:00:00Z',
      repeatUnit: 'DAY',
      ...more,
    },
  })
  return `${windows}/${body.id}/maintenances`
}

const ids = ({ body }: Answer): string[] => body.map(({ id }: { id: string }) => id)

for (const engine of engineNames) {
  t.test(`occurrences are listed in order, up to 50 a page and a year ahead (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const all = await add(app)
    const first = await app.call('GET', all)
    t.equal(first.headers.get('content-range'), '0-9/365', 'up to 366 days ahead of now')
    t.strictSame(first.body[0], {
      id: '1-20260102',
      maintenanceWindowId: 1,
      startsAt: '2026-01-02T02:00:00.000Z',
      endsAt: '2026-01-02T03:00:00.000Z',
      status: 'SCHEDULED',
      updates: [],
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
    })
    t.strictSame(ids(await app.call('GET', `${all}?limit=2&page=3`)), ['1-20260106', '1-20260107'])
    t.strictSame(ids(await app.call('GET', `${all}?limit=50&page=9`)), [])
    t.equal((await app.call('GET', `${all}?limit=51`)).status, 400)
    const few = await add(app, { repeatEndsAt: '2026-01-04' })
    t.strictSame(ids(await app.call('GET', few)), ['2-20260102', '2-20260103', '2-20260104'])
    const once = await add(app, { repeatUnit: null, startsAt: '2029-01-01', endsAt: '2029-01-02' })
    t.strictSame(ids(await app.call('GET', once)), ['3-20290101'], 'however far ahead')
  })

  t.test(`an occurrence passes through its statuses by itself (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const one = `${await add(app)}/1-20260102`
    const status = async () => (await app.call('GET', one)).body.status
    t.equal(await status(), 'SCHEDULED')
    app.advance(26 * hourMs)
    t.equal(await status(), 'IN_PROGRESS')
    app.advance(hourMs)
    t.equal(await status(), 'COMPLETED')
  })

  t.test(
    `shown windows start and end by themselves only if told so, hidden ones always (${engine})`,
    async (t) => {
      const app = await testApp(t, { engine })
      const byHand = { autoStart: false, autoEnd: false }
      const hidden = await add(app, { statusPageVisibility: byHand })
      const shown = await add(app, { statusPageVisibility: { ...byHand, enabled: true } })
      const statuses = async () => [
        (await app.call('GET', `${hidden}/1-20260102`)).body.status,
        (await app.call('GET', `${shown}/2-20260102`)).body.status,
      ]
      app.advance(26 * hourMs)
      t.strictSame(await statuses(), ['IN_PROGRESS', 'SCHEDULED'])
      await app.call('POST', `${shown}/2-20260102/updates`, {
        body: { status: 'IN_PROGRESS', description: 'now' },
      })
      app.advance(2 * hourMs)
      t.strictSame(await statuses(), ['COMPLETED', 'IN_PROGRESS'], 'active past its end until closed')
      await app.call('POST', `${shown}/2-20260102/updates`, {
        body: { status: 'COMPLETED', description: 'done' },
      })
      t.strictSame(await statuses(), ['COMPLETED', 'COMPLETED'])
    },
  )

  t.test(`one occurrence is moved or left out, the others stay (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call } = app
    const all = await add(app)
    app.advance(1000)
    const moved = await call('PATCH', `${all}/1-20260103`, {
      body: { startsAt: '2026-01-03T05:00:00Z', endsAt: '2026-01-03T06:30:00Z' },
    })
    t.equal(moved.status, 200, moved.text)
    t.match(moved.body, {
      id: '1-20260103',
      startsAt: '2026-01-03T05:00:00.000Z',
      endsAt: '2026-01-03T06:30:00.000Z',
      updated_at: '2026-01-01T00:00:01.000Z',
    })
    const longer = await call('PATCH', `${all}/1-20260103`, { body: { endsAt: '2026-01-03T07:00:00Z' } })
    t.match(longer.body, { startsAt: '2026-01-03T05:00:00.000Z', endsAt: '2026-01-03T07:00:00.000Z' })
    const wrong = await call('PATCH', `${all}/1-20260103`, { body: { startsAt: '2026-01-03T07:00:01Z' } })
    t.equal(wrong.status, 400)
    t.equal((await call('DELETE', `${all}/1-20260104`)).status, 204)
    t.equal((await call('GET', `${all}/1-20260104`)).status, 404)
    t.equal((await call('DELETE', `${all}/1-20260104`)).status, 404)
    t.equal((await call('PATCH', `${all}/1-20260104`, { body: {} })).status, 404)
    const listed = await call('GET', `${all}?limit=2&page=2`)
    t.strictSame(ids(listed), ['1-20260105', '1-20260106'])
    t.equal(listed.headers.get('content-range'), '2-3/364')
    const first = await call('GET', `${all}?limit=2`)
    t.strictSame(
      first.body.map(({ startsAt }: { startsAt: string }) => startsAt),
      ['2026-01-02T02:00:00.000Z', '2026-01-03T05:00:00.000Z'],
    )
  })

  t.test(`updates are posted, corrected and removed, and set the status (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call, advance } = app
    const one = `${await add(app)}/1-20260102`
    const post = (body: object) => call('POST', `${one}/updates`, { body })
    const first = await post({ status: 'IN_PROGRESS', description: 'early', notifySubscribers: true })
    t.equal(first.status, 201, first.text)
    t.match(first.body, {
      status: 'IN_PROGRESS',
      description: 'early',
      notifySubscribers: true,
      created_at: '2026-01-01T00:00:00.000Z',
      updated_at: null,
    })
    t.equal((await call('GET', one)).body.status, 'IN_PROGRESS')
    advance(1000)
    const second = await post({ status: 'CANCELLED', description: 'not today' })
    t.strictSame((await call('GET', one)).body.updates, [second.body, first.body], 'newest first')
    const edited = await call('PUT', `${one}/updates/${second.body.id}`, {
      body: { description: 'checking', status: 'VERIFYING' },
    })
    t.match(edited.body, { description: 'checking', status: 'VERIFYING' })
    t.equal((await call('GET', one)).body.status, 'VERIFYING')
    const text = await call('PUT', `${one}/updates/${second.body.id}`, { body: { description: 'still' } })
    t.match(text.body, { description: 'still', status: 'VERIFYING' })
    t.equal((await call('DELETE', `${one}/updates/${second.body.id}`)).status, 204)
    t.equal((await call('DELETE', `${one}/updates/${second.body.id}`)).status, 404)
    t.equal((await call('GET', one)).body.status, 'IN_PROGRESS')
    const elsewhere = one.replace('20260102', '20260103')
    t.equal((await call('DELETE', `${elsewhere}/updates/${first.body.id}`)).status, 404)
    for (const body of [{ status: 'DONE', description: 'x' }, { status: 'COMPLETED' }, { description: 'x' }])
      t.equal((await post(body)).status, 400)
    t.equal((await post({ status: 'COMPLETED', description: 'x'.repeat(2001) })).status, 400)
  })

  t.test(`what was done to occurrences that a new repetition lacks is removed (${engine})`, async (t) => {
    const app = await testApp(t, { engine })
    const { call } = app
    const all = await add(app)
    for (const date of ['20260103', '20260109']) {
      const update = { status: 'SCHEDULED', description: date }
      await call('POST', `${all}/1-${date}/updates`, { body: update })
    }
    t.equal((await call('PUT', `${windows}/1`, { body: { repeatUnit: 'WEEK' } })).status, 200)
    t.equal((await call('GET', `${all}/1-20260103`)).status, 404)
    t.equal((await call('GET', `${all}/1-20260109`)).body.updates.length, 1)
    await call('DELETE', `${windows}/1`)
    const rows = await app.app.db.select((k) => k.selectFrom('maintenance_updates').selectAll())
    t.strictSame(rows, [], 'and with the window all of it')
  })
}

t.test('ids of occurrences that are none are 404, malformed ones 400', async (t) => {
  const app = await testApp(t)
  const all = await add(app)
  const { apiKey: key } = await app.addKey()
  t.equal((await app.call('GET', all, { key })).status, 404)
  t.equal((await app.call('GET', `${all}/1-20260102`, { key })).status, 404)
  for (const id of ['1-20260101', '1-20260230', '1-20261301', '2-20260102', '1-99991231'])
    t.equal((await app.call('GET', `${all}/${id}`)).status, 404, id)
  for (const id of ['x', '1', '1-2026', '20260102'])
    t.equal((await app.call('GET', `${all}/${id}`)).status, 400, id)
  t.equal((await app.call('GET', `${all}/1-20260102/updates`)).status, 405)
})

t.test('an occurrence takes 100 updates', async (t) => {
  const app = await testApp(t)
  const updates = `${await add(app)}/1-20260102/updates`
  const body = { status: 'SCHEDULED', description: 'x' }
  for (let index = 0; index < 100; index++) await app.call('POST', updates, { body })
  t.equal((await app.call('POST', updates, { body })).status, 409)
})
