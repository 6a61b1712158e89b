/**
 * A SQLite file gives unused pages back only if it was told so before its first table, or is written anew. Older versions
 * did not: a store of a size that takes seconds is written anew at a start, a larger one when its operator chooses.
 */
import { type RewriteLimits, rewriteFile } from './rewrite-file.ts'

const incremental = 2

/** Null: the file can shrink. Else why not, and how to. */
export const letFileShrink = (file: string, limits: RewriteLimits = {}): string | null =>
  rewriteFile(
    file,
    {
      isDone: (connection) => Number(connection.pragma('auto_vacuum', { simple: true })) === incremental,
      rewrite: (connection) => {
        connection.pragma('auto_vacuum = incremental')
        connection.exec('vacuum')
      },
      advise: adviceFor,
    },
    limits,
  )

const adviceFor = (file: string, why: string): string =>
  `What retention removes is used again, but the file of the store does not shrink: it was made by an older version, and was not written anew (${why}). ` +
  `While nothing uses the store: sqlite3 '${file}' 'pragma auto_vacuum = incremental; vacuum; pragma wal_checkpoint(truncate)'`
