// Runs on both engines in test:all: rows are counted and added up.
/** Usage is what a recount of the results says, whether they are read or have been counted before. */
import t from 'tap'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { countAll, takeIn } from '../../../support/rollups.ts'
import { type StoredResult, storeCheck } from '../../../support/stored-results.ts'

const hour = 3_600_000
const day = 24 * hour

/** Some failed, some could not be judged. */
const runsOf = (checkId: string, count: number, now: number): StoredResult[] =>
  Array.from({ length: count }, (_, run) => ({
    checkId,
    at: now - 1 - Math.floor((run * 40 * day) / count),
    responseTime: 20 + run,
    hasFailures: run % 9 === 4,
    hasErrors: run % 50 === 33,
  }))

const judged = (runs: readonly StoredResult[], from: number, to: number) => {
  const all = runs.filter(({ at, hasErrors }) => !hasErrors && at >= from && at < to)
  return { totalRuns: all.length, failedRuns: all.filter(({ hasFailures }) => hasFailures).length }
}

const measuresOf = ({ meters }: { meters: { measures: object }[] }) => meters[0]?.measures

for (const engine of engineNames)
  t.test(`usage counts the runs of each type of checks (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { app, accountId } = plane
    // Noon, so that today has runs.
    plane.advance(12 * hour - (app.clock.now() % day))
    const now = app.clock.now()
    const today = now - 12 * hour
    const url = runsOf(await storeCheck(plane), 1200, now)
    const api = runsOf(await storeCheck(plane, { type: 'API' }), 200, now)
    const runs = [...url, ...api]
    const early = runs.filter(({ at }) => at < now - 6 * hour)
    plane.advance(-6 * hour)
    for (let at = 0; at < early.length; at += 1000) await takeIn(plane, early.slice(at, at + 1000))
    await countAll(app)
    plane.advance(6 * hour)
    await takeIn(
      plane,
      runs.filter(({ at }) => at >= now - 6 * hour),
    )
    const ask = async (path: string) => (await plane.call('GET', `/v1/usage/${path}`)).body
    const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
    const from = dayOf(now - 50 * day)

    const summary = await ask(`summary?from=${from}`)
    t.match(summary, { usageTermsId: accountId, period: { from, to: dayOf(now) } })
    t.match(measuresOf(summary.totals), judged(runs, 0, now), 'all of both types')
    const one = await ask(`summary?from=${from}&checkTypes=API,TCP`)
    t.match(measuresOf(one.totals), judged(api, 0, now), 'one of two types')
    const yesterday = dayOf(today - day)
    const part = await ask(`summary?from=${yesterday}&to=${yesterday}&checkTypes=URL`)
    t.match(measuresOf(part.totals), judged(url, today - day, today), 'a single day')
    t.match(part.period, { from: yesterday, to: yesterday })

    const perDay = await ask(`series?from=${from}&limit=1000`)
    for (const row of perDay.data) {
      const start = Date.parse(row.periodStart)
      const own = row.checkType === 'API' ? api : url
      t.match(measuresOf(row), judged(own, start, start + day), `${row.periodStart} ${row.checkType}`)
    }
    t.equal(perDay.nextId, null)
    t.ok(perDay.data.length > 70, 'days of both types')
    const pages: object[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: { data: object[]; nextId: string | null } = await ask(
        `series?from=${from}&limit=33${next === '' ? '' : `&nextId=${next}`}`,
      )
      pages.push(...page.data)
      next = page.nextId
    }
    t.strictSame(pages, perDay.data, 'pages are the whole')
    const total = await ask(`series?from=${from}&interval=total&groupBy=account`)
    t.match(total.data, [{ accountId, periodStart: from, checkType: undefined }])
    t.match(measuresOf(total.data[0]), judged(runs, 0, now))

    const terms = await ask('terms')
    t.match(terms, { id: accountId, accounts: [{ id: accountId }], creditBudget: null })
    const { windows } = (await ask('summary')).projections
    t.match(measuresOf(windows.last1Day.usage), judged(runs, today, now), 'today')
    t.ok(terms.usageStartDate <= dayOf(now))
  })

t.test('what cannot be asked is refused by name', async (t) => {
  const plane = await testApp(t)
  for (const [asked, problem] of [
    ['summary?from=2026-01-03&to=2026-01-02', /must not be after "to"/],
    ['summary?from=2020-01-03', /at most 400 days/],
    ['summary?from=2026-02-30', /from/],
    ['series?interval=hour', /interval/],
    ['series?checkTypes=PIGEON', /checkTypes/],
    ['series?accountIds=4d5a3f0e-0000-4000-8000-000000000000', /no account but that of the key/],
  ] as const) {
    const { status, body } = await plane.call('GET', `/v1/usage/${asked}`)
    t.equal(status, 400, asked)
    t.match(body.message, problem)
  }
  const mine = await plane.call('GET', `/v1/usage/series?accountIds=${plane.accountId}`)
  t.match(mine, { status: 200, body: { data: [], length: 0, nextId: null } })
})
