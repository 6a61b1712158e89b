/**
 * Rows that are deleted or changed leave their bytes in the file until something else is written there. What older
 * versions stored in clear and a migration has sealed or masked since is taken out of such pages, too: once, by writing
 * the whole file anew. The header's user version says that it was done.
 */
import { statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'

/** Seconds of work, and of room on the disk. A larger store is the operator's to choose a time for. */
const largestBytes = 512 * 1024 * 1024
const cleared = 1

/** Null: nothing is left to do. Else why it could not be done, and how to. */
export const clearFreePages = (
  file: string,
  { limitBytes = largestBytes, busyMs = 10_000 } = {},
): string | null => {
  const connection = new BetterSqlite(file, { fileMustExist: true, timeout: busyMs })
  try {
    if (Number(connection.pragma('user_version', { simple: true })) >= cleared) return null
    const { size } = statSync(file)
    if (size > limitBytes) return adviceFor(file, `it has ${Math.round(size / 1024 / 1024)} MB`)
    // Once for both (let-file-shrink.ts).
    connection.pragma('auto_vacuum = incremental')
    connection.exec('vacuum')
    connection.pragma(`user_version = ${cleared}`)
    connection.pragma('wal_checkpoint(truncate)')
    return null
  } catch (error) {
    if (!(error instanceof BetterSqlite.SqliteError)) throw error
    return adviceFor(file, error.message)
  } finally {
    connection.close()
  }
}

const adviceFor = (file: string, why: string): string =>
  `Unused pages of the store may still hold addresses of webhooks in clear, and were not cleared (${why}). ` +
  `While nothing uses the store: sqlite3 '${file}' 'vacuum; pragma user_version = ${cleared}; pragma wal_checkpoint(truncate)'`
