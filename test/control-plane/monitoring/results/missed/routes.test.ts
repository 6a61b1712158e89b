// Runs on both engines in test:all: results are written and read otherwise on each engine.
import t from 'tap'
import { recordMissedRanges } from '../../../../../control-plane/monitoring/schedule/missed-runs.ts'
import { testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { fc } from '../../../../support/fast-check.ts'

type Range = { checkId: string; location: string; first: number; step: number; count: number }

const checkId = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
const otherCheckId = '7f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b12'

const range = fc.record({
  checkId: fc.constantFrom(checkId, otherCheckId),
  location: fc.constantFrom('local', 'eu-west-1'),
  first: fc.integer({ min: 0, max: 20 }),
  step: fc.integer({ min: 1, max: 5 }),
  count: fc.integer({ min: 1, max: 12 }),
})

const dueTimes = ({ first, step, count }: Range): number[] =>
  Array.from({ length: count }, (_, i) => (first + i * step) * 1000)

for (const engine of engineNames)
  t.test(`pages of any size list every due time of every range once, latest first (${engine})`, async (t) => {
    const { app, call, accountId } = await testApp(t, { engine })
    const list = async (query: string): Promise<number[]> => {
      const dues: number[] = []
      const ids = new Set<string>()
      for (let nextId = ''; ; ) {
        const { body, text } = await call('GET', `/v1/missed-runs?${query}${nextId}`)
        if (!body.entries) throw new Error(text)
        for (const { id, dueAt } of body.entries) {
          ids.add(id)
          dues.push(Date.parse(dueAt))
        }
        if (body.nextId === null) {
          if (ids.size !== dues.length) throw new Error('a record came twice')
          return dues
        }
        nextId = `&nextId=${body.nextId}`
      }
    }
    await fc.assert(
      fc.asyncProperty(
        fc.array(range, { maxLength: 8 }),
        fc.integer({ min: 1, max: 7 }),
        async (ranges, limit) => {
          await app.db.execute((k) => k.deleteFrom('missed_runs'))
          for (const each of ranges) {
            const dues = dueTimes(each)
            await recordMissedRanges(app.db, [
              {
                id: app.newId(),
                accountId,
                checkId: each.checkId,
                location: { name: each.location },
                reason: 'NO_AGENT',
                detail: 'Nobody came.',
                firstDueAt: dues[0] ?? 0,
                lastDueAt: dues.at(-1) ?? 0,
                stepMs: each.step * 1000,
                count: each.count,
                now: 1,
              },
            ])
          }
          const expected = (wanted: (each: Range) => boolean, within = (_: number) => true) =>
            ranges
              .filter(wanted)
              .flatMap(dueTimes)
              .filter(within)
              .sort((a, b) => b - a)
          const same = (a: number[], b: number[]) => JSON.stringify(a) === JSON.stringify(b)
          const inWindow = (due: number) => due >= 10_000 && due < 30_000
          return (
            same(
              await list(`limit=${limit}`),
              expected(() => true),
            ) &&
            same(
              await list(`limit=${limit}&from=10&to=30`),
              expected(() => true, inWindow),
            ) &&
            same(
              await list(`limit=${limit}&checkId=${checkId}&location=local`),
              expected((each) => each.checkId === checkId && each.location === 'local'),
            )
          )
        },
      ),
      { numRuns: 12 },
    )
    t.pass()
  })

t.test('a missed run says what, where, when and why, to its own account only', async (t) => {
  const { app, call, accountId, addKey, advance } = await testApp(t)
  const missed = {
    id: 'range-1',
    accountId,
    checkId,
    location: { name: 'local' },
    reason: 'OVERLAP' as const,
  }
  await recordMissedRanges(app.db, [
    {
      ...missed,
      detail: 'It was busy.',
      firstDueAt: 5000,
      lastDueAt: 5000,
      stepMs: 1000,
      count: 1,
      now: 6000,
    },
  ])
  const { body } = await call('GET', '/v1/missed-runs')
  t.strictSame(body, {
    length: 1,
    entries: [
      {
        id: 'range-1.5000',
        checkId,
        runLocation: 'local',
        dueAt: '1970-01-01T00:00:05.000Z',
        reason: 'OVERLAP',
        detail: 'It was busy.',
        created_at: '1970-01-01T00:00:06.000Z',
      },
    ],
    nextId: null,
  })
  t.equal((await call('GET', '/v1/missed-runs?reason=NO_AGENT')).body.length, 0)
  const { apiKey: key } = await addKey()
  t.equal((await call('GET', '/v1/missed-runs', { key })).body.length, 0)
  for (const query of ['nextId=x', 'from=x', 'reason=BAD_LUCK', 'checkId=1', 'limit=1000'])
    t.equal((await call('GET', `/v1/missed-runs?${query}`)).status, 400, query)
  advance(1)
})
