/** Writing private locations and their keys: the rules that no schema can say, each in one transaction. */

import { noteAccountChange } from '../../access/changes/note-change.ts'
import { type HasUsers, requireUnused } from '../../access/snippets/require-unused.ts'
import { deleteAlertsOfCheck } from '../../alerting/check-alerts/queries.ts'
import { deleteNotificationsOfCheck } from '../../alerting/notifications/queries.ts'
import type { App } from '../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { PrivateLocationsTable } from '../../platform/store/database/tables/runs.ts'
import { keyHash } from '../../platform/web/http/auth/auth.ts'
import { ApiError, invalid, notFound, violation } from '../../platform/words/errors.ts'
import { deleteProblemsOfLocation } from './problem-queries.ts'
import { changedProxyUrl, openProxyUrl, sealProxyUrl } from './proxy-url.ts'
import {
  deleteAgentsOfLocation,
  deleteErrorEventsOfLocation,
  deleteKeysOfLocation,
  deleteLateAgentsOfLocation,
  deleteLocationKey,
  deleteOrderHoldersOfLocation,
  deletePrivateLocation,
  insertLocationKey,
  insertPrivateLocation,
  keysOfLocations,
  locationDoc,
  lockPrivateLocation,
  updatePrivateLocation,
} from './queries.ts'
import { deleteSamplesOfLocation } from './sample-queries.ts'
import type { ShownKey } from './serialize-location.ts'

const maxLiveKeys = 2
const likeCloudRegion = /^(us|us-gov|ap|ca|cn|eu|sa|af|me)-(central|(north|south)?(east|west)?)-\d/i

type LocationKey = { id: string; accountId: string }
type NewLocation = {
  name: string
  slugName: string
  icon: string
  proxyUrl: string | null
  scalesToZero: boolean
}

type CreatedLocation = { row: PrivateLocationsTable; firstKey: NewKey }

/** With its first key. @throws ApiError 400, 409 */
export const createLocation = async (
  app: App & HasCipher & HasRandomBytes,
  accountId: string,
  { name, slugName: slug, icon, proxyUrl, scalesToZero }: NewLocation,
): Promise<CreatedLocation> => {
  if (likeCloudRegion.test(slug))
    throw invalid([violation('slugName', 'region', 'must not look like a cloud region')])
  const id = app.newId()
  const now = app.clock.now()
  const doc = locationDoc.write({
    icon,
    sealedProxyUrl: sealProxyUrl(app.cipher, id, proxyUrl),
    scalesToZero,
  })
  const row = { id, accountId, slug, name, now, doc }
  const key = newKey(app, { id, accountId })
  await app.db.transaction(async (trx) => {
    if ((await trx.run(insertPrivateLocation, row)) === 0)
      throw new ApiError(409, 'A private location with this slug exists already')
    await trx.run(insertLocationKey, key.row)
  })
  return {
    row: { id, account_id: accountId, slug, name, created_at: now, updated_at: null, doc },
    firstKey: key.shown,
  }
}

type Changes = {
  name: string
  slugName?: string
  icon?: string
  proxyUrl?: string | null
  scalesToZero?: boolean
}

/** Only what is sent changes; the slug never does. @throws ApiError 400, 404 */
export const changeLocation = (
  app: App & HasCipher,
  { id, accountId }: LocationKey,
  { name, slugName, icon, proxyUrl, scalesToZero }: Changes,
): Promise<PrivateLocationsTable> => {
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const before = await trx.get(lockPrivateLocation, { id, accountId })
    if (!before) throw notFound()
    if (slugName !== undefined && slugName !== before.slug)
      throw invalid([violation('slugName', 'constant', `cannot be changed: it is "${before.slug}"`)])
    const stored = locationDoc.read(before.doc)
    const known = openProxyUrl(app.cipher, id, stored.sealedProxyUrl)
    const wanted = proxyUrl === undefined ? known : changedProxyUrl(proxyUrl, known)
    const doc = {
      icon: icon ?? stored.icon,
      sealedProxyUrl: wanted === known ? stored.sealedProxyUrl : sealProxyUrl(app.cipher, id, wanted),
      scalesToZero: scalesToZero ?? stored.scalesToZero,
    }
    const after = { ...before, name, updated_at: now, doc: locationDoc.write(doc) }
    await trx.run(updatePrivateLocation, after)
    await noteAccountChange(trx, { accountId, now })
    return after
  })
}

/**
 * Agents of a location without a key can bring nothing any more: nobody waits for what they may have run. @throws ApiError 404
 */
export const removeLocationKey = (app: App, key: LocationKey & { keyId: string }): Promise<void> =>
  app.db.transaction(async (trx) => {
    const { id: locationId, accountId, keyId } = key
    // Of two that are deleted at the same time, the later one has to see that it is the last.
    await trx.get(lockPrivateLocation, { id: locationId, accountId })
    if ((await trx.run(deleteLocationKey, { id: keyId, locationId, accountId })) === 0) throw notFound()
    if ((await trx.all(keysOfLocations, { locations: [locationId] })).length === 0)
      await forgetOrders(trx, locationId)
  })

const forgetOrders = async (trx: Db, locationId: string): Promise<void> => {
  await trx.run(deleteOrderHoldersOfLocation, { locationId })
  await trx.run(deleteLateAgentsOfLocation, { locationId })
}

/** With its keys, agents and history. @throws ApiError 404, 409 */
export const removeLocation = (app: App & HasUsers, one: LocationKey): Promise<void> =>
  app.db.transaction(async (trx) => {
    const deleted = await trx.get(deletePrivateLocation, one)
    if (!deleted) throw notFound()
    requireUnused(await app.lookups.usersOf(trx, one.accountId, { privateLocation: deleted.slug }))
    const location = { locationId: one.id }
    await trx.run(deleteKeysOfLocation, location)
    await trx.run(deleteAgentsOfLocation, location)
    await forgetOrders(trx, one.id)
    await trx.run(deleteErrorEventsOfLocation, location)
    await trx.run(deleteSamplesOfLocation, location)
    await trx.run(deleteProblemsOfLocation, location)
    await trx.run(deleteAlertsOfCheck, { checkId: one.id })
    await trx.run(deleteNotificationsOfCheck, { checkId: one.id })
  })

/** The raw key is not kept. @throws ApiError 404, 409 */
export const createLocationKey = async (
  app: App & HasRandomBytes,
  location: LocationKey,
): Promise<NewKey> => {
  const { row, shown } = newKey(app, location)
  await app.db.transaction(async (trx) => {
    if (!(await trx.get(lockPrivateLocation, location))) throw notFound()
    const live = await trx.all(keysOfLocations, { locations: [location.id] })
    if (live.length >= maxLiveKeys) throw new ApiError(409, 'The location has two keys: delete one first')
    await trx.run(insertLocationKey, row)
  })
  return shown
}

/** A key as its makers are shown it, once. */
type NewKey = ShownKey & { rawKey: string }

const newKey = (app: App & HasRandomBytes, { id: locationId, accountId }: LocationKey) => {
  const rawKey = `pl_${app.randomBytes(16).toString('hex')}`
  const now = app.clock.now()
  const id = app.newId()
  const masked = `...${rawKey.slice(-4)}`
  const shown: NewKey = { id, masked, created_at: now, updated_at: null, rawKey }
  return { row: { id, locationId, accountId, hash: keyHash(rawKey), masked, now }, shown }
}
