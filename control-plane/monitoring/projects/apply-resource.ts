/** One resource of a deployment: made, changed, or left alone where it already is what its file says. */
import type { CheckType } from '../../../protocol/check-type.ts'
import type { Violation } from '../../../protocol/validate.ts'
import type { App } from '../../platform/app/app.ts'
import type { AccountPrincipal } from '../../platform/web/http/route.ts'
import type { ApiCaller } from '../../platform/web/http/server/api-caller.ts'
import { ApiError, violation } from '../../platform/words/errors.ts'
import { newCheckBody } from '../definitions/checks/generic-routes.ts'
import type { CheckKind } from '../definitions/checks/types/check-kind.ts'
import { checkKinds } from '../definitions/checks/types/index.ts'
import { checkFromClient } from './client-payload.ts'
import { isAsWanted } from './is-as-wanted.ts'
import { type Links, type Resolve, resolveReferences, withLinks } from './references.ts'
import { type ResourceType, type ResourceTypeName, resourceTypes } from './resource-types.ts'
import type { Change, Deploy, ProjectResource } from './schema.ts'

export type Values = Record<string, unknown>

/** What is known of a resource before the deployment begins; `before`: null where it is gone. */
export type KnownResource = { physicalId: string; kind: string; before: Values | null }

export const keyOf = ({ type, logicalId }: { type: string; logicalId: string }): string =>
  `${type} ${logicalId}`

export type Deployment = {
  api: ApiCaller
  /** The app inside of the transaction. */
  app: App
  principal: AccountPrincipal
  deploy: Deploy
  links: Links
  known: ReadonlyMap<string, KnownResource>
  /** Channels that the project says something of; what a check subscribes to beside them stays. */
  ownChannels: ReadonlySet<string>
  ids: Map<string, string>
  slugs: Map<string, string>
  problems: Violation[]
  diff: Change[]
  /** For the audit log. */
  note(change: Noted): Promise<void>
}

export type Noted = { method: string; shape: string; id: string; before: Values | null; after: Values | null }

const typeOf = (type: string): ResourceType => resourceTypes[type as ResourceTypeName]

/** The address of one: that of its kind, and the id below. */
export const oneOf = (type: string, payload: Values = {}): string => {
  const { one, collection } = typeOf(type)
  return `${one ?? collection(payload)}/:`
}

export const idsOf = (physicalId: string): string[] => physicalId.split('/')

/** As its API and others say it. */
const shownId = (type: string, physicalId: string): string | number => {
  const last = idsOf(physicalId).at(-1) ?? ''
  return typeOf(type).isNumbered ? Number(last) : last
}

export const changeOf = (
  { type, logicalId }: { type: string; logicalId: string },
  physicalId: string,
  action: Change['action'],
): Change => ({ type, logicalId, physicalId: shownId(type, physicalId), action })

const resolverOf =
  ({ ids }: Pick<Deployment, 'ids'>): Resolve =>
  (type, logicalId) => {
    const id = ids.get(keyOf({ type, logicalId }))
    return id === undefined ? undefined : shownId(type, id)
  }

/** Somebody else's, which is only named: it has to be there. */
const nameOther = async (deployment: Deployment, resource: ProjectResource): Promise<void> => {
  const { api, app, principal, ids, slugs } = deployment
  const physicalId = String(resource.physicalId ?? '')
  const call = { method: 'GET' as const, shape: oneOf(resource.type), ids: idsOf(physicalId) }
  const found = (await api.call({ app, principal }, call)) as Values
  ids.set(keyOf(resource), physicalId)
  if (typeof found['slugName'] === 'string') slugs.set(physicalId, found['slugName'])
}

/** Its payload as the API takes it. */
const bodyOf = (
  deployment: Deployment,
  resource: ProjectResource,
): { body: Values; problems: Violation[] } => {
  const resolve = resolverOf(deployment)
  const { payload, problems } = resolveReferences(resource.payload, resolve)
  if (resource.type !== 'check' && resource.type !== 'check-group') return { body: payload, problems }
  const linked = deployment.links.get(keyOf(resource)) ?? []
  const slugOf = (id: unknown) => deployment.slugs.get(String(id))
  const whole = withLinks(payload, linked, slugOf, resolve)
  const found = [...problems, ...whole.problems]
  if (resource.type === 'check-group') return { body: whole.payload, problems: found }
  const { checkType } = whole.payload
  const kind: CheckKind | undefined = checkKinds[checkType as CheckType]
  const takes = (field: string) => kind === undefined || field in kind.fields
  const check = checkFromClient(whole.payload, deployment.deploy.sharedFiles ?? [], takes)
  return { body: check.payload, problems: [...found, ...check.problems] }
}

/** Subscriptions that the project says nothing of stay as they are. */
const withForeignSubscriptions = (body: Values, before: Values, own: ReadonlySet<string>): Values => {
  const wanted = body['alertChannelSubscriptions']
  const there = before['alertChannelSubscriptions']
  if (!Array.isArray(wanted) || !Array.isArray(there)) return body
  const foreign = there.filter(({ alertChannelId }) => !own.has(String(alertChannelId)))
  return { ...body, alertChannelSubscriptions: [...wanted, ...foreign] }
}

type Target = { resource: ProjectResource; body: Values; known: KnownResource | undefined }

const create = async (deployment: Deployment, { resource, body }: Target): Promise<string> => {
  const { api, app, principal } = deployment
  const type = typeOf(resource.type)
  const shape = type.collection(body)
  const { parent, own } = splitParent(type, body)
  const query = resource.type.startsWith('check') ? 'autoAssignAlerts=false' : ''
  const made = (await api.call(
    { app, principal },
    { method: 'POST', shape, ids: parent, query, body: own },
  )) as Values
  const id = [...parent, String(made['dashboardId'] ?? made['id'])].join('/')
  await deployment.note({ method: 'POST', shape, id, before: null, after: made })
  return id
}

const splitParent = ({ below }: ResourceType, body: Values): { parent: string[]; own: Values } => {
  if (below === undefined) return { parent: [], own: body }
  const { [below]: parent, ...own } = body
  return { parent: [String(parent)], own }
}

const change = async (
  deployment: Deployment,
  { resource, body, known }: Target & { known: KnownResource & { before: Values } },
): Promise<string> => {
  const { api, app, principal } = deployment
  const type = typeOf(resource.type)
  const { parent, own } = splitParent(type, body)
  const filled =
    resource.type === 'check'
      ? newCheckBody(app, structuredClone(own) as Parameters<typeof newCheckBody>[1])
      : (api.filled({ method: 'POST', shape: type.collection(body), ids: parent, body: own }) as Values)
  const wanted = withForeignSubscriptions(filled, known.before, deployment.ownChannels)
  const { before, physicalId } = known
  if (Object.entries(wanted).every(([name, value]) => isAsWanted(value, before[name]))) return physicalId
  const shape = resource.type === 'check-group' ? `${type.collection(body)}/:` : oneOf(resource.type, body)
  const call = { method: 'PUT' as const, shape, ids: idsOf(physicalId), body: wanted }
  const after = (await api.call({ app, principal }, call)) as Values
  await deployment.note({ method: 'PUT', shape, id: physicalId, before, after })
  return physicalId
}

export const remove = async (
  deployment: Deployment,
  resource: { type: string; logicalId: string },
  { physicalId, before }: KnownResource,
): Promise<void> => {
  if (before === null) return
  const { api, app, principal } = deployment
  const shape = oneOf(resource.type, before)
  await api.call({ app, principal }, { method: 'DELETE', shape, ids: idsOf(physicalId) })
  await deployment.note({ method: 'DELETE', shape, id: physicalId, before, after: null })
}

/** A check cannot change its type: it is another one then. */
const isAnotherType = ({ checkType }: Values, body: Values): boolean => checkType !== body['checkType']

const write = async (deployment: Deployment, target: Target): Promise<string> => {
  const { known, resource, body } = target
  if (known === undefined || known.before === null) return create(deployment, target)
  const { before } = known
  if (!isAnotherType(before, resource.type === 'check' ? body : before))
    return change(deployment, { ...target, known: { ...known, before } })
  await remove(deployment, resource, known)
  return create(deployment, target)
}

const named = (resource: ProjectResource, at: number, { path, rule, message }: Violation): Violation => ({
  path: `resources.${at}.payload.${path}`,
  rule,
  message: `${resource.type} "${resource.logicalId}": ${message}`,
})

const problemsIn = (error: ApiError): Violation[] => {
  const violations = error.attributes['violations']
  return Array.isArray(violations)
    ? (violations as Violation[])
    : [{ path: '', rule: 'api', message: error.message }]
}

/** What is wrong with it is noted, and others are looked at, too. @throws what is no mistake of its payload */
export const applyResource = async (
  deployment: Deployment,
  resource: ProjectResource,
  at: number,
): Promise<void> => {
  const { problems: all, known: everyKnown, ids, slugs, diff } = deployment
  try {
    if (!resource.member) return await nameOther(deployment, resource)
    const { body, problems } = bodyOf(deployment, resource)
    if (problems.length > 0) {
      all.push(...problems.map((one) => named(resource, at, one)))
      return
    }
    const known = everyKnown.get(keyOf(resource))
    const id = await write(deployment, { resource, body, known })
    ids.set(keyOf(resource), id)
    if (typeof body['slugName'] === 'string') slugs.set(id, body['slugName'])
    diff.push(changeOf(resource, id, known?.before ? 'UPDATE' : 'CREATE'))
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    if (![400, 404].includes(error.status))
      throw new ApiError(error.status, `${resource.type} "${resource.logicalId}": ${error.message}`, error)
    if (error.status === 404)
      all.push(named(resource, at, violation('physicalId', 'exists', 'names nothing that exists')))
    else all.push(...problemsIn(error).map((one) => named(resource, at, one)))
  }
}
