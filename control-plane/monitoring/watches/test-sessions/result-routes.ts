import { Type } from 'typebox'
import type { App } from '../../../platform/app/app.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { AssetManifest, AssetQuery, readAssets } from '../../results/assets.ts'
import { CheckResult } from '../../results/schema.ts'
import { serializeResults } from '../../results/serialize-results.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'
import { finalResultOf, requireTestedRun } from './final-result.ts'

const tag = 'Test sessions'
const OneResult = Type.Object({
  testSessionId: Type.String({ format: 'uuid' }),
  resultId: Type.String({ format: 'uuid' }),
})
const exampleParams = {
  testSessionId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10',
  resultId: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a11',
}
const otherStatuses = { 404: 'There is no such result, or the check has not run yet' }

const resultOf = async (
  app: App,
  accountId: string,
  params: { testSessionId: string; resultId: string },
): Promise<ResultWithDoc> => finalResultOf(app, await requireTestedRun(app, { accountId, ...params }))

const read = route({
  method: 'GET',
  path: '/v1/test-sessions/:testSessionId/results/:resultId',
  access: 'READ_ONLY',
  tag,
  summary: 'What came of one check of a test',
  description: 'As results of checks are shown; `checkId` is that of the copy which the test ran.',
  params: OneResult,
  status: 200,
  otherStatuses,
  response: CheckResult,
  example: { params: exampleParams },
  handle: async ({ params, principal: { accountId } }, app) => {
    const [result] = await serializeResults(app, [await resultOf(app, accountId, params)])
    return result as CheckResult
  },
})

const assets = route({
  method: 'GET',
  path: '/v1/test-sessions/:testSessionId/results/:resultId/assets',
  access: 'READ_ONLY',
  tag,
  summary: 'The files of one check of a test',
  params: OneResult,
  query: AssetQuery,
  status: 200,
  otherStatuses,
  response: AssetManifest,
  example: { params: exampleParams },
  handle: async ({ params, query, principal: { accountId } }, app) => {
    const result = await resultOf(app, accountId, params)
    const test = { testSessionId: params.testSessionId, testSessionResultId: params.resultId }
    return readAssets(app, result, { filter: query, test })
  },
})

export const testResultRoutes: Route[] = [read, assets]
