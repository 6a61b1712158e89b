import { statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'

type Connection = BetterSqlite.Database

/** What a file that is written anew is to have afterwards. `advise`: what its operator can do where it could not be done, and why. */
type FileRewrite = {
  isDone(connection: Connection): boolean
  rewrite(connection: Connection): void
  advise(file: string, why: string): string
}

/** Of the largest file that is rewritten, and of the wait for others that use it. */
export type RewriteLimits = { limitBytes?: number; busyMs?: number }

/** Seconds of work, and of room on the disk. A larger store is the operator's to choose a time for. */
const largestBytes = 512 * 1024 * 1024

/** Null: it is done. Else why not, and how to. */
export const rewriteFile = (
  file: string,
  { isDone, rewrite, advise }: FileRewrite,
  { limitBytes = largestBytes, busyMs = 10_000 }: RewriteLimits = {},
): string | null => {
  const connection = new BetterSqlite(file, { fileMustExist: true, timeout: busyMs })
  try {
    if (isDone(connection)) return null
    const { size } = statSync(file)
    if (size > limitBytes) return advise(file, `it has ${Math.round(size / 1024 / 1024)} MB`)
    rewrite(connection)
    connection.pragma('wal_checkpoint(truncate)')
    return null
  } catch (error) {
    if (!(error instanceof BetterSqlite.SqliteError)) throw error
    return advise(file, error.message)
  } finally {
    connection.close()
  }
}
