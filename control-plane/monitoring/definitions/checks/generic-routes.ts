/**
 * `POST /v1/checks`, `PUT` and `PATCH /v1/checks/{id}`: the routes from the time before each type had its own. The body is that of the type,
 * which `checkType` names where a check is made and which the check has where it is changed.
 */

import { type TSchema, Type } from 'typebox'
import { type CheckType, checkTypes, exampleType } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import { type BodyReader, bodyReader } from '../../../platform/web/http/request/body-reader.ts'
import { changedMeanwhile, ifMatchHeader } from '../../../platform/web/http/request/entity-tag.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { type ApiError, invalid, notFound } from '../../../platform/words/errors.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { ignoredOfChecks } from '../ignored-names.ts'
import { findCheck } from './queries.ts'
import { type CheckBody, changeCheck, createCheck } from './save-check.ts'
import { Check, CreatedCheck, checkSchemas } from './schema.ts'
import { AutoAssign, writtenCheck } from './type-routes.ts'
import { checkKinds, kindOf } from './types/index.ts'

const tag = 'Checks'
const id = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'

const bodyLimit = Math.max(...Object.values(checkKinds).map((kind) => kind.bodyLimit ?? 0))

const AnyCheckType = Type.Enum([...checkTypes])
const open = { additionalProperties: true }
export const NewAnyCheck = Type.Object({ checkType: AnyCheckType }, { ...open, title: 'NewCheckOfAnyType' })
const AnyCheckChanges = Type.Object(
  { checkType: Type.Optional(AnyCheckType) },
  { ...open, title: 'ChangesOfAnyCheck' },
)

type Method = 'POST' | 'PUT' | 'PATCH'

const bodyRules = (method: Method, { New, Changes, Whole }: Record<'New' | 'Changes' | 'Whole', TSchema>) => {
  if (method === 'POST') return { schema: New }
  return method === 'PUT' ? { schema: Changes, whole: Whole } : { schema: Changes }
}

/** What a write of any type is read by, compiled when the first one comes. */
const readers = perApp(() => {
  const known = new Map<string, BodyReader>()
  return (method: Method, type: CheckType): BodyReader => {
    const name = `${method} ${type}`
    const reader =
      known.get(name) ?? bodyReader({ ...bodyRules(method, checkSchemas[type]), ignores: ignoredOfChecks })
    known.set(name, reader)
    return reader
  }
})

/** @throws ApiError 400 */
const bodyOf = (read: BodyReader, body: object): CheckBody => {
  const { value, violations } = read(body, {})
  if (violations.length > 0) throw invalid(violations)
  return value as CheckBody
}

/** Of a check that is not there yet; `checkType` names its type. @throws ApiError 400 */
export const newCheckBody = (app: App, body: { checkType: CheckType }): CheckBody =>
  bodyOf(readers(app)('POST', body.checkType), body)

const create = route({
  method: 'POST',
  path: '/v1/checks',
  access: 'READ_WRITE',
  tag,
  summary: 'Create a check of the type that `checkType` names',
  description:
    'Superseded by `POST /v1/checks/<type>`, whose fields, rules and ignored names are those of this body.',
  deprecated: true,
  query: AutoAssign,
  body: NewAnyCheck,
  bodyLimit,
  status: 201,
  response: CreatedCheck,
  example: { body: { checkType: exampleType, ...checkKinds[exampleType].example } },
  handle: async (
    { query: { autoAssignAlerts }, body, principal },
    app: App & HasCipher & HasConsequences & HasWakeups,
  ) => {
    const type = body.checkType as CheckType
    const { accountId } = principal
    const sent = bodyOf(readers(app)('POST', type), body)
    return writtenCheck(
      app,
      await createCheck(app, { accountId, type, body: sent, autoAssignAlerts }),
      principal,
    )
  },
})

const knownTypes = Object.values(checkKinds).map(({ path }) => path)

/** A type that nobody knows looks like an id: whoever asks for one, or for a check of it, is told which there are. */
const noSuchType = (method: string, path: string): ApiError | undefined => {
  const [name = '', id] = path.split('/').slice(3)
  const isOfType = method === 'POST' ? id === undefined : id !== undefined
  if (!isOfType || /^[\da-f-]{36}$/i.test(name)) return undefined
  return notFound(`There is no such type of checks; there are ${knownTypes.join(', ')}`)
}

const change = (method: 'PUT' | 'PATCH') =>
  route({
    method,
    path: '/v1/checks/:id',
    nothingThere: noSuchType,
    access: 'READ_WRITE',
    tag,
    summary: 'Change a check of any type',
    description:
      `Superseded by \`${method} /v1/checks/<type>/{id}\`, ` +
      'whose fields, rules and ignored names are those of this body. The type cannot be changed.',
    deprecated: true,
    params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
    query: AutoAssign,
    requestHeaders: ifMatchHeader,
    body: AnyCheckChanges,
    bodyLimit,
    status: 200,
    otherStatuses: changedMeanwhile,
    response: Check,
    example: { params: { id }, body: { muted: true } },
    handle: async (
      { params: { id }, body, headers, principal },
      app: App & HasCipher & HasConsequences & HasWakeups,
    ) => {
      const { accountId } = principal
      const row = await app.db.get(findCheck, { id, accountId })
      if (!row) throw notFound()
      const { type } = kindOf(row.type)
      const changes = bodyOf(readers(app)(method, type), body)
      const changed = await changeCheck(app, { id, accountId, type, changes, ifMatch: headers['if-match'] })
      return writtenCheck(app, changed, principal)
    },
  })

const replaceAnyCheck = change('PUT')
const changeAnyCheck = change('PATCH')

export { changeAnyCheck, create as createAnyCheck }

export const genericCheckRoutes: Route<App & HasCipher & HasConsequences & HasWakeups>[] = [
  create,
  replaceAnyCheck,
  changeAnyCheck,
]
