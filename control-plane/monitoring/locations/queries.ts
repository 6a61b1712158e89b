/** All SQL about private locations and the keys of locations. */
import { Type } from 'typebox'
import { documentQueries } from '../../platform/store/database/document-queries.ts'
import { query } from '../../platform/store/database/query.ts'
import { storedDoc } from '../../platform/store/database/stored-doc.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'

/** Whoever locks a location adds the only keys to it meanwhile. */
export const {
  find: findPrivateLocation,
  lock: lockPrivateLocation,
  after: listPrivateLocations,
  update: updatePrivateLocation,
} = documentQueries('private_locations', {
  name: 'private-location',
  key: 'id',
  columns: { slug: 'stays', name: 'changes', created_at: 'stays', updated_at: 'changes', doc: 'changes' },
  search: { columns: ['name', 'slug'] },
})

export const deletePrivateLocation = query(
  'delete-private-location',
  (k, p: { id: string; accountId: string }) =>
    k
      .deleteFrom('private_locations')
      .where('id', '=', p.id)
      .where('account_id', '=', p.accountId)
      .returning('slug'),
)

export const privateLocationsBySlug = query(
  'private-locations-by-slug',
  (k, p: { accountId: string; slugs: readonly string[] }, engine) =>
    k
      .selectFrom('private_locations')
      .select(['id', 'slug'])
      .where('account_id', '=', p.accountId)
      .where('slug', 'in', engine.textList(p.slugs)),
)

/** Those that the account has; none of them is deleted until the transaction ends. */
export const sharePrivateLocations = query(
  'share-private-locations',
  (k, p: { accountId: string; slugs: readonly string[] }, engine) => {
    const found = k
      .selectFrom('private_locations')
      .select(['id', 'slug'])
      .where('account_id', '=', p.accountId)
      .where('slug', 'in', engine.textList(p.slugs))
      .orderBy('id')
    return engine.rowLocks ? found.forShare() : found
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

/** `locations`: ids. Oldest first. */
export const keysOfLocations = query('keys-of-locations', (k, p: { locations: readonly string[] }, engine) =>
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

/** `locations`: ids. */
export const agentsOfLocations = query(
  'agents-of-locations',
  (k, p: { locations: readonly string[] }, engine) =>
    k
      .selectFrom('agents')
      .select(['location_id', 'agent_id', 'version', 'last_seen_at', 'isolation'])
      .where('location_id', 'in', engine.textList(p.locations))
      .orderBy('agent_id'),
)

export const deleteAgentsOfLocation = query('delete-agents-of-location', (k, p: { locationId: string }) =>
  k.deleteFrom('agents').where('location_id', '=', p.locationId),
)

export const deleteLateAgentsOfLocation = query(
  'delete-late-agents-of-location',
  (k, p: { locationId: string }) => k.deleteFrom('late_agents').where('location_id', '=', p.locationId),
)

export const deleteOrderHoldersOfLocation = query(
  'delete-order-holders-of-location',
  (k, p: { locationId: string }) => k.deleteFrom('order_holders').where('location_id', '=', p.locationId),
)

export const deleteErrorEventsOfLocation = query(
  'delete-error-events-of-location',
  (k, p: { locationId: string }) =>
    k.deleteFrom('agent_error_events').where('location_id', '=', p.locationId),
)

/** What `private_locations.doc` holds. */
const LocationDoc = Type.Object({
  icon: Type.String({ default: 'location' }),
  /** proxy-url.ts */
  sealedProxyUrl: nullable(Type.String(), { default: null }),
  scalesToZero: Type.Boolean({ default: false }),
})

export const locationDoc = storedDoc({ name: 'private location', schema: LocationDoc })
