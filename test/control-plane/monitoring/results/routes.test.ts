// Runs on both engines in test:all: results are written and read otherwise on each engine.
import t from 'tap'
import { removeResultsTick } from '../../../../control-plane/monitoring/results/remove-results.ts'
import { insertResults, type NewResult } from '../../../../control-plane/monitoring/runs/result-queries.ts'
import type { WholeApp } from '../../../../control-plane/whole-app.ts'
import { allResults } from '../../../support/all-results.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const request = { url: 'https://example.com/' }
const detail = {
  assertions: [
    {
      source: 'STATUS_CODE',
      property: '',
      comparison: 'EQUALS',
      target: 200,
      regex: '',
      order: 0,
      passed: true,
      actual: 200,
      error: null,
    },
  ],
  request: { method: 'GET', url: 'https://example.com/', data: '', headers: {}, params: {} },
  response: null,
  requestError: null,
  jobLog: null,
  jobAssets: null,
  pcapDataUrl: null,
}

const resultId = '019b7a00-0000-7000-8000-000000000001'
const otherId = '019b7a00-0000-7000-8000-000000000002'
const sequenceId = '019b7a00-0000-7000-8000-000000000003'

type Shape = Partial<NewResult>

const addResult = (app: WholeApp, checkId: string, accountId: string, more: Shape): Promise<void> => {
  const row = {
    id: app.newId(),
    accountId,
    checkId,
    checkType: 'URL',
    resultType: 'FINAL',
    location: 'local',
    dueAt: 0,
    startedAt: 0,
    stoppedAt: 5,
    now: 10,
    responseTime: 4.5,
    hasFailures: false,
    hasErrors: false,
    isDegraded: false,
    isCancelled: false,
    overMax: false,
    attempts: 0,
    sequenceId: app.newId(),
    checkRunId: 1,
    doc: JSON.stringify({ name: 'site', apiCheckResult: detail }),
    ...more,
  }
  return app.db.transaction((trx) => insertResults(trx, [row]))
}

const withCheck = async ({ call }: TestApp): Promise<string> =>
  (await call('POST', '/v1/checks/url', { body: { name: 'site', request } })).body.id

for (const engine of engineNames) {
  t.test(`pages stay where they are while results are added (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { app, call, accountId } = service
    const id = await withCheck(service)
    for (let i = 0; i < 25; i++)
      await addResult(app, id, accountId, { startedAt: Math.floor(i / 2) * 1000, checkRunId: i })
    const seen: string[] = []
    let nextId: string | null = null
    for (let page = 0; page < 10; page++) {
      const cursor: string = nextId === null ? '' : `&nextId=${nextId}`
      const { body } = await call('GET', `/v2/check-results/${id}?limit=10${cursor}`)
      t.equal(body.length, body.entries.length)
      seen.push(...body.entries.map((entry: { id: string }) => entry.id))
      nextId = body.nextId
      if (nextId === null) break
      await addResult(app, id, accountId, { startedAt: 99_000 + page })
    }
    t.equal(seen.length, 25)
    t.equal(new Set(seen).size, 25)
    t.equal(nextId, null)
  })

  t.test(`every filter of the contract (${engine})`, async (t) => {
    const service = await testApp(t, { engine })
    const { app, call, accountId } = service
    const id = await withCheck(service)
    const at = Date.UTC(2026, 0, 2)
    await addResult(app, id, accountId, { startedAt: at - 1, location: 'eu-west-1' })
    await addResult(app, id, accountId, { startedAt: at, hasFailures: true })
    await addResult(app, id, accountId, { startedAt: at + 1000, resultType: 'ATTEMPT', hasFailures: true })
    const count = async (query: string) => {
      const { body, status, text } = await call('GET', `/v2/check-results/${id}?${query}`)
      t.equal(status, 200, text)
      return body.length
    }
    const seconds = at / 1000
    t.equal(await count(''), 2, 'FINAL is the default')
    t.equal(await count('resultType=ATTEMPT'), 1)
    t.equal(await count('resultType=ALL'), 3)
    t.equal(await count('location=eu-west-1'), 1)
    t.equal(await count('location=local'), 1)
    t.equal(await count('hasFailures=true'), 1)
    t.equal(await count('hasFailures=false'), 1)
    t.equal(await count('checkType=URL'), 2)
    t.equal(await count('checkType=BROWSER'), 0)
    t.equal(await count(`from=${seconds}`), 1, 'from is inclusive')
    t.equal(await count(`to=${seconds}`), 1, 'to is exclusive')
    t.equal(await count(`from=${seconds - 1}&to=${seconds + 5}&resultType=ALL`), 3)
    t.equal(await count('from=2026-01-02'), 1)
    t.equal(await count('to=2026-01-02T00:00:00Z'), 1)
    t.equal(await count('to=2026-01-02T00:00:00'), 1, 'without a zone it is UTC')
  })
}

t.test('a result has the full shape of the contract', async (t) => {
  const service = await testApp(t)
  const { app, call, accountId } = service
  const id = await withCheck(service)
  await addResult(app, id, accountId, {
    id: resultId,
    sequenceId: sequenceId,
    startedAt: 1000,
    stoppedAt: 1500,
    now: 2000,
    isDegraded: true,
  })
  const { body } = await call('GET', `/v2/check-results/${id}`)
  t.strictSame(body, {
    length: 1,
    entries: [
      {
        id: resultId,
        name: 'site',
        checkId: id,
        checkType: 'URL',
        resultType: 'FINAL',
        hasFailures: false,
        hasErrors: false,
        isDegraded: true,
        isCancelled: false,
        overMaxResponseTime: false,
        runLocation: 'local',
        startedAt: '1970-01-01T00:00:01.000Z',
        stoppedAt: '1970-01-01T00:00:01.500Z',
        created_at: '1970-01-01T00:00:02.000Z',
        responseTime: 4.5,
        apiCheckResult: detail,
        tcpCheckResult: null,
        dnsCheckResult: null,
        icmpCheckResult: null,
        sslCheckResult: null,
        grpcCheckResult: null,
        tracerouteCheckResult: null,
        browserCheckResult: null,
        multiStepCheckResult: null,
        playwrightCheckResult: null,
        agenticCheckResult: null,
        checkRunId: 1,
        attempts: 0,
        sequenceId: sequenceId,
        traceId: null,
        arrivedLate: false,
        replacedMissedRun: false,
        checkVersion: null,
        error: null,
        errorGroupIds: [],
      },
    ],
    nextId: null,
  })
})

t.test('lists send the fields that are asked for, and no others', async (t) => {
  const service = await testApp(t)
  const { app, call, accountId } = service
  const id = await withCheck(service)
  await addResult(app, id, accountId, { id: resultId, now: 2000 })
  await addResult(app, id, accountId, { id: otherId, now: 2000, startedAt: 1 })
  const shown = [
    { hasFailures: false, id: otherId, createdAt: '1970-01-01T00:00:02.000Z' },
    { hasFailures: false, id: resultId, createdAt: '1970-01-01T00:00:02.000Z' },
  ]
  const fields = 'fields=hasFailures,id,%20createdAt'
  const page = await call('GET', `/v2/check-results/${id}?limit=2&${fields}`)
  t.same(page.body, { length: 2, entries: shown, nextId: null })
  const first = await call('GET', `/v2/check-results/${id}?limit=1&${fields}`)
  const next = await call('GET', `/v2/check-results/${id}?limit=1&${fields}&nextId=${first.body.nextId}`)
  t.same(next.body.entries, [shown[1]], 'pages go on as ever')
  const older = await call('GET', `/v1/check-results/${id}?from=0&to=60&${fields}`)
  t.same(older.body, shown)
  t.notOk(
    'createdAt' in (await call('GET', `/v2/check-results/${id}`)).body.entries[0],
    'only where asked for',
  )
  const whole = await call('GET', `/v2/check-results/${id}?fields=apiCheckResult`)
  t.strictSame(whole.body.entries[0], { apiCheckResult: detail })
  const wrong = await call('GET', `/v2/check-results/${id}?fields=id,name2,hash`)
  t.equal(wrong.status, 400)
  t.strictSame(
    wrong.body.attributes.violations.map(({ message }: { message: string }) => message),
    ['name2', 'hash'].map((name) => `"fields" names a field that no result has: ${name}`),
  )
})

t.test('parameters that make no sense are 400', async (t) => {
  const service = await testApp(t)
  const id = await withCheck(service)
  const wrong = [
    'limit=0',
    'limit=101',
    'limit=ten',
    'nextId=nonsense',
    'nextId=',
    'from=yesterday',
    'to=2026-13-45',
    'hasFailures=maybe',
    'resultType=SOME',
    'checkType=OTHER',
  ]
  for (const query of [...wrong, `nextId=${Buffer.from('[1]').toString('base64url')}`])
    t.equal((await service.call('GET', `/v2/check-results/${id}?${query}`)).status, 400, query)
  t.equal((await service.call('GET', '/v2/check-results/nonsense')).status, 400)
})

t.test('deleting a check deletes its results', async (t) => {
  const service = await testApp(t)
  const { app, call, accountId } = service
  const id = await withCheck(service)
  await addResult(app, id, accountId, {})
  await call('DELETE', `/v1/checks/${id}`)
  await removeResultsTick(app, new AbortController().signal)
  t.strictSame(await allResults(app.db), [])
})
