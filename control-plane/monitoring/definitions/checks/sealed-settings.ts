/**
 * Values that checks and check groups keep secret inside their `doc`: secret and locked environment variables, locked
 * headers, query parameters and metadata, the password of basic authentication. In the store each is `sealed` (cipher.ts) in the
 * place of its value. A secret value is shown to nobody (but to keys that write, where the account has chosen so), a locked one
 * and a password to READ_WRITE and above; what is
 * hidden reads as an empty text.
 */

import type { Cipher } from '../../../platform/services/secrets/cipher.ts'
import { type Sight, seesLockedValues } from '../../../platform/words/shapes/roles.ts'

export type Item = { key: string; value: string; locked: boolean; secret?: boolean }
type StoredItem = Omit<Item, 'value'> & ({ value: string } | { sealed: string })

type BasicAuth = { username: string; password: string }
type StoredBasicAuth = BasicAuth | { username: string; sealed: string }

type HttpPart = {
  headers?: StoredItem[]
  queryParameters?: StoredItem[]
  basicAuth?: StoredBasicAuth | null
  grpcConfig?: { metadata?: StoredItem[] }
}

/** The parts of a check's or a group's doc that may hold secrets. */
type Settings = {
  environmentVariables?: StoredItem[] | null
  request?: unknown
  apiCheckDefaults?: unknown
}

/** A sealed value opens only in its own check or group. */
export const checkContext = (id: string): string => `check ${id}`
export const groupContext = (id: number | string): string => `check-group ${id}`

type Seal = { cipher: Cipher; context: string }

/** For the store. A secret variable whose value comes back empty, as it was shown, keeps the one in `before`. */
export const sealSettings = <S extends Settings>(
  settings: S,
  { cipher, context }: Seal,
  before: Settings = {},
): S => {
  const known = new Map(before.environmentVariables?.map((item) => [item.key, item]))
  return mapSettings(settings, {
    item: (item) => {
      if ('sealed' in item) return item
      const { value, ...rest } = item
      const earlier = known.get(item.key)
      if (item.secret && value === '' && earlier?.secret && 'sealed' in earlier)
        return { ...rest, sealed: earlier.sealed }
      return item.secret || item.locked ? { ...rest, sealed: cipher.encrypt(value, context) } : item
    },
    auth: (auth) =>
      'sealed' in auth ? auth : { username: auth.username, sealed: cipher.encrypt(auth.password, context) },
  })
}

/** With every value in clear: for jobs only. */
export const openSettings = <S extends Settings>(settings: S, { cipher, context }: Seal): S =>
  mapSettings(settings, {
    item: (item) => openItem(item, (sealed) => cipher.decrypt(sealed, context)),
    auth: (auth) => openAuth(auth, (sealed) => cipher.decrypt(sealed, context)),
  })

/** As somebody may see them. */
export const shownSettings = <S extends Settings>(
  settings: S,
  { cipher, context }: Seal,
  { role, seesSecrets = false }: Sight,
): S => {
  const open = (sealed: string) => (seesLockedValues(role) ? cipher.decrypt(sealed, context) : '')
  return mapSettings(settings, {
    item: (item) => openItem(item, item.secret && !seesSecrets ? () => '' : open),
    auth: (auth) => openAuth(auth, open),
  })
}

const openItem = (item: StoredItem, open: (sealed: string) => string): StoredItem => {
  if (!('sealed' in item)) return item
  const { key, sealed, ...flags } = item
  return { key, value: open(sealed), ...flags }
}

const openAuth = (auth: StoredBasicAuth, open: (sealed: string) => string): StoredBasicAuth =>
  'sealed' in auth ? { username: auth.username, password: open(auth.sealed) } : auth

type Change = {
  item: (item: StoredItem) => StoredItem
  auth: (auth: StoredBasicAuth) => StoredBasicAuth
}

const mapSettings = <S extends Settings>(settings: S, change: Change): S => {
  const { environmentVariables, request, apiCheckDefaults } = settings
  if (!environmentVariables?.length && !isHttpPart(request) && !isHttpPart(apiCheckDefaults)) return settings
  return {
    ...settings,
    ...(environmentVariables?.length ? { environmentVariables: environmentVariables.map(change.item) } : {}),
    ...(isHttpPart(request) ? { request: mapHttpPart(request, change) } : {}),
    ...(isHttpPart(apiCheckDefaults) ? { apiCheckDefaults: mapHttpPart(apiCheckDefaults, change) } : {}),
  }
}

const mapHttpPart = (part: HttpPart, change: Change): HttpPart => ({
  ...part,
  ...(part.headers ? { headers: part.headers.map(change.item) } : {}),
  ...(part.queryParameters ? { queryParameters: part.queryParameters.map(change.item) } : {}),
  ...(part.basicAuth ? { basicAuth: change.auth(part.basicAuth) } : {}),
  ...(part.grpcConfig?.metadata
    ? { grpcConfig: { ...part.grpcConfig, metadata: part.grpcConfig.metadata.map(change.item) } }
    : {}),
})

const isHttpPart = (value: unknown): value is HttpPart =>
  typeof value === 'object' && value !== null && ('headers' in value || 'grpcConfig' in value)
