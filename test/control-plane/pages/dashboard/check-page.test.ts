// Runs on both engines in test:all: its statements run in no other file.
/** What the page of a check says, and in which order: state, reason, first step, who was told; figures; runs by outcome, place and time. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { insertResults } from '../../../../control-plane/monitoring/runs/result-queries.ts'
import { recordMissedRanges } from '../../../../control-plane/monitoring/schedule/missed-runs.ts'
import { alertRoom } from '../../../support/alert-room.ts'
import { dispatch } from '../../../support/alerting.ts'
import { eachEngine, testApp } from '../../../support/app.ts'
import { checkWith, sessionOf, setState, visitPage } from '../../../support/dashboard.ts'
import { newStoredResult, storeCheck, storeResult } from '../../../support/stored-results.ts'

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/** A section of the page by its id, as text. */
const textIn = (page: string, id: string): string =>
  (new RegExp(`<(section|ul|div)[^>]* id="${id}".*?</\\1>`, 's').exec(page)?.[0] ?? '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')

t.test('it begins with the reason, the first step, and who was told', async (t) => {
  const room = await alertRoom(t, 'sqlite')
  const cookie = await sessionOf(room)
  await room.addChannel({ config: { address: 'on-call@shop.example' } })
  const { body: group } = await room.call('POST', '/v1/check-groups', {
    body: { name: 'Shop', concurrency: 1 },
  })
  await room.call('PUT', `/v1/private-locations/${room.locationId}`, { body: { name: 'Berlin office' } })
  const alertChannelSubscriptions = [{ alertChannelId: 1, activated: true }]
  const checkId = await room.addCheck({ name: 'Checkout', groupId: group.id, alertChannelSubscriptions })
  const open = async () => (await visitPage(room, cookie, `/app/checks/${checkId}`)).text
  t.match(textIn(await open(), 'state'), /Not run yet.*When it fails, told: \S+ on-call@shop\.example/i)
  await room.run('p')
  t.match(textIn(await open(), 'state'), /Passing last run .*Berlin office/)
  await room.run('ff')
  await dispatch(room.app)
  const page = await open()
  const first = textIn(page, 'state')
  t.match(first, /Failing.* for \d+ (seconds|minutes|minute).*, in Berlin office.*since.*UTC/)
  t.match(first, 'The connection was refused', 'why')
  t.match(first, /Look first: On the target: is the service running/)
  t.match(first, /Told: \S+ on-call@shop\.example .* could not be delivered.*Nobody has acknowledged\./i)
  for (const word of ['Acknowledge', 'Snooze', 'The failing run', 'Open an incident']) t.match(first, word)
  t.match(page, /groups\/\d+"[^>]*>Shop</, 'the group by its name')
  t.notMatch(page, /\bEMAIL\b|ALERT_FAILURE|no\. 1\b/, 'no raw values')
  for (const [earlier, later] of [
    ['state', 'numbers'],
    ['numbers', 'figures'],
    ['figures', 'days'],
    ['days', 'results'],
    ['results', 'why'],
  ])
    t.ok(page.indexOf(`id="${earlier}"`) < page.indexOf(`id="${later}"`), `${earlier} before ${later}`)

  const { channels } = (await room.call('GET', `/v1/checks/${checkId}/alert-explanation`)).body
  t.match(channels[0].sentAt, /^\d{4}-/, 'the API knows when')
  const [{ id }] = (await room.call('GET', `/v2/check-results/${checkId}`)).body.entries
  const cause = (await room.call('GET', `/v1/check-results/${checkId}/${id}/cause`)).body
  t.match(cause, { provider: 'builtin', analysis: { codeFix: /On the target/ } }, 'and why')
  await room.call('POST', `/v1/check-alerts/${checkId}/acknowledge`)
  t.match(textIn(await open(), 'state'), /Acknowledged by/)
  await room.call('PUT', `/v1/checks/${checkId}`, { body: { muted: true } })
  t.match(textIn(await open(), 'state'), /Nobody is told: it is muted/)
  await room.call('PUT', `/v1/checks/${checkId}`, { body: { activated: false } })
  t.match(textIn(await open(), 'state'), /Paused/)
})

eachEngine('the cause of a run that did not fail is not made up, nor of one of others', async (t, plane) => {
  const { checkId, resultId } = await checkWith(plane, { name: 'Fine', state: 'passing' })
  const path = `/v1/check-results/${checkId}/${resultId}/cause`
  t.strictSame((await plane.call('GET', path)).body, { analysis: null, provider: null, model: null })
  const other = await plane.addKey()
  t.equal((await plane.call('GET', path, { key: other.apiKey })).status, 404)
})

eachEngine('figures are of all runs, and days before the check are empty', async (t, plane) => {
  const cookie = await sessionOf(plane)
  const now = plane.app.clock.now()
  const checkId = await storeCheck(plane)
  const runs = [
    { at: now - 20 * dayMs, hasFailures: true },
    ...Array.from({ length: 9 }, (_, back) => ({ at: now - 20 * dayMs + back, hasFailures: false })),
    ...[100, 200, 300].map((responseTime, back) => ({ at: now - (back + 1) * hourMs, responseTime })),
  ]
  for (const run of runs) await storeResult(plane, { checkId, ...run })
  await setState(plane, checkId, 'passing')
  const { text } = await visitPage(plane, cookie, `/app/checks/${checkId}`)
  const numbers = textIn(text, 'numbers')
  t.match(numbers, /100 % passed, 24 h 100 % passed, 7 d 92\.31 % passed, 30 d 92\.31 % passed, 90 d/)
  t.match(numbers, /100 ms last run 200 ms mean, 24 h/)
  t.equal(text.match(/<li class="d-before"/g)?.length, 69)
  t.match(
    textIn(text, 'days'),
    /92\.31 % of the runs passed; 1 day with failures; the first 69 days were before/,
  )
  t.match(text, /<li class="d-f2" title="[^"]*: 1 of 10 runs failed"><a href="[^"]*outcome=failed&amp;from=/)
  const path = `/v1/analytics/url-monitors/${checkId}?metrics=runs,availability&quickRange=last30Days`
  t.match((await plane.call('GET', path)).body.series, [{ data: [{ runs: 13, availability: 92.308 }] }])
})

eachEngine('runs by outcome, place and time, with their attempts folded', async (t, plane) => {
  const { app, accountId } = plane
  const cookie = await sessionOf(plane)
  const now = app.clock.now()
  const checkId = await storeCheck(plane)
  const final = newStoredResult(plane, {
    ...{ checkId, at: now - minuteMs, hasFailures: true, attempts: 1, location: 'eu-central-1' },
    doc: { error: 'Status 503 instead of 200' },
  })
  const attempt = newStoredResult(plane, {
    ...{
      checkId,
      at: now - 2 * minuteMs,
      hasFailures: true,
      location: 'eu-central-1',
      resultType: 'ATTEMPT',
    },
    doc: { error: 'no answer in time' },
  })
  await app.db.transaction((trx) => insertResults(trx, [final, { ...attempt, sequenceId: final.sequenceId }]))
  await storeResult(plane, { checkId, at: now - 3 * hourMs, isDegraded: true })
  await storeResult(plane, { checkId, at: now - 4 * hourMs, hasErrors: true, doc: { error: 'no browser' } })
  for (let back = 0; back < 25; back++) await storeResult(plane, { checkId, at: now - (100 + back) * hourMs })
  const range = { ...{ firstDueAt: now - hourMs, lastDueAt: now - hourMs, stepMs: minuteMs, now }, count: 1 }
  await recordMissedRanges(app.db, [
    {
      ...range,
      id: app.newId(),
      accountId,
      checkId,
      location: { name: 'local' },
      reason: 'NO_AGENT',
      detail: 'No agent was there.',
    },
  ])
  const runs = async (query = '') => (await visitPage(plane, cookie, `/app/checks/${checkId}${query}`)).text
  const rows = (page: string): string[] =>
    [...page.matchAll(/<td class="main"><a href="\/app\/runs[^>]*>.*?<\/i>([^<]*)</gs)].map(
      ([, word = '']) => word,
    )
  const all = await runs()
  t.strictSame(rows(all).slice(0, 4), ['Failed', 'Degraded', 'Could not run', 'Passed'])
  t.equal(rows(all).length, 20)
  t.match(all, /<details class="attempts-of"><summary>2 attempts<\/summary>.*no answer in time.*<\/details>/s)
  t.match(textIn(all, 'results'), 'Frankfurt (eu-central-1)')
  const [, older = ''] = /rel="next" href="[^"?]*(\?[^"#]*)/.exec(all) ?? []
  t.equal(rows(await runs(older.replaceAll('&amp;', '&'))).length, 8, 'the rest, by keyset')
  t.strictSame(rows(await runs('?outcome=failed')), ['Failed'])
  t.strictSame(rows(await runs('?outcome=degraded')), ['Degraded'])
  t.strictSame(rows(await runs('?outcome=errors')), ['Could not run'])
  t.match(textIn(await runs('?outcome=missed'), 'results'), 'No agent was there.')
  t.strictSame(rows(await runs('?location=eu-central-1')), ['Failed'])
  const instant = (at: number): string => new Date(at).toISOString().slice(0, 16)
  const between = `?from=${instant(now - 5 * hourMs)}&to=${instant(now - 2 * hourMs)}`
  t.strictSame(rows(await runs(between)), ['Degraded', 'Could not run'])
  t.match(await runs(between), `name="from" value="${instant(now - 5 * hourMs)}"`)
  t.match(textIn(await runs('?outcome=failed&location=local'), 'results'), 'No such runs')
  for (const nonsense of ['?outcome=x&from=%27&to=9', '?range=x'])
    t.equal(rows(await runs(nonsense)).length, 20, `${nonsense} filters nothing`)

  const count = async (query: string) =>
    (await plane.call('GET', `/v2/check-results/${checkId}?limit=100&${query}`)).body.length
  t.equal(await count('isDegraded=true'), 1)
  t.equal(await count('hasErrors=true'), 1)
  t.equal(await count('isDegraded=false&hasErrors=false'), 26)
})

t.test('a page of a busy check keeps to its budget', async (t) => {
  const plane = await testApp(t)
  const cookie = await sessionOf(plane)
  const { checkId } = await checkWith(plane, { name: 'Busy', state: 'failing', error: 'status 500' })
  const rows = Array.from({ length: 1500 }, (_, back) =>
    newStoredResult(plane, {
      ...{ checkId, at: plane.app.clock.now() - back * minuteMs, responseTime: 90 + ((back * 37) % 60) },
      ...{
        hasFailures: back % 40 === 0,
        doc: { error: back % 40 === 0 ? `status ${500 + (back % 7)}` : null },
      },
    }),
  )
  await plane.app.db.transaction((trx) => insertResults(trx, rows))
  const { text } = await visitPage(plane, cookie, `/app/checks/${checkId}`)
  t.ok(gzipSync(text).length <= 17 * 1024, `${gzipSync(text).length} bytes`)
  t.equal(text.match(/<script src/g)?.length, 1, 'two requests')
})
