/**
 * A SQLite file gives unused pages back only if it was told so before its first table, or is written anew. Older versions
 * did not: a store of a size that takes seconds is written anew at a start, a larger one when its operator chooses.
 */
import { statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'

const largestBytes = 512 * 1024 * 1024
const incremental = 2

/** Null: the file can shrink. Else why not, and how to. */
export const letFileShrink = (
  file: string,
  { limitBytes = largestBytes, busyMs = 10_000 } = {},
): string | null => {
  const connection = new BetterSqlite(file, { fileMustExist: true, timeout: busyMs })
  try {
    if (Number(connection.pragma('auto_vacuum', { simple: true })) === incremental) return null
    const { size } = statSync(file)
    if (size > limitBytes) return adviceFor(file, `it has ${Math.round(size / 1024 / 1024)} MB`)
    connection.pragma('auto_vacuum = incremental')
    connection.exec('vacuum')
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
  `What retention removes is used again, but the file of the store does not shrink: it was made by an older version, and was not written anew (${why}). ` +
  `While nothing uses the store: sqlite3 '${file}' 'pragma auto_vacuum = incremental; vacuum; pragma wal_checkpoint(truncate)'`
