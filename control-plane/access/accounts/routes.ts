import { type Static, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { HasWakeups } from '../../platform/services/clock/wakeups.ts'
import type { AccountsTable } from '../../platform/store/database/tables/runs.ts'
import { alias, type Route, route } from '../../platform/web/http/route.ts'
import { notFound } from '../../platform/words/errors.ts'
import { always, recordNames } from '../../platform/words/shapes/ignored-names.ts'
import { accountDoc } from './account-doc.ts'
import { changeAccount, type HasAccountConsequences } from './change-account.ts'
import { currentUserRoute } from './current-user-route.ts'
import { entitledLocations, entitlementsOf, features, plan } from './entitlements.ts'
import { meAndById } from './me-and-by-id-routes.ts'
import { accountsOfUser, findAccount } from './queries.ts'
import { Account, AccountChanges, Entitlements } from './schema.ts'

const ignored = [
  ...recordNames,
  ...always('plan', 'planDisplayName', 'addons', 'features', 'alertSettings.sslCertificates'),
]

const tag = 'Accounts'

const serializeAccount = ({ id, name, doc }: AccountsTable): Static<typeof Account> => ({
  id,
  name,
  ...accountDoc.read(doc),
  ...plan,
  addons: {},
  features: [...features],
})

const list = route({
  method: 'GET',
  path: '/v1/accounts',
  access: 'READ_ONLY',
  tag,
  summary: 'The accounts that the key opens',
  description: 'A user key opens every account its user is a member of, a service key its own.',
  status: 200,
  response: Type.Array(Account),
  handle: async ({ principal: { accountId, userId } }, app: App & HasAccountConsequences) => {
    const rows =
      userId === null
        ? await app.db.all(findAccount, { id: accountId })
        : await app.db.all(accountsOfUser, { userId })
    return rows.map(serializeAccount)
  },
})

const read = meAndById({
  method: 'GET',
  path: '',
  access: 'READ_ONLY',
  tag,
  summary: 'The account',
  status: 200,
  response: Account,
  handle: async ({ principal }, app: App & HasAccountConsequences) => {
    const row = await app.db.get(findAccount, { id: principal.accountId })
    if (!row) throw notFound()
    return serializeAccount(row)
  },
})

const change = meAndById({
  method: 'PATCH',
  path: '',
  access: 'ADMIN',
  tag,
  summary: 'Change the name, defaults and settings of the account',
  description:
    'Only the fields that are sent change: `alertSettings` as a whole (what is left out inside gets its default), ' +
    '`settings` field by field.',
  body: AccountChanges,
  ignores: ignored,
  status: 200,
  response: Account,
  example: {
    body: {
      name: 'Shop',
      alertSettings: { runBasedEscalation: { failedRunThreshold: 2 } },
      settings: { badgesEnabled: true },
    },
  },
  handle: async ({ principal, body }, app: App & HasAccountConsequences & HasWakeups) =>
    serializeAccount(await changeAccount(app, principal.accountId, body)),
})

const readEntitlements = meAndById({
  method: 'GET',
  path: '/entitlements',
  access: 'READ_ONLY',
  tag,
  summary: 'Features and limits of the account',
  description:
    'A self-hosted installation has no plans: every feature is there, and the limits are those of the API itself.',
  status: 200,
  response: Entitlements,
  handle: (_, { config }: App) => ({
    ...plan,
    addons: {},
    locations: entitledLocations,
    entitlements: entitlementsOf(config),
  }),
})

export const [readOwnAccount, readAccountById] = read

/** Where command-line clients that were written for other services look for the same. */
const ofClients = [
  alias(list, '/next/accounts'),
  alias(readAccountById, '/next/accounts/:accountId'),
  currentUserRoute,
]

export const accountRoutes: Route<App & HasAccountConsequences & HasWakeups>[] = [
  list,
  ...read,
  ...change,
  ...readEntitlements,
  ...ofClients,
]
