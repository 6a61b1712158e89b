/**
 * Writing a check: the rules no schema can say, the row, and the schedule that follows from it, in one transaction.
 * A check without any location is kept and never due; it runs as soon as it gets one.
 */
import type { CheckType } from '../../protocol/check-type.ts'
import type { App } from '../app.ts'
import type { Db } from '../database/db.ts'
import type { ChecksTable } from '../database/tables/runs.ts'
import { requireVersion } from '../http/entity-tag.ts'
import { invalid, notFound, violation } from '../http/errors.ts'
import type { RunLocation } from '../runs/plan-slots.ts'
import { syncSchedule } from '../runs/schedule.ts'
import { resolveReferences } from './check-references.ts'
import { insertCheck, lockCheck, updateCheck } from './queries.ts'
import { offsetProblem, seedOf, slotsOf, spreadOffset } from './schedule-rules.ts'
import type { UrlMonitorDoc } from './schema.ts'

type CheckDoc = UrlMonitorDoc
/** A validated body of a creation: defaults are filled in, the offset may be left out. */
export type NewCheckDoc = Omit<CheckDoc, 'frequencyOffset'> & { frequencyOffset?: number }

type Saved = { row: ChecksTable; wake: string[] }

/** @throws ApiError 400 */
export const createCheck = (
  app: App,
  accountId: string,
  type: CheckType,
  given: NewCheckDoc,
): Promise<ChecksTable> => {
  const id = app.newId()
  const now = app.clock.now()
  return saved(app, async (trx) => {
    const doc = withOffset(given, seedOf(id))
    const locations = await requireValid(trx, accountId, doc)
    const row = { id, account_id: accountId, type, created_at: now, ...columnsOf(doc) }
    await trx.run(insertCheck, row)
    const wake = await schedule(trx, app, { ...row, type }, { doc, locations, now })
    return { row: { ...row, updated_at: null, version: 1 }, wake }
  })
}

type Change = {
  id: string
  accountId: string
  type: CheckType
  changes: Partial<CheckDoc>
  /** The `If-Match` header: the change is made only to the version the caller has seen. */
  ifMatch: string | undefined
}

/** Only what is sent changes. @throws ApiError 400, 404, 412 */
export const changeCheck = (
  app: App,
  { id, accountId, type, changes, ifMatch }: Change,
): Promise<ChecksTable> => {
  const now = app.clock.now()
  return saved(app, async (trx) => {
    const before = await trx.get(lockCheck, { id, accountId })
    if (!before || before.type !== type) throw notFound()
    requireVersion(ifMatch, before.version)
    const doc = withChanges(JSON.parse(before.doc) as CheckDoc, changes, seedOf(id))
    const locations = await requireValid(trx, accountId, doc)
    const row = { ...before, ...columnsOf(doc), updated_at: now, version: before.version + 1 }
    await trx.run(updateCheck, row)
    const wake = await schedule(trx, app, { ...row, type }, { doc, locations, now })
    return { row, wake }
  })
}

/** Agents are woken when what they are to find is on disk. */
const saved = async (app: App, work: (trx: Db) => Promise<Saved>): Promise<ChecksTable> => {
  const { row, wake } = await app.db.transaction(work)
  for (const location of wake) app.wakeups.wake(location)
  return row
}

const withOffset = (given: NewCheckDoc, seed: number): CheckDoc => ({
  ...given,
  frequencyOffset: given.frequencyOffset ?? spreadOffset(given.frequency, seed),
})

/** An offset that nobody chose for the new frequency is chosen anew. */
const withChanges = (before: CheckDoc, changes: Partial<CheckDoc>, seed: number): CheckDoc => {
  const merged = { ...before, ...changes }
  const keepsOffset = changes.frequencyOffset !== undefined || changes.frequency === undefined
  const fits = offsetProblem(merged.frequency, merged.frequencyOffset) === null
  return keepsOffset || fits ? merged : { ...merged, frequencyOffset: spreadOffset(merged.frequency, seed) }
}

const requireValid = async (trx: Db, accountId: string, doc: CheckDoc): Promise<RunLocation[]> => {
  const { locations, violations } = await resolveReferences(trx, accountId, doc)
  const problem = offsetProblem(doc.frequency, doc.frequencyOffset)
  const all = problem === null ? violations : [violation('frequencyOffset', 'range', problem), ...violations]
  if (all.length > 0) throw invalid(all)
  return locations
}

const columnsOf = (doc: CheckDoc) => ({
  name: doc.name,
  activated: doc.activated ? 1 : 0,
  group_id: doc.groupId,
  doc: JSON.stringify({ ...doc, checkType: undefined }),
})

type Planned = { doc: CheckDoc; locations: RunLocation[]; now: number }

const schedule = (
  trx: Db,
  app: App,
  row: { id: string; account_id: string; type: CheckType },
  { doc, locations, now }: Planned,
): Promise<string[]> =>
  syncSchedule(
    trx,
    {
      id: row.id,
      accountId: row.account_id,
      type: row.type,
      activated: doc.activated,
      ...slotsOf({ frequency: doc.frequency, offset: doc.frequencyOffset, seed: seedOf(row.id) }),
      locations,
      parallel: doc.runParallel,
      runtimeId: null,
    },
    { now, newId: app.newId },
  )
