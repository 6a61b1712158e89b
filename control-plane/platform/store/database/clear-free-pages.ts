/**
 * Rows that are deleted or changed leave their bytes in the file until something else is written there. What older
 * versions stored in clear and a migration has sealed or masked since is taken out of such pages, too: once, by writing
 * the whole file anew. The header's user version says that it was done.
 */
import { type RewriteLimits, rewriteFile } from './rewrite-file.ts'

const cleared = 1

/** Null: nothing is left to do. Else why it could not be done, and how to. */
export const clearFreePages = (file: string, limits: RewriteLimits = {}): string | null =>
  rewriteFile(
    file,
    {
      isDone: (connection) => Number(connection.pragma('user_version', { simple: true })) >= cleared,
      rewrite: (connection) => {
        // Once for both (let-file-shrink.ts).
        connection.pragma('auto_vacuum = incremental')
        connection.exec('vacuum')
        connection.pragma(`user_version = ${cleared}`)
      },
      advise: adviceFor,
    },
    limits,
  )

const adviceFor = (file: string, why: string): string =>
  `Unused pages of the store may still hold addresses of webhooks in clear, and were not cleared (${why}). ` +
  `While nothing uses the store: sqlite3 '${file}' 'vacuum; pragma user_version = ${cleared}; pragma wal_checkpoint(truncate)'`
