import { sql } from 'kysely'
import type { Db } from './db.ts'
import { type Migration, migrations } from './migrations.ts'
import { query } from './query.ts'
import { UnusableStoreError } from './unusable-store-error.ts'

type MigrationState = {
  applied: string[]
  /** Known to this program and not applied. */
  pending: string[]
  /** Applied by a newer program. */
  unknown: string[]
}

/** The record is none of the tables that migrations make. */
const appliedMigrations = query('applied-migrations', (k, _: Record<string, never>) =>
  k.selectFrom(sql<{ id: string }>`migrations`.as('m')).select('m.id').orderBy('m.id'),
)

/** Looks only; a store without the record of migrations has none. */
export const migrationState = async (
  db: Db,
  known: readonly Migration[] = migrations,
): Promise<MigrationState> => {
  const rows = await db.all(appliedMigrations, {}).catch((error: unknown) => {
    if (isMissingTable(error)) return []
    throw error
  })
  const applied = rows.map(({ id }) => id)
  const ids = known.map(({ id }) => id)
  return {
    applied,
    pending: ids.filter((id) => !applied.includes(id)),
    unknown: applied.filter((id) => !ids.includes(id)),
  }
}

/** The first migration of every store that was made before the first release. */
export const isUnreleased = ({ applied }: Pick<MigrationState, 'applied'>): boolean =>
  applied.includes('0001-runs')

/** Stands among the migrations of a store that another one is moved into (admin/store-move/move-record.ts): to older programs a newer store. */
export const unfinishedMove = 'unfinished-store-move'

/** The way out is another program, or another store. */
class NewerStoreError extends UnusableStoreError {
  constructor(unknown: readonly string[]) {
    const named = `the migration${unknown.length > 1 ? 's' : ''} ${unknown.join(', ')}`
    super(
      `The store of DATABASE_URL was written by a newer version: it has ${named}, which this version does not know. Start that version, or restore a backup.`,
    )
    this.name = 'NewerStoreError'
  }
}

/** @throws UnusableStoreError */
export const refuseUnreleased = async (db: Db): Promise<void> => {
  if (isUnreleased(await migrationState(db)))
    throw new UnusableStoreError(
      'The store of DATABASE_URL was made by a version before the first release, which this version cannot read: start with an empty DATA_DIR (and on PostgreSQL an empty database), and export what you want to keep with the version that made it; nothing was changed.',
    )
}

/** `known`: in place of this program's own. `moving`: by the move itself. */
export type MigrateOptions = { known?: readonly Migration[]; moving?: boolean }

/** Columns that this program does not know would be left out of what it writes. @throws UnusableStoreError */
export const refuseOtherStore = async (
  db: Db,
  { known = migrations, moving = false }: MigrateOptions = {},
): Promise<void> => {
  await refuseUnreleased(db)
  const { unknown: all } = await migrationState(db, known)
  const unknown = all.filter((id) => id !== unfinishedMove)
  if (all.length > unknown.length && !moving)
    throw new UnusableStoreError(
      'The store of DATABASE_URL is only a part of one that is being moved into it: run the same `watchpost store move` again, until it has ended.',
    )
  if (unknown.length > 0) throw new NewerStoreError(unknown)
}

/** SQLite says it in words; PostgreSQL (appendix A) with 42P01. */
const isMissingTable = (error: unknown): boolean =>
  error instanceof Error &&
  (/no such table/.test(error.message) || ('code' in error && error.code === '42P01'))
