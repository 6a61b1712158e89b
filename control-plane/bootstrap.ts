/**
 * What a fresh installation needs before anybody can call it: an account, its owner's API key, the private location
 * `local` and its agents' key. The environment decides; what it leaves open is generated once. All of it is
 * kept in `bootstrap.json`. Running it again changes nothing, and a key that was taken away is not brought back.
 */

import { statSync } from 'node:fs'
import { newAccountDoc } from './access/accounts/account-doc.ts'
import { findAccount, firstAccount, insertAccount } from './access/accounts/queries.ts'
import { insertApiKey } from './access/api-keys/queries.ts'
import { findUserByEmail, insertMembership, insertUser } from './access/members/queries.ts'
import { linkAddress, newLinkToken, ownerEmail, storeLink } from './access/sign-in/links.ts'
import {
  insertLocationKey,
  insertPrivateLocation,
  locationDoc,
  privateLocationsBySlug,
} from './monitoring/locations/queries.ts'
import { readBootstrap, writeBootstrap } from './platform/services/secrets/generated-secrets.ts'
import type { Config } from './platform/settings/config.ts'
import type { Db } from './platform/store/database/db.ts'
import { sqliteFile } from './platform/store/database/open.ts'
import { UnusableStoreError } from './platform/store/database/unusable-store-error.ts'
import { keyHash } from './platform/web/http/auth/auth.ts'
import type { WholeApp } from './whole-app.ts'

type BootstrapKeys = {
  accountId: string
  apiKey: string
  agentKey: string
  /** Of a first start: lets the owner in once. */
  signInLink: string | null
  /** What an operator should know, a sentence each. */
  notes: string[]
}

type BootstrapFile = {
  accountId: string
  apiKey: string
  agentKey: string
  /** False until the store holds what is in this file. */
  applied: boolean
}

export const bootstrap = async (app: WholeApp): Promise<BootstrapKeys> => {
  const { dataDir, bootstrap: given } = app.config
  const written = readBootstrap<BootstrapFile>(dataDir)
  const existing = await app.db.get(firstAccount, {})
  if (existing === undefined && written.applied === true) throw otherStore(app.config)
  // Of a start that was overtaken by another control plane's, whose account it is.
  const own = written.applied || existing === undefined ? written.accountId : undefined
  const accountId = given.accountId ?? own ?? existing?.id ?? app.newId()
  if (existing !== undefined) await requireKnownAccount(app, accountId, existing.id)
  const apiKey = given.apiKey ?? written.apiKey ?? newApiKey(app)
  const agentKey = given.agentKey ?? written.agentKey ?? newAgentKey(app)
  const values = { accountId, apiKey, agentKey }
  const isNew =
    !written.applied ||
    written.accountId !== accountId ||
    written.apiKey !== apiKey ||
    written.agentKey !== agentKey
  // Written before the store: a key that opens something is never lost. `applied` follows once the store has it.
  if (isNew) writeBootstrap(dataDir, { ...values, applied: false })
  const signInToken = existing === undefined ? newLinkToken(app) : null
  await app.db.transaction((trx) => apply(trx, app, { ...values, isNew, signInToken }))
  if (isNew) writeBootstrap(dataDir, { ...values, applied: true })
  const lostKeys = existing !== undefined && given.apiKey === null && written.apiKey === undefined
  return {
    ...values,
    signInLink: signInToken === null ? null : linkAddress(app, signInToken),
    notes: lostKeys
      ? [
          'bootstrap.json was missing: a new owner API key was made; older keys keep working until they are revoked',
        ]
      : [],
  }
}

const otherStore = ({ dataDir }: Pick<Config, 'dataDir'>): UnusableStoreError =>
  new UnusableStoreError(
    `The store of DATABASE_URL is empty, but ${dataDir}/bootstrap.json is of one that was in use: bring that store back (its file, or \`watchpost restore\`), or move bootstrap.json away to begin anew.`,
  )

/** Nobody would look for what they had in an account that has appeared beside it. @throws UnusableStoreError */
const requireKnownAccount = async (
  { db, config: { dataDir, bootstrap: given } }: WholeApp,
  accountId: string,
  firstId: string,
): Promise<void> => {
  if ((await db.get(findAccount, { id: accountId })) !== undefined) return
  const source = given.accountId === null ? `${dataDir}/bootstrap.json` : 'BOOTSTRAP_ACCOUNT_ID'
  throw new UnusableStoreError(
    `${source} names the account ${accountId}, which the store of DATABASE_URL does not have; its first one is ${firstId}. Name that one, or the store that has the other; nothing was changed.`,
  )
}

/**
 * Before a store is opened, and made where there is none: a file that is gone or has lost all its bytes is not a new
 * installation. @throws UnusableStoreError
 */
export const refuseLostStore = ({ dataDir, databaseUrl }: Pick<Config, 'dataDir' | 'databaseUrl'>): void => {
  const file = sqliteFile(databaseUrl)
  if (file === null || readBootstrap<BootstrapFile>(dataDir).applied !== true) return
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 }
  if (size === 0) throw otherStore({ dataDir })
}

type Values = {
  accountId: string
  apiKey: string
  agentKey: string
  isNew: boolean
  signInToken: string | null
}

/** Keys are written when they are new here; the ones the store has had before are not brought back. */
const apply = async (trx: Db, app: WholeApp, values: Values): Promise<void> => {
  const { accountId, apiKey, agentKey, isNew, signInToken } = values
  const now = app.clock.now()
  const isNewAccount = (await trx.get(findAccount, { id: accountId })) === undefined
  await trx.run(insertAccount, { id: accountId, name: 'Watchpost', now, doc: newAccountDoc() })
  if (isNew || isNewAccount) await storeOwnerKey(trx, app, { accountId, apiKey, now })
  if (signInToken !== null) await storeFirstLink(trx, signInToken, now)
  const locationId = await localLocation(trx, app, { accountId, now, create: isNew || isNewAccount })
  if (locationId !== undefined && (isNew || isNewAccount))
    await trx.run(insertLocationKey, {
      id: app.newId(),
      locationId,
      accountId,
      hash: keyHash(agentKey),
      masked: masked(agentKey),
      now,
    })
}

const storeFirstLink = async (trx: Db, token: string, now: number): Promise<void> => {
  const owner = await trx.get(findUserByEmail, { email: ownerEmail })
  if (owner) await storeLink(trx, { userId: owner.id, purpose: 'FIRST', now, token })
}

type OwnerKey = { accountId: string; apiKey: string; now: number }

/** The key acts as a user, who is made with it; a key that is known already does not bring back a removed user. */
const storeOwnerKey = async (trx: Db, app: WholeApp, { accountId, apiKey, now }: OwnerKey): Promise<void> => {
  const known = await trx.get(findUserByEmail, { email: ownerEmail })
  const userId = known?.id ?? app.newId()
  const stored = await trx.run(insertApiKey, {
    id: app.newId(),
    accountId,
    userId,
    kind: 'user',
    role: 'OWNER',
    name: 'bootstrap',
    hash: keyHash(apiKey),
    masked: masked(apiKey),
    now,
  })
  if (stored === 0) return
  if (!known) await trx.run(insertUser, { id: userId, email: ownerEmail, name: null, nameSearch: '', now })
  await trx.run(insertMembership, { accountId, userId, role: 'OWNER', now })
}

type Local = { accountId: string; now: number; create: boolean }

const localLocation = async (
  trx: Db,
  app: WholeApp,
  { accountId, now, create }: Local,
): Promise<string | undefined> => {
  const slug = 'local'
  const known = await trx.get(privateLocationsBySlug, { accountId, slugs: [slug] })
  if (known || !create) return known?.id
  const id = app.newId()
  const doc = locationDoc.write({ icon: 'location', sealedProxyUrl: null, scalesToZero: false })
  await trx.run(insertPrivateLocation, { id, accountId, slug, name: 'Local', now, doc })
  return id
}

const newApiKey = (app: WholeApp): string => `wp_${app.randomBytes(32).toString('base64url')}`
const newAgentKey = (app: WholeApp): string => `pl_${app.randomBytes(16).toString('hex')}`

const masked = (key: string): string => `…${key.slice(-4)}`
