// Runs on both engines in test:all: results are written and read otherwise on each engine.
import t from 'tap'
import { completeArtifact, insertArtifact } from '../../../../control-plane/monitoring/artifacts/queries.ts'
import { matchesGlob } from '../../../../control-plane/monitoring/results/assets.ts'
import { insertResults } from '../../../../control-plane/monitoring/runs/result-queries.ts'
import { type TestApp, testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'

const hour = 3_600_000

const setUp = async (plane: TestApp) => {
  const body = { name: 'site', request: { url: 'http://127.0.0.1/' } }
  const checkId: string = (await plane.call('POST', '/v1/checks/url', { body })).body.id
  const add = async (startedAt: number, doc: object = {}): Promise<string> => {
    const id = plane.app.newId()
    const row = {
      id,
      accountId: plane.accountId,
      checkId,
      checkType: 'URL',
      resultType: 'FINAL',
      location: 'local',
      dueAt: startedAt,
      startedAt,
      stoppedAt: startedAt + 5,
      now: startedAt + 6,
      responseTime: 5,
      hasFailures: false,
      hasErrors: false,
      isDegraded: false,
      isCancelled: false,
      overMax: false,
      attempts: 0,
      sequenceId: id,
      checkRunId: startedAt,
      doc: JSON.stringify({ name: 'site', ...doc }),
    }
    await plane.app.db.transaction((trx) => insertResults(trx, [row]))
    return id
  }
  return { checkId, add, now: plane.app.clock.now() }
}

for (const engine of engineNames) {
  t.test(`the paged list shows the last six hours, newest first (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { checkId, add, now } = await setUp(plane)
    await add(now - 7 * hour)
    const ids = [await add(now - 5 * hour), await add(now - hour), await add(now - 1000)]
    const path = `/v1/check-results/${checkId}`
    const all = await plane.call('GET', path)
    t.strictSame(
      all.body.map(({ id }: { id: string }) => id),
      [...ids].reverse(),
    )
    t.equal(all.headers.get('content-range'), '0-2/3')
    t.equal(all.headers.get('deprecation'), 'true')
    const second = await plane.call('GET', `${path}?limit=2&page=2`)
    t.strictSame(
      second.body.map(({ id }: { id: string }) => id),
      [ids[0]],
    )
    const wide = `${path}?from=${(now - 7 * hour) / 1000}&to=${now / 1000}`
    t.match(await plane.call('GET', wide), { status: 400 })
  })

  t.test(`one result is read by its id, with why it failed (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { checkId, add, now } = await setUp(plane)
    const id = await add(now, { error: 'The agent has no disk left', errorGroupIds: ['g'] })
    const path = `/v1/check-results/${checkId}/${id}`
    t.match(await plane.call('GET', path), {
      status: 200,
      body: { id, error: 'The agent has no disk left', errorGroupIds: ['g'] },
    })
    t.match(await plane.call('GET', `/v1/check-results/${id}/${id}`), { status: 404 })
    const { apiKey: key } = await plane.addKey()
    t.match(await plane.call('GET', path, { key }), { status: 404 })
    t.match(await plane.call('GET', `${path}/assets`, { key }), { status: 404 })
  })

  t.test(`the manifest names a result's files, by type and name (${engine})`, async (t) => {
    const plane = await testApp(t, { engine })
    const { checkId, add, now } = await setUp(plane)
    const id = await add(now)
    const file = (type: string, name: string, position: number) => ({
      result_id: id,
      name,
      position,
      account_id: plane.accountId,
      check_id: checkId,
      location: 'local',
      type,
      content_type: 'text/plain',
      size: 1,
      sha256: '0'.repeat(64),
      refused: null,
      created_at: now,
      expires_at: now + hour,
    })
    const { db } = plane.app
    for (const each of [file('pcap', 'first try.pcap', 0), file('log', 'run.log', 1), file('log', 'late', 2)])
      await db.run(insertArtifact, each)
    for (const name of ['first try.pcap', 'run.log'])
      await db.run(completeArtifact, { resultId: id, name, now })
    const path = `/v1/check-results/${checkId}/${id}/assets`
    t.match((await plane.call('GET', path)).body, { entriesTotal: 2, truncated: false })
    const filtered = await plane.call('GET', `${path}?type[]=pcap&name=*.pcap`)
    t.match(filtered.body.entries, [
      { type: 'pcap', url: /\/assets\/first%20try.pcap$/, source: { checkResultId: id } },
    ])
    t.equal(filtered.body.entries.length, 1)
    t.match((await plane.call('GET', `${path}?name=*.zip`)).body.entries, [])
  })
}

t.test('a glob matches whole names, in bounded time', async (t) => {
  const cases: Array<[string, string, boolean]> = [
    ['*', '', true],
    ['*.log', 'run.log', true],
    ['*.log', 'run.log.gz', false],
    ['r?n.*', 'run.log', true],
    ['r?n', 'rn', false],
    ['a*b*c', 'aXbYbZc', true],
    ['[x].txt', '[x].txt', true],
    ['**', 'any', true],
  ]
  for (const [glob, text, expected] of cases) t.equal(matchesGlob(glob, text), expected, `${glob} ~ ${text}`)
  t.notOk(matchesGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(10_000)))
})
