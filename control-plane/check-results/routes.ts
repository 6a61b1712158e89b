import { Type } from 'typebox'
import { checkTypes } from '../../protocol/check-type.ts'
import { publicLocations } from '../../protocol/location.ts'
import { findCheck } from '../checks/queries.ts'
import { cursorOf } from '../http/cursor.ts'
import { notFound } from '../http/errors.ts'
import { InstantParameter, parseInstant } from '../http/instant-parameter.ts'
import { type Route, route } from '../http/route.ts'
import { presentResult } from './present-result.ts'
import { listResults, type Place } from './queries.ts'
import { CheckResultPage } from './schema.ts'

const cursor = cursorOf(
  Type.Tuple([
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ maxLength: 64 }),
  ]),
)

const list = route({
  method: 'GET',
  path: '/v2/check-results/:checkId',
  access: 'READ_ONLY',
  tag: 'Check results',
  summary: 'Results of a check, newest first',
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
      nextId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
      from: Type.Optional(InstantParameter),
      to: Type.Optional(InstantParameter),
      location: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: `One of ${publicLocations.join(', ')}, or the slug of a private location`,
        }),
      ),
      checkType: Type.Optional(Type.Enum([...checkTypes])),
      hasFailures: Type.Optional(Type.Boolean()),
      resultType: Type.Enum(['FINAL', 'ATTEMPT', 'ALL'], { default: 'FINAL' }),
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: CheckResultPage,
  example: {
    params: { checkId: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11' },
    query: { limit: 2, hasFailures: true, from: '1767225600' },
  },
  handle: async ({ params, query, principal }, app) => {
    const { accountId } = principal
    const { limit, nextId, from, to, ...filters } = query
    const filter = {
      accountId,
      checkId: params.checkId,
      ...filters,
      ...(from === undefined ? {} : { from: parseInstant('from', from) }),
      ...(to === undefined ? {} : { to: parseInstant('to', to) }),
      ...(nextId === undefined ? {} : { after: cursor.decode(nextId) as Place }),
    }
    if (!(await app.db.get(findCheck, { id: params.checkId, accountId }))) throw notFound()
    const rows = await listResults(app.db, filter, limit + 1)
    const entries = rows.slice(0, limit).map(presentResult)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      length: entries.length,
      entries,
      nextId: last === undefined ? null : cursor.encode([last.started_at, last.id]),
    }
  },
})

export const checkResultRoutes: Route[] = [list]
