import t from 'tap'
import { createCheckDocCache } from '../../../../../control-plane/monitoring/definitions/checks/check-doc-cache.ts'
import { alertRoom } from '../../../../support/alert-room.ts'
import { allResults } from '../../../../support/all-results.ts'
import { engineNames } from '../../../../support/databases.ts'

const doc = { degradedResponseTime: 3000, maxResponseTime: 5000 }

t.test('a check is recalled in the version that was remembered, by what judges its runs', async (t) => {
  const judged = createCheckDocCache()
  t.equal(judged.recall('a', 1), undefined)
  const whole = { ...doc, retryStrategy: null, request: { url: 'https://example.com/' } }
  judged.remember('a', 1, whole)
  t.strictSame(judged.recall('a', 1), { ...doc, retryStrategy: null })
  t.equal(judged.recall('a', 2), undefined)
  t.strictSame(judged.remember('a', 2, doc), doc, 'what the document leaves out stays left out')
  t.strictSame(judged.recall('a', 2), doc)
  t.equal(judged.recall('a', 1), undefined)
})

for (const engine of engineNames)
  t.test(`a changed threshold counts for the next report (${engine})`, async (t) => {
    const room = await alertRoom(t, engine)
    const id = await room.addCheck()
    await room.run('p')
    const change = { maxResponseTime: 0, degradedResponseTime: 0 }
    const { status, text } = await room.call('PUT', `/v1/checks/url/${id}`, { body: change })
    t.equal(status, 200, text)
    await room.run('p')
    const rows = (await allResults(room.app.db)).sort((a, b) => a.started_at - b.started_at)
    t.strictSame(
      rows.map(({ over_max }) => over_max),
      [false, true],
    )
  })
