import { Type } from 'typebox'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { ApiError, violation } from '../../../platform/words/errors.ts'
import { cursorOf, cursorParameters } from '../../../platform/words/shapes/cursor.ts'
import { dependencyText } from '../../definitions/dependencies/schema.ts'
import { DependentPage, MapPage, type OnMap } from './map-schema.ts'
import { readDependents, readMap } from './read-map.ts'

const tag = 'Checks'
const position = cursorOf(Type.String({ maxLength: 64 }))

const checkId = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
const example: OnMap = {
  ...{ checkId, groupId: null, name: 'router', isDown: true, dependsOn: [] },
  ...{ dependentsCount: 1, keptBackCount: 41 },
  dependents: [{ checkId: null, groupId: 7, name: 'Shop', isDown: true, keptBackCount: 41 }],
}

const after = (nextId: string | undefined): string => (nextId === undefined ? '' : position.decode(nextId))

const paged = <E>({ entries, last }: { entries: E[]; last: string | null }) => ({
  length: entries.length,
  entries,
  nextId: last === null ? null : position.encode(last),
})

const closed = { additionalProperties: false }

export const listDependencies = route({
  method: 'GET',
  path: '/v1/dependencies',
  access: 'READ_ONLY',
  tag,
  summary: 'What checks and groups depend on',
  description:
    'With whether it is down, what depends on it, and how many failures are not told because of it.',
  rateLimit: { requests: 60, seconds: 60 },
  query: Type.Object(cursorParameters, closed),
  status: 200,
  response: MapPage,
  example: { query: { limit: 20 }, response: { length: 1, entries: [example], nextId: null } },
  handle: async ({ query: { limit, nextId }, principal: { accountId } }, app) =>
    paged(await readMap(app.db, accountId, { after: after(nextId), limit })),
})

export const listDependents = route({
  method: 'GET',
  path: '/v1/dependencies/dependents',
  access: 'READ_ONLY',
  tag,
  summary: 'What depends on one check or group',
  rateLimit: { requests: 60, seconds: 60 },
  query: Type.Object(
    {
      ...cursorParameters,
      checkId: Type.Optional(Type.String({ format: 'uuid', description: 'Or `groupId`' })),
      groupId: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    },
    closed,
  ),
  status: 200,
  response: DependentPage,
  example: {
    query: { checkId },
    response: { length: 1, entries: [...example.dependents], nextId: null },
  },
  handle: async ({ query: { limit, nextId, ...of }, principal: { accountId } }, app) => {
    const on = (of.checkId === undefined) === (of.groupId === undefined) ? undefined : dependencyText(of)
    if (on === undefined)
      throw new ApiError(400, 'Either "checkId" or "groupId" is needed', {
        attributes: {
          violations: [violation('checkId', 'one', 'or "groupId": exactly one of them is needed')],
        },
      })
    return paged(await readDependents(app.db, { accountId, on, after: after(nextId), limit }))
  },
})

export const dependencyRoutes: Route[] = [listDependencies, listDependents]
