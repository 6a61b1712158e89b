/**
 * Changes of one project's files, each by the API's own route and in its order:
 *   1. every key that is to make something is written without a resource, all in one transaction: what is cut off is known;
 *   2. each change is made in the transaction of its route, and what fails is told beside what was done;
 *   3. the keys are given what they made, in one transaction.
 * What dies between 2 and 3 leaves a key without a resource: whoever applies next finds the resource and adopts it.
 */
import type { App } from '../platform/app/app.ts'
import type { HasCipher } from '../platform/services/secrets/cipher.ts'
import type { Db } from '../platform/store/database/db.ts'
import type { HasAudit } from '../platform/web/audit/audit-scope.ts'
import type { ApiCaller, Caller } from '../platform/web/http/server/api-caller.ts'
import { ApiError, invalid, violation } from '../platform/words/errors.ts'
import { type KindName, kinds, queryOf } from './kinds.ts'
import { countKeys, deleteKey, insertKey, ownerOfResource, writeKey } from './queries.ts'
import { type Change, type Changed, maxKeysOfAccount, maxKeysOfProject } from './schema.ts'

type AppliedWith = App & HasAudit & HasCipher

type Given = {
  app: AppliedWith
  input: NonNullable<Caller['request']> & Pick<Caller, 'principal'>
  project: string
  changes: readonly Change[]
  api: ApiCaller
}

type Of = { accountId: string; project: string }

/** Of what a file says of a resource, in its own place only. */
export const signedText = (
  { accountId, project }: Of,
  { kind, key, digest }: Record<'kind' | 'key' | 'digest', string>,
) => [accountId, project, kind, key, digest].join(' ')
export const signaturePurpose = 'digests of files'

export const applyChanges = async (given: Given): Promise<Changed[]> => {
  const { app, input, project, changes } = given
  const of = { accountId: input.principal.accountId, project }
  refuseRepeated(changes)
  const taken = await begin(app, of, changes)
  const results: Changed[] = []
  const written: Written[] = []
  const { signal } = input
  for (const change of changes) {
    if (signal.aborted) break
    if (taken.has(nameOf(change))) results.push(refused(change, takenKey()).changed)
    else {
      const made = await make(given, change)
      results.push(made.changed)
      written.push(made)
    }
  }
  const left = changes.slice(results.length).filter((change) => !taken.has(nameOf(change)))
  await end(app, of, { written, left })
  return results
}

const nameOf = ({ kind, key }: Pick<Change, 'kind' | 'key'>): string => `${kind}.${key}`

const refuseRepeated = (changes: readonly Change[]): void => {
  const names = changes.map(nameOf)
  const problems = names.flatMap((name, at) =>
    names.indexOf(name) < at
      ? [violation(`changes[${at}].key`, 'unique', `changes ${name} a second time`)]
      : [],
  )
  if (problems.length > 0) throw invalid(problems)
}

const takenKey = () =>
  new ApiError(409, 'This key has a resource already, or another apply makes it just now')

/** Keys that are to make something, or to have something: those that are there already. @throws ApiError 409 */
const begin = async (app: AppliedWith, of: Of, changes: readonly Change[]): Promise<Set<string>> => {
  const making = changes.filter(({ action }) => action === 'create')
  if (making.length === 0) return new Set()
  const now = app.clock.now()
  return app.db.transaction(async (trx) => {
    const { ofAccount, ofProject } = await countKeys(trx, of)
    if (ofProject + making.length > maxKeysOfProject)
      throw new ApiError(409, `A project has at most ${maxKeysOfProject} keys`)
    if (ofAccount + making.length > maxKeysOfAccount)
      throw new ApiError(409, `An account has at most ${maxKeysOfAccount} keys of files`)
    const taken = new Set<string>()
    for (const { kind, key } of making) {
      const row = { account_id: of.accountId, project: of.project, kind, key, resource_id: null }
      const count = await trx.run(insertKey, {
        ...row,
        signature: '',
        resource_updated_at: null,
        begun_at: now,
      })
      if (count === 0) taken.add(nameOf({ kind, key }))
    }
    return taken
  })
}

type Written = { change: Change; changed: Changed; updatedAt: string | null }

const refused = (change: Change, { status, message, attributes }: ApiError): Written => ({
  change,
  changed: {
    ...{ kind: change.kind, key: change.key, action: change.action, id: null, warnings: [] },
    error: { statusCode: status, message, attributes },
  },
  updatedAt: null,
})

/** @throws whatever is nobody's mistake: what was made until then is adopted by the next apply */
const make = async (given: Given, change: Change): Promise<Written> => {
  try {
    const answer = await ask(given, change)
    const { kind, key, action } = change
    const id = 'id' in change ? change.id : String(answer[kind === 'variable' ? 'key' : 'id'])
    const updatedAt = answer['updated_at'] ?? answer['created_at'] ?? null
    return {
      change,
      changed: { kind, key, action, id, error: null, warnings: warningsOf(answer) },
      updatedAt: updatedAt === null ? null : String(updatedAt),
    }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return refused(change, error)
    throw error
  }
}

const warningsOf = ({ warnings }: Record<string, unknown>): string[] =>
  Array.isArray(warnings)
    ? warnings.map((warning) => String((warning as { message?: unknown }).message ?? ''))
    : []

type Answer = Record<string, unknown>

const ask = async ({ app, input, api, project }: Given, change: Change): Promise<Answer> => {
  if (change.action === 'forget') return {}
  const { principal } = input
  const kind = change.kind as KindName
  const { path, one } = kinds[kind]
  const call = async (method: 'POST' | 'PUT' | 'DELETE', id?: string, body?: unknown): Promise<Answer> => {
    const caller = { app, principal, request: input, entry: app.audit.current() }
    const query = method === 'DELETE' ? '' : queryOf(kind)
    const of = id === undefined ? { shape: path } : { shape: one, ids: [id] }
    return ((await api.call(caller, { method, ...of, query, body })) ?? {}) as Answer
  }
  if (change.action === 'create') {
    const { alertChannelSubscriptions: said } = change.body
    const made = await call('POST', undefined, change.body)
    if (!Array.isArray(said) || isSubscribed(made, said.length)) return made
    return call('PUT', String(made['id']), { alertChannelSubscriptions: said })
  }
  if (change.action === 'update') return call('PUT', change.id, change.body)
  await requireUnowned(app.db, { accountId: principal.accountId, project }, change)
  if (change.action === 'adopt') return {}
  try {
    return await call('DELETE', change.id)
  } catch (error) {
    // Somebody else has deleted it: that is what was asked for.
    if (error instanceof ApiError && error.status === 404) return {}
    throw error
  }
}

/** Channels may have subscribed it by themselves: where the file says who is told, it is they and nobody else. */
const isSubscribed = (
  { alertChannelSubscriptions: shown }: Record<string, unknown>,
  count: number,
): boolean => !Array.isArray(shown) || shown.length === count

/** A resource is the work of one key. @throws ApiError 409 */
const requireUnowned = async (
  db: Db,
  of: Of,
  { kind, key, id }: { kind: string; key: string; id: string },
) => {
  const owner = await db.get(ownerOfResource, { accountId: of.accountId, kind, resourceId: id })
  if (owner !== undefined && (owner.project !== of.project || owner.key !== key))
    throw new ApiError(409, `It was made by the key ${owner.key} of the project ${owner.project}`)
}

type Ended = { written: readonly Written[]; left: readonly Change[] }

const end = async (app: AppliedWith, of: Of, { written, left }: Ended): Promise<void> => {
  const unmade = left.filter(({ action }) => action === 'create')
  if (written.length + unmade.length === 0) return
  await app.db.transaction(async (trx) => {
    for (const one of written) await endOne(app, trx, { of, ...one })
    for (const { kind, key } of unmade) await trx.run(deleteKey, { ...of, kind, key })
  })
}

const endOne = async (
  app: AppliedWith,
  trx: Db,
  { of, change, changed, updatedAt }: Written & { of: Of },
): Promise<void> => {
  const { kind, key, action } = change
  const one = { ...of, kind, key }
  if (changed.error !== null) {
    if (action === 'create') await trx.run(deleteKey, one)
    return
  }
  if (action === 'delete' || action === 'forget') await trx.run(deleteKey, one)
  else if (action === 'adopt') {
    const row = { account_id: of.accountId, project: of.project, kind, key, resource_id: changed.id }
    const fresh = { ...row, signature: '', resource_updated_at: null, begun_at: app.clock.now() }
    if ((await trx.run(insertKey, fresh)) === 0)
      await trx.run(writeKey, { ...one, resource_id: changed.id, signature: '', resource_updated_at: null })
  } else {
    const signature = app.cipher.sign(signedText(of, change), signaturePurpose).toString('base64url')
    await trx.run(writeKey, { ...one, resource_id: changed.id, signature, resource_updated_at: updatedAt })
  }
}
