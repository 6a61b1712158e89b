/** A store for one program alone: what it reads is not changed meanwhile, and what it misses is nowhere. */
import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import type { Database } from '../../platform/store/database/db.ts'
import { openDatabase, sqliteFile } from '../../platform/store/database/open.ts'
import { openPostgres } from '../../platform/store/database/postgres.ts'
import { change, selectRows } from '../../platform/store/database/raw-sql.ts'
import { openSqlite } from '../../platform/store/database/sqlite.ts'

/** Why a store is not for us alone: an operator can act on it. */
export class StoreInUse extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StoreInUse'
  }
}

/** Known to the server by this name, so that our own connections are told from others. */
const programName = 'watchpost-store-move'

const session = { application_name: programName, idle_in_transaction_session_timeout: '0' }

/** @throws StoreInUse when another process has the file open */
export const openForMove = (url: string): Database => {
  const file = sqliteFile(url)
  if (file !== null) return openFileAlone(file)
  return url.startsWith('postgres') ? openPostgres(url, { session }) : openDatabase(url)
}

const openFileAlone = (file: string): Database => {
  const isNew = !existsSync(file)
  try {
    return openSqlite(file, { alone: true })
  } catch (error) {
    if (!isNew && String((error as NodeJS.ErrnoException).code).startsWith('SQLITE_BUSY'))
      throw new StoreInUse(`${file} is in use: stop the control plane (and whatever else has it open) first`)
    throw error
  }
}

const requireNobodyElse = async (db: Database): Promise<void> => {
  const others = await selectRows<{ program: string }>(
    db,
    sql`select coalesce(nullif(application_name, ''), 'no name')::text as program from pg_stat_activity
      where datname = current_database() and usesysid is not null and application_name <> ${programName}`,
  )
  if (others.length > 0)
    throw new StoreInUse(
      `the database has ${others.length} other connections (${[...new Set(others.map(({ program }) => program))].join(', ')}): stop every control plane (and whatever else is connected) first`,
    )
}

/**
 * Until it is let go no control plane starts on the server's store: a start writes its migrations, which waits for this lock
 * and fails in a few seconds. A file is ours alone already. @throws StoreInUse when somebody is there
 */
export const refuseOthers = async (db: Database, url: string): Promise<() => Promise<void>> => {
  if (!db.engine.shared) return async () => undefined
  const lock = openPostgres(url, { poolSize: 1, session })
  const locked = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const held = lock.transaction(async (trx) => {
    await change(trx, sql`lock table migrations in share row exclusive mode`)
    locked.resolve()
    await released.promise
  })
  held.catch(locked.reject)
  const letGo = async (): Promise<void> => {
    released.resolve()
    await held.finally(() => lock.close())
  }
  try {
    await locked.promise
    await requireNobodyElse(db)
    return letGo
  } catch (error) {
    await letGo().catch(() => undefined)
    throw error
  }
}
