import { analysisTick } from '../../../control-plane/insight/root-cause-analyses/analysis-tick.ts'
import type { TestApp } from '../../support/app.ts'
import { testRules } from '../../support/contract-rules.ts'
import { refused } from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'
import { storeCheck, storeFailure } from '../../support/stored-results.ts'

const base = '/v1/root-cause-analyses'
const message = 'shop.example:443 (203.0.113.7) refused the connection after 12 ms'

const failing = async (plane: TestApp) => {
  const checkId = await storeCheck(plane)
  const groupId = await storeFailure(plane, { checkId, at: plane.app.clock.now() - 1000, message })
  return { checkId, groupId, path: `${base}/error-groups/${groupId}` }
}

const completed = async (plane: TestApp) => {
  const { checkId, groupId, path } = await failing(plane)
  const created = await plane.call('POST', path, { body: {} })
  const pending = await plane.call('GET', `${base}/${created.body.id}`)
  await analysisTick(plane.app)
  const { body } = await plane.call('GET', `${base}/${created.body.id}`)
  return { checkId, groupId, created, pending, body }
}

testRules('Root cause analysis', {
  'every field of the table is in a completed one, with its type': async (t, plane) => {
    const { body, checkId, groupId } = await completed(plane)
    hasShape(t, body, {
      id: 'text',
      checkType: 'text',
      provider: 'text',
      model: 'text',
      durationMs: 'number',
      status: 'text',
      checkId: 'text?',
      errorGroupId: 'text?',
      analysis: 'object',
      created_at: 'instant',
    })
    t.match(body, { checkType: 'URL', checkId, errorGroupId: groupId })
  },
  'status: PENDING on creation, COMPLETED on retrieval': async (t, plane) => {
    const { created, body } = await completed(plane)
    t.equal(created.body.status, 'PENDING')
    t.equal(body.status, 'COMPLETED')
  },
  'analysis: classification, userImpact, rootCause and codeFix are text': async (t, plane) =>
    hasShape(t, (await completed(plane)).body.analysis, {
      classification: 'text',
      userImpact: 'text',
      rootCause: 'text',
      codeFix: 'text',
    }),
  'analysis.evidence[]: description and artifacts with name and type': async (t, plane) => {
    const { evidence } = (await completed(plane)).body.analysis
    t.ok(evidence.length > 0)
    for (const piece of evidence) {
      hasShape(t, piece, { description: 'text', artifacts: 'list' })
      for (const artifact of piece.artifacts) hasShape(t, artifact, { name: 'text', type: 'text' })
    }
  },
  'analysis.referenceLinks[]: url and title': async (t, plane) => {
    const { referenceLinks } = (await completed(plane)).body.analysis
    t.ok(referenceLinks.length > 0)
    for (const link of referenceLinks) hasShape(t, link, { url: 'text', title: 'text' })
  },
})

testRules('GET /v1/root-cause-analyses/{id}', {
  'id: text; the answer is the record': async (t, plane) => {
    const { created, body } = await completed(plane)
    t.equal(body.id, created.body.id)
    t.equal((await plane.call('GET', `${base}/${plane.app.newId()}`)).status, 404)
  },
})

testRules('POST /v1/root-cause-analyses/error-groups/{errorGroupId}', {
  'userContext: text or null, default empty, at most 256 characters': async (t, plane) => {
    const { path, groupId } = await failing(plane)
    for (const body of [{}, { userContext: null }, { userContext: '' }, { userContext: 'x'.repeat(256) }])
      t.equal((await plane.call('POST', path, { body })).status, 202, JSON.stringify(body).slice(0, 40))
    await refused(t, plane, {
      path,
      body: { userContext: 'x'.repeat(257) },
      expected: 'userContext maxLength',
    })
    await refused(t, plane, { path, body: { userContext: 1 }, expected: 'userContext type' })
    await analysisTick(plane.app)
    const { rootCauseAnalyses } = (await plane.call('GET', `/v1/error-groups/${groupId}`)).body
    const contexts = rootCauseAnalyses.map(({ userContext }: { userContext: string }) => userContext)
    t.ok(contexts.includes(''), 'left out it is empty')
  },
  'Accepted: `id` and status PENDING': async (t, plane) => {
    const { path } = await failing(plane)
    const { status, body } = await plane.call('POST', path, { body: {} })
    t.equal(status, 202)
    t.strictSame(body, { id: body.id, status: 'PENDING' })
    hasShape(t, body, { id: 'text' })
  },
})

testRules('States and transitions', {
  'a root cause analysis of an error group that is accepted is PENDING, and the answer carries its id':
    async (t, plane) => {
      const { created, pending } = await completed(plane)
      t.equal(created.status, 202)
      t.strictSame(pending.body, { id: created.body.id, status: 'PENDING' })
    },
  'a root cause analysis is PENDING or COMPLETED': async (t, plane) => {
    const { pending, body } = await completed(plane)
    t.strictSame([pending.body.status, body.status], ['PENDING', 'COMPLETED'])
  },
  'the `activated` flag decides whether a check runs, and is set by writing it': async (t, plane) => {
    const body = { name: 'site', request: { url: 'https://example.com/' }, privateLocations: ['local'] }
    const { id } = (await plane.call('POST', '/v1/checks/url', { body })).body
    const isScheduled = async () =>
      (await plane.app.db.select((k) => k.selectFrom('schedules').select('check_id')))
        .map((row) => row.check_id)
        .includes(id)
    t.equal(await isScheduled(), true)
    for (const activated of [false, true]) {
      await plane.call('PUT', `/v1/checks/url/${id}`, { body: { activated } })
      t.equal(await isScheduled(), activated)
    }
  },
})
