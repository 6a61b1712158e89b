import type { Database } from './db.ts'
import { enginesByScheme } from './engines.ts'
import type { PoolerMode } from './pooler.ts'
import { openPostgres } from './postgres.ts'
import { openSqlite } from './sqlite.ts'
import { type StatementWatch, unwatched } from './statement-watch.ts'

/**
 * Opens the store that `DATABASE_URL` names: `sqlite:/path/to/file` or `postgres://…` (also `postgresql://`).
 * The driver of each engine is imported only by its own file in this folder.
 */
export const openDatabase = (
  url: string,
  watch: StatementWatch = unwatched,
  pooler: PoolerMode | null = null,
): Database => {
  const file = sqliteFile(url)
  if (file !== null) return openSqlite(file, { watch })
  const [scheme = ''] = url.split(':')
  const engine = Object.hasOwn(enginesByScheme, scheme) ? enginesByScheme[scheme] : undefined
  if (engine?.name === 'postgres')
    return openPostgres(url.replace(scheme, 'postgres'), { watch, engine, pooler })
  throw new Error(`DATABASE_URL must begin with sqlite: or postgres://, not ${scheme}:`)
}

/** The file of a SQLite store; null for another engine. */
export const sqliteFile = (url: string): string | null =>
  url.startsWith('sqlite:') ? url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '') : null
