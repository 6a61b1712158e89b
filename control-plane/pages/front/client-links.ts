/** Addresses that command-line clients make by themselves, and print at the end of a test, lead to its page. */
import { Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import { type Route, reply, route } from '../../platform/web/http/route.ts'

const Id = Type.String({ format: 'uuid' })
const exampleId = '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10'

const common = {
  method: 'GET',
  access: 'PUBLIC',
  tag: 'Pages',
  description: 'For people, who may have to sign in there; nothing is looked up here.',
  status: 303,
  response: Type.String(),
  responseType: 'text/html',
  rateLimit: { requests: 120, seconds: 60 },
} as const

const pageOf = (testSessionId: string) =>
  reply('', { headers: { location: `/app/test-sessions/${testSessionId}` } })

const test = route({
  ...common,
  path: '/accounts/:accountId/test-sessions/:testSessionId',
  summary: 'Leads to the page of a test',
  params: Type.Object({ accountId: Id, testSessionId: Id }),
  example: { params: { accountId: exampleId, testSessionId: exampleId } },
  handle: ({ params }) => pageOf(params.testSessionId),
})

const result = route({
  ...common,
  path: '/accounts/:accountId/test-sessions/:testSessionId/results/:resultId',
  summary: 'Leads to the page of the test that a result is of',
  params: Type.Object({ accountId: Id, testSessionId: Id, resultId: Id }),
  example: { params: { accountId: exampleId, testSessionId: exampleId, resultId: exampleId } },
  handle: ({ params }) => pageOf(params.testSessionId),
})

export const clientLinks: Route<App>[] = [test, result]
