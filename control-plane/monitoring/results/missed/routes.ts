import { Type } from 'typebox'
import { longRead } from '../../../platform/long-reads/long-read.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { cursorOf } from '../../../platform/words/shapes/cursor.ts'
import { InstantParameter, parseInstant } from '../../../platform/words/shapes/instants.ts'
import { missedRunReasons } from '../../schedule/missed-runs.ts'
import { type DueTimeCursor, latestDueTimes, serializeMissedRun } from './expand.ts'
import { rangesWithLatest } from './queries.ts'
import { MissedRunPage } from './schema.ts'

const cursor = cursorOf(
  Type.Tuple([
    Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
    Type.String({ maxLength: 64 }),
  ]),
)

const list = route({
  method: 'GET',
  path: '/v1/missed-runs',
  access: 'READ_ONLY',
  tag: 'Missed runs',
  mayLag: true,
  summary: 'Due times that could not be run, latest first',
  query: Type.Object(
    {
      limit: Type.Integer({ minimum: 1, maximum: 100, default: 10 }),
      nextId: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
      checkId: Type.Optional(Type.String({ format: 'uuid' })),
      location: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      reason: Type.Optional(Type.Enum([...missedRunReasons])),
      from: Type.Optional(InstantParameter),
      to: Type.Optional(InstantParameter),
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: MissedRunPage,
  example: { query: { limit: 10, reason: 'NO_AGENT' } },
  handle: async ({ query, principal: { accountId }, signal }, app) => {
    const { limit, nextId, from, to, ...filters } = query
    const bounds = {
      ...(from === undefined ? {} : { from: parseInstant('from', from) }),
      ...(to === undefined ? {} : { to: parseInstant('to', to) }),
      ...(nextId === undefined ? {} : { after: cursor.decode(nextId) as DueTimeCursor }),
    }
    const filter = { accountId, ...filters, ...bounds }
    const ranges = await longRead(app, { accountId, signal }, (reading) =>
      rangesWithLatest({ db: app.db, reading }, filter, limit + 1),
    )
    const dues = latestDueTimes(ranges, bounds, limit + 1)
    const entries = dues.slice(0, limit).map(serializeMissedRun)
    const last = dues.length > limit ? dues[limit - 1] : undefined
    return {
      length: entries.length,
      entries,
      nextId: last === undefined ? null : cursor.encode([last.dueAt, last.range.id]),
    }
  },
})

export { list as listMissedRuns }

export const missedRunRoutes: Route[] = [list]
