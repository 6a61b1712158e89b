// Runs on both engines in test:all: rows that are there already are changed instead.
import { recordStatus } from '../../../../../control-plane/monitoring/watches/check-statuses/queries.ts'
import { eachEngine } from '../../../../support/app.ts'
import { storeCheck } from '../../../../support/stored-results.ts'

eachEngine('statuses come all at once, or in pages to whoever asks for them', async (t, plane) => {
  const { app, accountId, call, addKey } = plane
  const other = await addKey()
  const ids: string[] = []
  for (const owner of [accountId, other.accountId, accountId, accountId]) {
    const checkId = await storeCheck({ app, accountId: owner })
    const now = app.clock.now()
    await app.db.run(recordStatus, {
      checkId,
      accountId: owner,
      state: 'passing',
      hasFailures: false,
      hasErrors: false,
      isDegraded: false,
      longestRunMs: 1,
      shortestRunMs: 1,
      location: 'local',
      checkRunId: now,
      startedAt: now,
      sslDaysRemaining: null,
      now,
      updatedAt: null,
    })
    if (owner === accountId) ids.push(checkId)
    plane.advance(1000)
  }
  const idsOf = async (query: string) => {
    const { status, headers, body } = await call('GET', `/v1/check-statuses${query}`)
    t.equal(status, 200)
    return {
      ids: body.map(({ checkId }: { checkId: string }) => checkId),
      range: headers.get('content-range'),
      link: headers.get('link'),
    }
  }
  t.match(await idsOf(''), { ids, range: null, link: null })
  t.match(await idsOf('?limit=2'), { ids: ids.slice(0, 2), range: '0-1/3', link: /page=2>; rel="next"/ })
  t.match(await idsOf('?limit=2&page=2'), { ids: ids.slice(2), range: '2-2/3' })
  t.match(await idsOf('?page=1'), { ids, range: '0-2/3' })
  t.match(await idsOf('?page=2'), { ids: [], range: '*/3' })
  for (const query of ['?limit=0', '?limit=1001', '?page=0', '?limit=x'])
    t.equal((await call('GET', `/v1/check-statuses${query}`)).status, 400, query)
})
