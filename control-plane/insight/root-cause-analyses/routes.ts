import { Type } from 'typebox'
import { exampleType } from '../../../protocol/check-type.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { analysedCheck } from './analysed-check.ts'
import { findAnalysis, findErrorGroup, insertAnalysis } from './queries.ts'
import { NewAnalysis, PendingAnalysis, RootCauseAnalysis } from './schema.ts'
import { serializeAnalysis } from './serialize-analysis.ts'

const tag = 'Root cause analyses'
const id = '0c8e6f3a-52d8-4f3e-9a51-6d1b7c7f1f10'
const groupId = '5d0f8a44-7a0e-8c1b-9d2e-3b7f4a6c8e21'

const create = (ofTests: boolean) =>
  route({
    method: 'POST',
    path: `/v1/root-cause-analyses/${ofTests ? 'test-session-' : ''}error-groups/:errorGroupId`,
    access: 'READ_RUN',
    tag,
    summary: `Ask for the root cause analysis of an error group${ofTests ? ' of tests' : ''}`,
    description:
      'The analysis is made in the background; every request makes a new one. The body may be null or left out.',
    params: Type.Object({ errorGroupId: Type.String({ format: 'uuid' }) }),
    body: NewAnalysis,
    status: 202,
    response: PendingAnalysis,
    otherStatuses: { 404: 'There is no such error group' },
    example: {
      params: { errorGroupId: groupId },
      body: { userContext: 'A new version was deployed at 10:05.' },
      response: { id, status: 'PENDING' },
    },
    handle: async ({ params, body, principal }, app) => {
      const { accountId } = principal
      const analysisId = app.newId()
      const now = app.clock.now()
      await app.db.transaction(async (trx) => {
        const group = await trx.get(findErrorGroup, { id: params.errorGroupId, accountId })
        const check = group && (await analysedCheck(trx, group))
        if (!group || !check || group.of_tests !== ofTests) throw notFound()
        await trx.run(insertAnalysis, {
          id: analysisId,
          accountId,
          checkId: group.check_id,
          checkType: check.type,
          errorGroupId: group.id,
          userContext: body?.userContext ?? '',
          now,
        })
      })
      return { id: analysisId, status: 'PENDING' as const }
    },
  })

const get = route({
  method: 'GET',
  path: '/v1/root-cause-analyses/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'Read a root cause analysis',
  description: 'Answers 202 with `status` PENDING until the analysis is done, then 200.',
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  status: 200,
  otherStatuses: { 202: 'The analysis is not done yet', 404: 'There is no such analysis' },
  response: Type.Union([RootCauseAnalysis, PendingAnalysis]),
  example: {
    params: { id },
    response: {
      id,
      status: 'COMPLETED',
      checkType: exampleType,
      checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
      errorGroupId: groupId,
      provider: 'builtin',
      model: 'rules-1',
      durationMs: 4,
      fallbackReason: null,
      created_at: '2026-01-01T10:10:00.000Z',
      analysis: {
        classification: 'INFRA_ERROR',
        rootCause:
          'example.com:443 refused the connection: the machine is up and answers, but nothing listens on that port.',
        userImpact: 'Users cannot reach example.com:443 at all.',
        codeFix: 'On the target: is the service running, since when, and what do its last log lines say?',
        evidence: [
          {
            description: 'Observed in eu-west-1 at 2026-01-01T10:09:58.000Z: ECONNREFUSED',
            artifacts: [{ name: 'HTTP_REQUEST', type: 'REQUEST' }],
          },
        ],
        referenceLinks: [
          {
            url: 'https://www.rfc-editor.org/rfc/rfc9293#section-3.5.2',
            title: 'RFC 9293 section 3.5.2: reset generation',
          },
        ],
      },
    },
  },
  handle: async ({ params, principal }, app) => {
    const row = await app.db.get(findAnalysis, { id: params.id, accountId: principal.accountId })
    if (row === undefined) throw notFound()
    if (row.status === 'COMPLETED') return reply(serializeAnalysis(row))
    return reply({ id: row.id, status: 'PENDING' as const }, { status: 202 })
  },
})

export const rootCauseAnalysisRoutes: Route[] = [create(false), create(true), get]
