import { type Static, type TObject, Type } from 'typebox'
import type { App } from '../../../platform/app/app.ts'
import type { HasCipher, HasRandomBytes } from '../../../platform/services/secrets/cipher.ts'
import { nextNumber } from '../../../platform/store/database/counters.ts'
import type { CheckTriggersTable } from '../../../platform/store/database/tables/checks.ts'
import { type AccountPrincipal, type Route, route } from '../../../platform/web/http/route.ts'
import { notFound } from '../../../platform/words/errors.ts'
import { toIso, toIsoOrNull } from '../../../platform/words/shapes/instants.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { findGroup } from '../../definitions/check-groups/queries.ts'
import { findCheck } from '../../definitions/checks/queries.ts'
import { deleteTrigger, findTrigger, insertTrigger } from '../../definitions/triggers/queries.ts'
import { openToken, sealToken } from '../../definitions/triggers/trigger-token.ts'

const tag = 'Triggers'
const DateTime = Type.String({ format: 'date-time' })

const fields = {
  id: Type.Integer(),
  token: Type.String({ description: 'Whoever knows it may run the checks' }),
  url: Type.String({ description: 'GET or POST runs the checks, without a key' }),
  created_at: DateTime,
  called_at: nullable(DateTime),
  updated_at: nullable(DateTime),
}

const CheckTrigger = Type.Object(
  { ...fields, checkId: Type.String({ format: 'uuid' }) },
  { title: 'CheckTrigger' },
)
const GroupTrigger = Type.Object({ ...fields, groupId: Type.Integer() }, { title: 'CheckGroupTrigger' })

type Kind = CheckTriggersTable['kind']
type Shown = Static<typeof CheckTrigger> | Static<typeof GroupTrigger>

const tokenBytes = 24

/** The audit log is read by everybody: it shows a trigger as somebody would see it who may run nothing. */
const hidden = '***'

const shown = (
  { config, cipher }: App & HasCipher,
  row: CheckTriggersTable,
  role: AccountPrincipal['role'],
): Shown => {
  const token = role === 'READ_ONLY' ? hidden : openToken(cipher, row)
  const path = row.kind === 'check' ? 'checks' : 'check-groups'
  const common = {
    id: row.id,
    token,
    url: token === hidden ? hidden : `${config.baseUrl}/${path}/${row.target}/trigger/${token}`,
    created_at: toIso(row.created_at),
    called_at: toIsoOrNull(row.called_at),
    updated_at: null,
  }
  return row.kind === 'check'
    ? { ...common, checkId: row.target }
    : { ...common, groupId: Number(row.target) }
}

type Target = { accountId: string; kind: Kind; target: string }

const requireTrigger = async (
  app: App & HasCipher,
  { accountId, kind, target }: Target,
): Promise<CheckTriggersTable> => {
  const row = await app.db.get(findTrigger, { kind, target })
  if (row === undefined || row.account_id !== accountId) throw notFound()
  return row
}

const makeTrigger = (app: App & HasCipher & HasRandomBytes, of: Target): Promise<CheckTriggersTable> =>
  app.db.transaction(async (trx) => {
    const { accountId, kind, target } = of
    const owned =
      kind === 'check'
        ? await trx.get(findCheck, { id: target, accountId })
        : await trx.get(findGroup, { id: Number(target), accountId })
    if (owned === undefined) throw notFound()
    const known = await trx.get(findTrigger, { kind, target })
    if (known !== undefined) return known
    const row: CheckTriggersTable = {
      id: await nextNumber(trx, 'check-trigger'),
      account_id: accountId,
      kind,
      target,
      sealed_token: sealToken(
        app.cipher,
        { kind, target },
        app.randomBytes(tokenBytes).toString('base64url'),
      ),
      created_at: app.clock.now(),
      called_at: null,
    }
    await trx.run(insertTrigger, row)
    // Somebody else may have been first.
    return (await trx.get(findTrigger, { kind, target })) ?? row
  })

type Variant = { kind: Kind; path: string; what: string; params: TObject; response: TObject; example: string }

const routesOf = ({ kind, path, what, params, response, example }: Variant) => {
  const common = { path, tag, params, example: { params: { [path.split(':')[1] ?? '']: example } } }
  const targetOf = (sent: object, accountId: string): Target => ({
    accountId,
    kind,
    target: String(Object.values(sent)[0]),
  })
  const otherStatuses = { 404: `There is no such ${what}, or it has no trigger` }
  const get = route({
    ...common,
    method: 'GET',
    access: 'READ_RUN',
    summary: `The trigger of a ${what}`,
    status: 200,
    otherStatuses,
    response,
    handle: async ({ params, principal: { accountId, role } }, app: App & HasCipher) =>
      shown(app, await requireTrigger(app, targetOf(params, accountId)), role),
  })
  const create = route({
    ...common,
    method: 'POST',
    access: 'READ_WRITE',
    summary: `Make the trigger of a ${what}`,
    description: 'One that has a trigger keeps it: to have another token, delete it first.',
    status: 201,
    otherStatuses,
    response,
    handle: async ({ params, principal: { accountId, role } }, app: App & HasCipher & HasRandomBytes) =>
      shown(app, await makeTrigger(app, targetOf(params, accountId)), role),
  })
  const remove = route({
    ...common,
    method: 'DELETE',
    access: 'READ_WRITE',
    summary: `Delete the trigger of a ${what}: its address runs nothing any more`,
    status: 204,
    otherStatuses,
    handle: async ({ params, principal: { accountId } }, app) => {
      if ((await app.db.run(deleteTrigger, targetOf(params, accountId))) === 0) throw notFound()
    },
  })
  return [get, create, remove]
}

export const triggerRoutes: Route<App & HasCipher & HasRandomBytes>[] = [
  ...routesOf({
    kind: 'check',
    path: '/v1/triggers/checks/:checkId',
    what: 'check',
    params: Type.Object({ checkId: Type.String({ format: 'uuid' }) }),
    response: CheckTrigger,
    example: '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11',
  }),
  ...routesOf({
    kind: 'group',
    path: '/v1/triggers/check-groups/:groupId',
    what: 'check group',
    params: Type.Object({ groupId: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
    response: GroupTrigger,
    example: '12',
  }),
]
