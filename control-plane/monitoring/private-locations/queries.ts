/** All SQL about private locations and the keys of locations. */
import { query } from '../../platform/database/query.ts'
import type { PrivateLocationsTable } from '../../platform/database/tables/runs.ts'

type OneLocation = { id: string; accountId: string }

export const findPrivateLocation = query('find-private-location', (k, p: OneLocation) =>
  k.selectFrom('private_locations').selectAll().where('id', '=', p.id).where('account_id', '=', p.accountId),
)

/** For the jobs of the location, whose agents have shown its key. */
export const findProxyOfLocation = query('find-proxy-of-location', (k, p: { id: string }) =>
  k.selectFrom('private_locations').select(['account_id', 'doc']).where('id', '=', p.id),
)

/** For a change that builds on what is there: nobody else changes the location or adds keys until it ends. */
export const lockPrivateLocation = query('lock-private-location', (k, p: OneLocation, engine) => {
  const one = k
    .selectFrom('private_locations')
    .selectAll()
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
  return engine.skipLocked ? one.forUpdate() : one
})

/** Oldest first. */
export const listPrivateLocations = query('list-private-locations', (k, p: { accountId: string }) =>
  k
    .selectFrom('private_locations')
    .selectAll()
    .where('account_id', '=', p.accountId)
    .orderBy('created_at')
    .orderBy('id'),
)

type Change = Pick<PrivateLocationsTable, 'id' | 'account_id' | 'name' | 'updated_at' | 'doc'>

export const updatePrivateLocation = query('update-private-location', (k, p: Change) =>
  k
    .updateTable('private_locations')
    .set({ name: p.name, updated_at: p.updated_at, doc: p.doc })
    .where('id', '=', p.id)
    .where('account_id', '=', p.account_id),
)

export const deletePrivateLocation = query('delete-private-location', (k, p: OneLocation) =>
  k
    .deleteFrom('private_locations')
    .where('id', '=', p.id)
    .where('account_id', '=', p.accountId)
    .returning('slug'),
)

/** `slugs`: a JSON array. */
export const privateLocationsBySlug = query(
  'private-locations-by-slug',
  (k, p: { accountId: string; slugs: string }, engine) =>
    k
      .selectFrom('private_locations')
      .select(['id', 'slug'])
      .where('account_id', '=', p.accountId)
      .where('slug', 'in', engine.textList(p.slugs)),
)

/** Those that the account has; none of them is deleted until the transaction ends. `slugs`: a JSON array. */
export const sharePrivateLocations = query(
  'share-private-locations',
  (k, p: { accountId: string; slugs: string }, engine) => {
    const found = k
      .selectFrom('private_locations')
      .select(['id', 'slug'])
      .where('account_id', '=', p.accountId)
      .where('slug', 'in', engine.textList(p.slugs))
      .orderBy('id')
    return engine.skipLocked ? found.forShare() : found
  },
)

type NewPrivateLocation = {
  id: string
  accountId: string
  slug: string
  name: string
  now: number
  doc: string
}

/** Does nothing when the slug is taken. */
export const insertPrivateLocation = query('insert-private-location', (k, p: NewPrivateLocation) =>
  k
    .insertInto('private_locations')
    .values({
      id: p.id,
      account_id: p.accountId,
      slug: p.slug,
      name: p.name,
      created_at: p.now,
      updated_at: null,
      doc: p.doc,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'slug']).doNothing()),
)

type NewLocationKey = {
  id: string
  locationId: string
  accountId: string | null
  hash: string
  masked: string
  now: number
}

export const insertLocationKey = query('insert-location-key', (k, p: NewLocationKey) =>
  k
    .insertInto('location_keys')
    .values({
      id: p.id,
      location_id: p.locationId,
      account_id: p.accountId,
      hash: p.hash,
      masked: p.masked,
      created_at: p.now,
      updated_at: null,
    })
    .onConflict((conflict) => conflict.column('hash').doNothing()),
)

/** `locations`: a JSON array of ids. Oldest first. */
export const keysOfLocations = query('keys-of-locations', (k, p: { locations: string }, engine) =>
  k
    .selectFrom('location_keys')
    .select(['id', 'location_id', 'masked', 'created_at', 'updated_at'])
    .where('location_id', 'in', engine.textList(p.locations))
    .orderBy('created_at')
    .orderBy('id'),
)

type OneKey = { id: string; locationId: string; accountId: string }

export const deleteLocationKey = query('delete-location-key', (k, p: OneKey) =>
  k
    .deleteFrom('location_keys')
    .where('id', '=', p.id)
    .where('location_id', '=', p.locationId)
    .where('account_id', '=', p.accountId),
)

export const deleteKeysOfLocation = query('delete-keys-of-location', (k, p: { locationId: string }) =>
  k.deleteFrom('location_keys').where('location_id', '=', p.locationId),
)

/** `locations`: a JSON array of ids. */
export const agentsOfLocations = query('agents-of-locations', (k, p: { locations: string }, engine) =>
  k
    .selectFrom('agents')
    .select(['location_id', 'agent_id', 'version', 'last_seen_at', 'walls'])
    .where('location_id', 'in', engine.textList(p.locations))
    .orderBy('agent_id'),
)

export const deleteAgentsOfLocation = query('delete-agents-of-location', (k, p: { locationId: string }) =>
  k.deleteFrom('agents').where('location_id', '=', p.locationId),
)

export const deleteErrorEventsOfLocation = query(
  'delete-error-events-of-location',
  (k, p: { locationId: string }) =>
    k.deleteFrom('agent_error_events').where('location_id', '=', p.locationId),
)
