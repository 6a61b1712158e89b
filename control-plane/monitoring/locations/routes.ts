import { Type } from 'typebox'
import type { HasUsers } from '../../access/snippets/require-unused.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { PrivateLocationsTable } from '../../platform/store/database/tables/runs.ts'
import { type Route, route } from '../../platform/web/http/route.ts'
import { invalid, notFound, violation } from '../../platform/words/errors.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { parseInstant, toIso } from '../../platform/words/shapes/instants.ts'
import { noticedProblemsOf } from './problem-queries.ts'
import { agentsOfLocations, findPrivateLocation, keysOfLocations, listPrivateLocations } from './queries.ts'
import { queueRoute } from './queue-route.ts'
import { historyMs } from './sample.ts'
import { samplesOfLocation } from './sample-queries.ts'
import {
  changeLocation,
  createLocation,
  createLocationKey,
  removeLocation,
  removeLocationKey,
} from './save-location.ts'
import {
  LocationId,
  LocationList,
  LocationMetrics,
  MetricsWindow,
  NewPrivateLocation,
  NewPrivateLocationKey,
  PrivateLocation,
  PrivateLocationChanges,
  Versions,
} from './schema.ts'
import { serializeKey, serializeLocation } from './serialize-location.ts'

/** What only answers have. */
const ignored = [
  ...recordNames,
  ...always(
    'keys',
    'lastSeen',
    'agentCount',
    'minAgentVersion',
    'versionSkew',
    'unavailableSince',
    'problems',
    'runningAgents',
  ),
]

const tag = 'Private locations'
const params = { id: '5d7c1b9a-44f0-4b0e-9c3a-1f6f4c1d2e33' }
const example = {
  ...params,
  name: 'Office',
  slugName: 'office',
  icon: 'location',
  keys: [],
  proxyUrl: null,
  scalesToZero: false,
  lastSeen: null,
  agentCount: 0,
  minAgentVersion: null,
  versionSkew: null,
  unavailableSince: null,
  problems: [],
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}

const exampleKey = {
  id: '7c1d2e33-44f0-4b0e-9c3a-5d7c1b9a1f6f',
  rawKey: 'pl_00112233445566778899aabbccddeeff',
  maskedKey: '...eeff',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: null,
}

const present = async (
  app: App & HasCipher,
  rows: PrivateLocationsTable[],
  versions: boolean,
): Promise<PrivateLocation[]> => {
  const locations = rows.map(({ id }) => id)
  const keys = Map.groupBy(await app.db.all(keysOfLocations, { locations }), (key) => key.location_id)
  const agents = Map.groupBy(await app.db.all(agentsOfLocations, { locations }), (agent) => agent.location_id)
  const problems = Map.groupBy(
    await app.db.all(noticedProblemsOf, { locations }),
    (problem) => problem.location_id,
  )
  const around = { cipher: app.cipher, now: app.clock.now(), versions }
  return rows.map((row) =>
    serializeLocation(row, {
      ...around,
      keys: keys.get(row.id) ?? [],
      agents: agents.get(row.id) ?? [],
      problems: problems.get(row.id) ?? [],
    }),
  )
}

const serializeOne = async (
  app: App & HasCipher,
  row: PrivateLocationsTable,
  versions = false,
): Promise<PrivateLocation> => {
  const [location] = await present(app, [row], versions)
  if (!location) throw new Error('A location was not presented')
  return location
}

const list = route({
  method: 'GET',
  path: '/v1/private-locations',
  access: 'READ_ONLY',
  tag,
  summary: 'All private locations, or those that are searched for, oldest first',
  query: LocationList,
  status: 200,
  response: Type.Array(PrivateLocation),
  example: { query: { versions: false, search: 'office' }, response: [example] },
  handle: async ({ query, principal: { accountId } }, app: App & HasCipher) =>
    present(app, await listPrivateLocations(app.db, accountId, { search: query.search }), query.versions),
})

const create = route({
  method: 'POST',
  path: '/v1/private-locations',
  access: 'ADMIN',
  tag,
  summary: 'Create a private location with its first key',
  description: 'The key is in `keys`, and only this answer shows its `rawKey`.',
  body: NewPrivateLocation,
  ignores: ignored,
  status: 201,
  otherStatuses: { 409: 'The slug is taken' },
  response: PrivateLocation,
  example: { body: { name: 'Office', slugName: 'office' }, response: { ...example, keys: [exampleKey] } },
  handle: async ({ body, principal }, app: App & HasCipher & HasRandomBytes) => {
    const { name, slugName, icon = 'location', proxyUrl = null, scalesToZero = false } = body
    const wanted = { name, slugName, icon, proxyUrl, scalesToZero }
    const { row, firstKey } = await createLocation(app, principal.accountId, wanted)
    const location = await serializeOne(app, row)
    return { ...location, keys: [{ ...serializeKey(firstKey), rawKey: firstKey.rawKey }] }
  },
})

const read = route({
  method: 'GET',
  path: '/v1/private-locations/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One private location',
  params: LocationId,
  query: Versions,
  status: 200,
  response: PrivateLocation,
  example: { params, response: example },
  handle: async ({ params, query, principal }, app: App & HasCipher) => {
    const row = await app.db.get(findPrivateLocation, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    return serializeOne(app, row, query.versions)
  },
})

const update = route({
  method: 'PUT',
  path: '/v1/private-locations/:id',
  access: 'ADMIN',
  tag,
  summary: 'Change a private location',
  description:
    'The slug cannot be changed; it may be sent as it is. `icon`, `proxyUrl` and `scalesToZero` stay as they are when they are left out.',
  params: LocationId,
  body: PrivateLocationChanges,
  ignores: ignored,
  status: 200,
  response: PrivateLocation,
  example: { params, body: { name: 'Office' }, response: example },
  handle: async ({ params, body, principal: { accountId } }, app: App & HasCipher) =>
    serializeOne(app, await changeLocation(app, { id: params.id, accountId }, body)),
})

const remove = route({
  method: 'DELETE',
  path: '/v1/private-locations/:id',
  access: 'ADMIN',
  tag,
  summary: 'Delete a private location with its keys',
  description: 'Its agents are refused within five seconds.',
  params: LocationId,
  status: 204,
  otherStatuses: { 409: 'A check or check group uses it' },
  example: { params },
  handle: ({ params, principal: { accountId } }, app: App & HasUsers) =>
    removeLocation(app, { id: params.id, accountId }),
})

const createKey = route({
  method: 'POST',
  path: '/v1/private-locations/:id/keys',
  access: 'ADMIN',
  tag,
  summary: "Make a key for the location's agents",
  description:
    'The key is shown only in this answer. Two keys at most are live, so that they can be changed in turn.',
  params: LocationId,
  status: 201,
  otherStatuses: { 409: 'Two keys are live' },
  response: NewPrivateLocationKey,
  example: { params, response: exampleKey },
  handle: async ({ params, principal: { accountId } }, app: App & HasRandomBytes) => {
    const key = await createLocationKey(app, { id: params.id, accountId })
    return { ...serializeKey(key), rawKey: key.rawKey }
  },
})

const removeKey = route({
  method: 'DELETE',
  path: '/v1/private-locations/:id/keys/:keyId',
  access: 'ADMIN',
  tag,
  summary: 'Delete a key',
  description: 'Agents that use it are refused within five seconds.',
  params: Type.Object({ ...LocationId.properties, keyId: Type.String({ format: 'uuid' }) }),
  status: 204,
  example: { params: { ...params, keyId: '7c1d2e33-44f0-4b0e-9c3a-5d7c1b9a1f6f' } },
  handle: async ({ params, principal: { accountId } }, app) => {
    await removeLocationKey(app, { id: params.id, accountId, keyId: params.keyId })
  },
})

const metrics = route({
  method: 'GET',
  path: '/v1/private-locations/:id/metrics',
  access: 'READ_ONLY',
  tag,
  summary: "The history of a location's queue",
  description: 'Three lists of equal length, a sample a minute; `from` inclusive, `to` exclusive.',
  params: LocationId,
  query: MetricsWindow,
  rateLimit: { requests: 300, seconds: 24 * 60 * 60 },
  status: 200,
  response: LocationMetrics,
  example: {
    params,
    query: { from: '1767225600', to: '1767225660' },
    response: { timestamps: ['2026-01-01T00:00:00.000Z'], queueSize: [3], oldestScheduledCheckRun: [1.5] },
  },
  handle: async ({ params, query, principal }, app: App & HasCipher & HasRandomBytes) => {
    const from = parseInstant('from', query.from)
    const to = parseInstant('to', query.to)
    if (from < app.clock.now() - historyMs)
      throw invalid([violation('from', 'age', 'must not be older than 15 days')])
    if (to <= from) throw invalid([violation('to', 'order', 'must be later than "from"')])
    const row = await app.db.get(findPrivateLocation, { id: params.id, accountId: principal.accountId })
    if (!row) throw notFound()
    const samples = await app.db.all(samplesOfLocation, { locationId: row.id, from, to })
    return {
      timestamps: samples.map(({ at }) => toIso(at)),
      queueSize: samples.map(({ queue_size }) => queue_size),
      oldestScheduledCheckRun: samples.map(({ oldest_age_ms }) => (oldest_age_ms ?? 0) / 1000),
    }
  },
})

export { list as listPrivateLocations, read as readPrivateLocation }

export const privateLocationRoutes: Route<App & HasCipher & HasRandomBytes & HasUsers>[] = [
  list,
  create,
  read,
  update,
  remove,
  createKey,
  removeKey,
  metrics,
  queueRoute,
]
