/** `POST /v1/checks/<type>`, `PUT` and `PATCH /v1/checks/<type>/{id}` of every check type in the registry. */

import { Type } from 'typebox'
import type { App } from '../../../platform/app/app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import { changedMeanwhile, entityTag, ifMatchHeader } from '../../../platform/web/http/request/entity-tag.ts'
import {
  type AccountPrincipal,
  type Reply,
  type Route,
  reply,
  route,
  warningHeaders,
} from '../../../platform/web/http/route.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { ignoredOfChecks } from '../ignored-names.ts'
import { runWarnings } from './run-warnings.ts'
import { type CheckBody, changeCheck, createCheck } from './save-check.ts'
import { type Check, checkSchemas } from './schema.ts'
import { scriptWarnings } from './script-warnings.ts'
import { serializeCheck } from './serialize-check.ts'
import type { CheckKind } from './types/check-kind.ts'
import { checkKinds } from './types/index.ts'

const tag = 'Checks'
const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

export const AutoAssign = Type.Object({
  autoAssignAlerts: Type.Boolean({
    default: true,
    description: 'A new check is subscribed to all existing alert channels; without effect on others',
  }),
})

export const writtenCheck = async (
  app: App & HasCipher,
  row: ChecksTable,
  principal: AccountPrincipal,
): Promise<Reply<Check>> => {
  const check = await serializeCheck(app, row, { principal, includeFiles: true })
  const warnings = [
    ...(await runWarnings(app.db, { ...row, shown: check }, app.clock.now())),
    ...(await scriptWarnings(app, check, row.account_id)),
  ]
  return reply(warnings.length === 0 ? check : { ...check, warnings }, {
    headers: { etag: entityTag(row.version), ...warningHeaders(warnings) },
  })
}

/** What follows from a check that is written. */
type SavingApp = App & HasCipher & HasConsequences & HasWakeups

const routesOf = (kind: CheckKind): Route<SavingApp>[] => {
  const schemas = checkSchemas[kind.type]
  const { bodyLimit } = kind
  const limit = bodyLimit === undefined ? {} : { bodyLimit }
  const create = route({
    method: 'POST',
    path: `/v1/checks/${kind.path}`,
    access: 'READ_WRITE',
    tag,
    summary: `Create ${kind.words}`,
    description: `${kind.note}${kind.scheduled ? runsAtOnce : ''}`,
    query: AutoAssign,
    body: schemas.New,
    ignores: ignoredOfChecks,
    ...limit,
    status: 201,
    response: schemas.Created,
    example: { body: kind.example },
    handle: async ({ query, body, principal }, app: SavingApp) => {
      const row = await createCheck(app, {
        accountId: principal.accountId,
        type: kind.type,
        body: body as CheckBody,
        autoAssignAlerts: query.autoAssignAlerts,
      })
      return writtenCheck(app, row, principal)
    },
  })
  const change = (method: 'PUT' | 'PATCH') =>
    route({
      method,
      ...(method === 'PUT' ? { whole: schemas.Whole } : {}),
      path: `/v1/checks/${kind.path}/:id`,
      access: 'READ_WRITE',
      tag,
      summary: `Change ${kind.words}`,
      description: 'Only the fields that are sent change; an object is replaced as a whole.',
      params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
      query: AutoAssign,
      requestHeaders: ifMatchHeader,
      body: schemas.Changes,
      ignores: ignoredOfChecks,
      ...limit,
      status: 200,
      otherStatuses: changedMeanwhile,
      response: schemas.Shown,
      example: { params: { id }, body: { activated: false } },
      handle: async ({ params, body, headers, principal }, app: SavingApp) => {
        const row = await changeCheck(app, {
          id: params.id,
          accountId: principal.accountId,
          type: kind.type,
          changes: body as CheckBody,
          ifMatch: headers['if-match'],
        })
        return writtenCheck(app, row, principal)
      },
    })
  return [create, change('PUT'), change('PATCH')]
}

const runsAtOnce =
  ' It runs at once and then on its slots. A check without any location is kept and runs as soon as it gets one. Where it ' +
  'has none, no agent can run it, or a script cannot be parsed, `warnings` and the header `Watchpost-Warning` say so.'

export const checkTypeRoutes: Route<SavingApp>[] = Object.values(checkKinds).flatMap(routesOf)
