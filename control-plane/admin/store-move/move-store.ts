/**
 * A whole store into an empty one, of any engine into any other: its schema by the migrations, its rows in pieces, then every
 * row of both read again and compared. Until that is well the target is no store (move-record.ts). The source is not changed.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { migrationState, unfinishedMove } from '../../platform/store/database/applied-migrations.ts'
import type { Database, Db } from '../../platform/store/database/db.ts'
import { migrate } from '../../platform/store/database/migrate.ts'
import { change, selectRows } from '../../platform/store/database/raw-sql.ts'
import { beginRecord, endRecord, sourceOfRecord } from './move-record.ts'
import {
  copyTable,
  countRows,
  type MendedTexts,
  type SharedTable,
  sharedTables,
  sumTable,
} from './move-rows.ts'
import { checksumOf } from './portable-row.ts'
import { describePeriods, endedTables, makeSamePeriods } from './same-periods.ts'
import { tableShapes } from './table-shapes.ts'

type MoveStep = 'copy' | 'compare'
/** `rows`: done by now, of `total`. */
export type MoveProgress = { step: MoveStep; table: string; rows: number; total: number }

type MovedTable = { name: string; rows: number; checksum: string }
export type MovedStore = { tables: MovedTable[]; mended: MendedTexts; resumed: boolean }

/** The operator can act on it. */
export class MoveRefused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'MoveRefused'
  }
}

type Move = { source: Database; target: Database; now: number; tell(progress: MoveProgress): void }

/** `source` is of this version's schema. @throws MoveRefused */
export const moveStore = async ({ source, target, now, tell }: Move): Promise<MovedStore> => {
  const resumed = await claimTarget(target, { source: await identityOf(source), now })
  await migrate(target, now, { moving: true })
  await makeSamePeriods(source, target)
  const shared = await sharedTables(source, target, await endedTables(source))
  const totals = new Map<string, number>()
  for (const table of shared) totals.set(table.source.name, await countRows(source, table.source))
  const tellOf = (step: MoveStep) => (table: string, rows: number) =>
    tell({ step, table, rows, total: totals.get(table) ?? 0 })
  const mended: MendedTexts = new Map()
  for (const table of shared) await copyTable(table, { source, target, mended, tell: tellOf('copy') })
  const tables: MovedTable[] = []
  for (const table of shared)
    tables.push(await compareTable(table, { source, target, tell: tellOf('compare') }))
  await describePeriods(target)
  await endRecord(target)
  await learnStatistics(target)
  return { tables, mended, resumed }
}

/** True when a move of this very store had begun there. */
const claimTarget = async (
  target: Database,
  { source, now }: { source: string; now: number },
): Promise<boolean> => {
  const { unknown, applied } = await migrationState(target)
  if (unknown.includes(unfinishedMove)) {
    if ((await sourceOfRecord(target)) === source) return true
    throw new MoveRefused(
      'the target is a part of another store that is being moved into it: name an empty one',
    )
  }
  if (applied.length + unknown.length > 0)
    throw new MoveRefused('the target holds a store: name an empty one')
  const [foreign] = await tableShapes(target)
  if (foreign !== undefined && foreign.name !== 'migrations')
    throw new MoveRefused(`the target holds tables of something else (${foreign.name}): name an empty one`)
  await beginRecord(target, source, now)
  return false
}

/** By its accounts: two stores with the same ones are the same. */
const identityOf = async (source: Db): Promise<string> => {
  const rows = await selectRows<{ id: string; created_at: number }>(
    source,
    sql`select id, created_at from accounts`,
  )
  const told = rows.map(({ id, created_at: at }) => `${id} ${at}`).sort()
  return createHash('sha256').update(told.join('\n')).digest('hex').slice(0, 32)
}

type Comparison = { source: Db; target: Db; tell(table: string, rows: number): void }

const compareTable = async (
  table: SharedTable,
  { source, target, tell }: Comparison,
): Promise<MovedTable> => {
  const mends = target.engine.roundTrips
  const before = await sumTable(source, table.source, { mends, tell: () => undefined })
  const after = await sumTable(target, table.target, { mends: false, tell })
  if (before.rows !== after.rows || checksumOf(before) !== checksumOf(after))
    throw new MoveRefused(
      `${table.source.name} differs: ${before.rows} rows with the checksum ${checksumOf(before)} became ${after.rows} with ${checksumOf(after)}. ` +
        'One of the two was changed meanwhile. Nothing is lost: empty the target (drop and create its database, or remove its file) and run this again',
    )
  return { name: table.source.name, rows: after.rows, checksum: checksumOf(after) }
}

/** PostgreSQL plans by them, and would learn them by itself only some minutes later. */
const learnStatistics = async (target: Database): Promise<void> => {
  if (target.engine.estimatesByColumn)
    await target.transaction((trx) => change(trx, sql`analyze`), { unhurried: true })
}
