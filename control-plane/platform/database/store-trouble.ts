/**
 * Whether an error says that the store itself is in trouble, and not that a statement was wrong: `full` (nothing can be
 * written now) or `away` (it cannot be reached). Whoever asked may try the same again later.
 */
export type StoreTrouble = 'full' | 'away'

/** SQLite result codes (sqlite.org/rescode.html) and PostgreSQL's (appendix A): disk full, and I/O that failed for it. */
const full = new Set([
  'SQLITE_FULL',
  'SQLITE_IOERR_WRITE',
  'SQLITE_IOERR_FSYNC',
  'SQLITE_IOERR_SHMSIZE',
  '53100',
])

/** Connection exceptions (class 08), shutdowns and starts (57P), too many clients (53300), and the system's own. */
const away =
  /^(08\w{3}|57P0[1-5]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** What the driver of PostgreSQL says in words only. */
const cutOff =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect)/

export const storeTrouble = (error: unknown): StoreTrouble | null => {
  if (!(error instanceof Error)) return null
  const { code = '' } = error as NodeJS.ErrnoException
  if (full.has(code)) return 'full'
  if (away.test(code) || cutOff.test(error.message)) return 'away'
  return null
}
