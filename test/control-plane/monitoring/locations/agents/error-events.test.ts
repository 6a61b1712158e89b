// Runs on both engines in test:all: its statements run in no other file.
import t, { type Test } from 'tap'
import { oldErrorEventsTick } from '../../../../../control-plane/monitoring/locations/agents/error-events.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'

const dayMs = 24 * 60 * 60 * 1000

const reporter = (t: Test, { call, agentKey, app }: TestApp) => {
  let count = 0
  /** So many at once, numbered on, each a millisecond later than the one before. */
  return async (many: number, at = app.clock.now()): Promise<void> => {
    const events = Array.from({ length: many }, (_, n) => ({
      message: `failure ${count++}`,
      stack: 'Error: at x',
      agentVersion: '1.0.0',
      platform: 'linux-x64',
      runtime: 'node',
      at: at + n,
    }))
    const body = { agentId: 'agent-1', events }
    const { status, body: answer } = await call('POST', '/agent/v1/error-events', { key: agentKey, body })
    t.strictSame([status, answer.stored], [200, many])
  }
}

type Page = { entries: { message: string; at: string; created_at: string }[]; nextId: string | null }

const readAll = async (t: Test, { call, locationId }: TestApp, limit: number): Promise<Page['entries']> => {
  const path = `/v1/private-locations/${locationId}/agent-errors?limit=${limit}`
  const entries: Page['entries'] = []
  let page: Page | undefined
  do {
    const next = page?.nextId ? `&nextId=${page.nextId}` : ''
    const answer = await call('GET', `${path}${next}`)
    t.equal(answer.status, 200, answer.text)
    page = answer.body as Page
    entries.push(...page.entries)
  } while (page.nextId)
  return entries
}

const numbers = (from: number, to: number): string[] =>
  Array.from({ length: from - to + 1 }, (_, n) => `failure ${from - n}`)

for (const engine of engineNames) {
  t.test(`what agents report of themselves is read page by page, newest first (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app, call, accountId, addKey, locationId } = plane
    const report = reporter(t, plane)
    await report(5)
    plane.advance(1000)
    // The clock of an agent may be years behind.
    await report(3, 5)
    for (const limit of [1, 3, 100])
      t.strictSame(
        (await readAll(t, plane, limit)).map(({ message }) => message),
        numbers(7, 0),
        `${limit} at a time`,
      )
    const [newest] = await readAll(t, plane, 100)
    t.match(newest, {
      agentId: 'agent-1',
      stack: 'Error: at x',
      agentVersion: '1.0.0',
      platform: 'linux-x64',
      runtime: 'node',
      at: '1970-01-01T00:00:00.007Z',
      created_at: new Date(app.clock.now()).toISOString(),
    })
    const path = `/v1/private-locations/${locationId}/agent-errors`
    const { apiKey: reader } = await addKey({ accountId, role: 'READ_ONLY' })
    t.equal((await call('GET', path, { key: reader })).status, 200)
    const { apiKey: stranger } = await addKey()
    t.equal((await call('GET', path, { key: stranger })).status, 404)
    t.equal((await call('GET', `${path}?nextId=WzFd`)).status, 400)
    t.equal((await call('DELETE', `/v1/private-locations/${locationId}`)).status, 204)
    t.equal((await call('GET', path)).status, 404)
  })

  t.test(`they end after thirty days, whatever the agent's clock says (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const report = reporter(t, plane)
    await report(2, plane.app.clock.now() + 400 * dayMs)
    plane.advance(29 * dayMs)
    await report(1, 5)
    await oldErrorEventsTick(plane.app)
    t.equal((await readAll(t, plane, 10)).length, 3)
    plane.advance(dayMs + 1)
    await oldErrorEventsTick(plane.app)
    t.strictSame(
      (await readAll(t, plane, 10)).map(({ message }) => message),
      ['failure 2'],
    )
  })

  t.test(`of a location, the newest five hundred are kept (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const report = reporter(t, plane)
    for (let round = 0; round < 6; round++) {
      await report(95)
      plane.advance(1000)
    }
    t.strictSame(
      (await readAll(t, plane, 100)).map(({ message }) => message),
      numbers(569, 70),
    )
  })
}
