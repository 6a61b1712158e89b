/** A proxy's address may carry a password: sealed at rest, masked in answers. */
import type { Cipher } from '../../platform/doors/secrets/cipher.ts'

export const contextOf = (locationId: string): string => `private-location ${locationId} proxy`

export const sealProxyUrl = (cipher: Cipher, locationId: string, url: string | null): string | null =>
  url === null ? null : cipher.encrypt(url, contextOf(locationId))

export const openProxyUrl = (cipher: Cipher, locationId: string, sealed: string | null): string | null =>
  sealed === null ? null : cipher.decrypt(sealed, contextOf(locationId))

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
