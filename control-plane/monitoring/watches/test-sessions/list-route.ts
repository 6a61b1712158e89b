import { Type } from 'typebox'
import { route } from '../../../platform/web/http/route.ts'
import { cursorOf, cursorParameters } from '../../../platform/words/shapes/cursor.ts'
import { InstantParameter, parseInstant } from '../../../platform/words/shapes/instants.ts'
import { testStatuses } from '../check-sessions/session-status.ts'
import { listTests } from './queries.ts'
import { Provider, TestSessionPage, testProviders } from './schema.ts'
import { serializeTests } from './serialize-test.ts'

const cursor = cursorOf(Type.Tuple([Type.String({ format: 'uuid' })]))
const names = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 50 })

/** Also what the page of an account's tests shows. */
export const listTestSessions = route({
  method: 'GET',
  path: '/v1/test-sessions',
  access: 'READ_ONLY',
  tag: 'Test sessions',
  summary: 'List tests, newest first',
  query: Type.Object(
    {
      ...cursorParameters,
      from: Type.Optional(InstantParameter),
      to: Type.Optional(InstantParameter),
      statuses: Type.Optional(Type.Array(Type.Enum([...testStatuses]), { maxItems: testStatuses.length })),
      branches: Type.Optional(names),
      users: Type.Optional(names),
      noUsers: Type.Optional(Type.Boolean({ description: 'Those of nobody that is known' })),
      providers: Type.Optional(Type.Array(Provider, { maxItems: testProviders.length })),
      textSearch: Type.Optional(
        Type.String({ minLength: 3, maxLength: 200, description: 'In the name, the branch and its user' }),
      ),
      errorGroupId: Type.Optional(Type.String({ format: 'uuid' })),
    },
    { additionalProperties: false },
  ),
  status: 200,
  response: TestSessionPage,
  example: { query: { limit: 20, statuses: ['FAILED'] } },
  handle: async ({ query, principal: { accountId } }, app) => {
    const { limit, nextId, from, to, textSearch: text, ...filters } = query
    const filter = {
      accountId,
      ...filters,
      ...(text === undefined ? {} : { text }),
      ...(from === undefined ? {} : { from: parseInstant('from', from) }),
      ...(to === undefined ? {} : { to: parseInstant('to', to) }),
    }
    const [before] = nextId === undefined ? [] : cursor.decode(nextId)
    const found = await listTests(app.db, filter, { before, limit: limit + 1 })
    const rows = found.slice(0, limit)
    const entries = await serializeTests(app, rows)
    const last = found.length > limit ? rows.at(-1) : undefined
    return { length: entries.length, entries, nextId: last === undefined ? null : cursor.encode([last.id]) }
  },
})
