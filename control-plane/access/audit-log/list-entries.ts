/** What the API and the page show of the log. */
import { type Static, Type } from 'typebox'
import type { App } from '../../platform/app/app.ts'
import type { AuditEntriesTable } from '../../platform/store/database/tables/sign-in.ts'
import { auditFields } from '../../platform/web/audit/shown-change.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import { cursorPage, cursorParameters, pageOf, positionOf } from '../../platform/words/shapes/cursor.ts'
import { DateOrDateTime, DateTime, readInstant, toIso } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { auditEntries } from './queries.ts'

const Fields = nullable(Type.Record(Type.String(), Type.Unknown()))

export const AuditEntry = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    created_at: DateTime,
    actor: Type.Object({
      type: Type.Enum(['SESSION', 'USER_KEY', 'SERVICE_KEY'], {
        description: 'A browser, or the key of a user or a service',
      }),
      id: Type.String({ description: 'Of the user, or of the key of a service' }),
      name: Type.String(),
    }),
    address: Type.String({ description: 'Where the request came from' }),
    action: Type.String({ description: 'The operation, or SIGNED_IN' }),
    resourceType: Type.String(),
    resourceId: nullable(Type.String()),
    resourceName: nullable(Type.String(), { description: 'What it was called then' }),
    before: Fields,
    after: Fields,
  },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>

export const AuditPage = pageOf(AuditEntry, 'AuditLog')
export type AuditPage = Static<typeof AuditPage>

const Filter = Type.Optional(Type.String({ minLength: 1, maxLength: 200 }))

export const AuditQuery = Type.Object(
  {
    ...cursorParameters,
    actorId: Filter,
    resourceType: Filter,
    resourceId: Filter,
    from: Type.Optional(DateOrDateTime),
    to: Type.Optional(DateOrDateTime),
  },
  { additionalProperties: false },
)
export type AuditQuery = Static<typeof AuditQuery>

const present = (row: AuditEntriesTable): AuditEntry => ({
  id: row.id,
  created_at: toIso(row.created_at),
  actor: { type: row.actor_kind as AuditEntry['actor']['type'], id: row.actor_id, name: row.actor_name },
  address: row.address,
  action: row.action,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  resourceName: row.resource_name,
  before: row.before === null ? null : auditFields.read(row.before),
  after: row.after === null ? null : auditFields.read(row.after),
})

const instantOf = (name: string, text: string | undefined): number | undefined => {
  const at = text === undefined ? undefined : readInstant(text)
  if (at === null) throw invalid([violation(name, 'instant', 'is not a moment')])
  return at
}

/** @throws ApiError 400 */
export const listAudit = async (app: App, accountId: string, query: AuditQuery): Promise<AuditPage> => {
  const { limit, nextId, actorId, resourceType, resourceId } = query
  const filter = { actorId, resourceType, resourceId }
  const window = { from: instantOf('from', query.from), to: instantOf('to', query.to) }
  const before = positionOf(nextId)
  const found = await auditEntries(app.db, { accountId, ...filter, ...window, before, limit: limit + 1 })
  const page = cursorPage(found, limit)
  return { length: page.rows.length, entries: page.rows.map(present), nextId: page.nextId }
}
