import { Type } from 'typebox'
import { type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { Analysis } from '../root-cause-analyses/schema.ts'
import { causeOfResult } from './cause.ts'

const checkId = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const read = route({
  method: 'GET',
  path: '/v1/check-results/:checkId/:checkResultId/cause',
  access: 'READ_ONLY',
  tag: 'Check results',
  summary: 'Why a result failed, and what to look at first',
  description:
    'The analysis of its error where this result was analysed, else what rules find in what the run observed.',
  params: Type.Object({
    checkId: Type.String({ format: 'uuid' }),
    checkResultId: Type.String({ format: 'uuid' }),
  }),
  status: 200,
  response: Type.Object(
    {
      analysis: nullable(Analysis, { description: 'null: it did not fail, or nothing tells why' }),
      provider: nullable(Type.String(), { description: '`builtin`: rules; else the configured endpoint' }),
      model: nullable(Type.String()),
    },
    { title: 'ResultCause' },
  ),
  example: { params: { checkId, checkResultId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' } },
  handle: async ({ params, principal: { accountId } }, app) => {
    const cause = await causeOfResult(app, { ...params, id: params.checkResultId, accountId })
    if (cause === undefined) throw notFound()
    return {
      analysis: cause?.analysis ?? null,
      provider: cause?.provider ?? null,
      model: cause?.model ?? null,
    }
  },
})

export { read as readResultCause }

export const resultCauseRoutes: Route[] = [read]
