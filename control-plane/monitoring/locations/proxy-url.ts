/** A proxy's address may carry a password: sealed at rest, masked in answers. */
import type { Cipher } from '../../platform/services/secrets/cipher.ts'
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import { locationDoc } from './queries.ts'

export const contextOf = (locationId: string): string => `private-location ${locationId} proxy`

export const sealProxyUrl = (cipher: Cipher, locationId: string, url: string | null): string | null =>
  url === null ? null : cipher.encrypt(url, contextOf(locationId))

export const openProxyUrl = (cipher: Cipher, locationId: string, sealed: string | null): string | null =>
  sealed === null ? null : cipher.decrypt(sealed, contextOf(locationId))

const findProxyOfLocation = query('find-proxy-of-location', (k, p: { id: string }) =>
  k.selectFrom('private_locations').select(['account_id', 'doc']).where('id', '=', p.id),
)

/** In clear, as it was given: variables of the account may stand in it. */
export type LocationProxy = { accountId: string; url: string }

/** For the jobs of the location, whose agents have shown its key. */
export const readProxy = async (
  db: Db,
  cipher: Cipher,
  locationId: string,
): Promise<LocationProxy | null> => {
  const row = await db.get(findProxyOfLocation, { id: locationId })
  const sealed = row === undefined ? null : locationDoc.read(row.doc).sealedProxyUrl
  const url = openProxyUrl(cipher, locationId, sealed)
  return row === undefined || url === null ? null : { accountId: row.account_id, url }
}

/** The scheme, the user name, and everything up to the last `@` before the path. */
const withCredentials = /^(https?:\/\/)([^/?#]*)@/i
const reference = /^\{\{\{?[^{}]+\}\}\}?$/

/** Only a name of a variable may be seen in place of a password; a user name without one may be a token. */
export const maskProxyUrl = (url: string): string =>
  url.replace(withCredentials, (_, scheme: string, credentials: string) => {
    const [user = '', ...rest] = credentials.split(':')
    const shown = (part: string) => (reference.test(part) ? part : '***')
    return rest.length === 0 ? `${scheme}${shown(user)}@` : `${scheme}${user}:${shown(rest.join(':'))}@`
  })

/** What an update asks for: the mask that was shown means the address that is stored. */
export const changedProxyUrl = (sent: string | null, stored: string | null): string | null =>
  sent !== null && stored !== null && sent === maskProxyUrl(stored) ? stored : sent
