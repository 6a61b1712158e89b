/**
 * What an error of the store says: that the store itself fails, so that whoever asked may try the same again later,
 * or that the values of a statement are at fault, so that it would fail the same way for ever. Pure.
 *
 * `full`: nothing can be written now; `away`: it cannot be reached; `busy`: somebody else holds what is needed; `broken`: it
 * is there and cannot be used (read-only, damaged, without memory, its disk fails).
 */
export type StoreErrorKind = 'full' | 'away' | 'busy' | 'broken'

/** SQLite's result codes (sqlite.org/rescode.html), PostgreSQL's (appendix A), and the system's own; the first that fits. */
const codes: readonly [StoreErrorKind, RegExp][] = [
  // A disk that is full also fails in these ways.
  ['full', /^(SQLITE_FULL|SQLITE_IOERR_(WRITE|FSYNC|SHMSIZE)|53100)$/],
  // Classes 40 (conflicts) and 55P03, 57014, 25P03, 25P04: somebody held it for longer than we wait.
  ['busy', /^(SQLITE_(BUSY|LOCKED)(_\w+)?|40\w{3}|55P03|57014|25P0[34])$/],
  // Class 08 (connections), 57P (shutdowns and starts), 53300 (too many clients).
  [
    'away',
    /^(08\w{3}|57P0[1-5]|53300|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/,
  ],
  // 25006 (read-only), 53 (resources), 58 (the system), XX00 (damage).
  [
    'broken',
    /^(SQLITE_(CANTOPEN|IOERR|READONLY|CORRUPT|NOTADB|NOMEM|PROTOCOL)(_\w+)?|25006|53\w{3}|58\w{3}|XX00[0-2])$/,
  ],
]

/** What the driver of PostgreSQL says in words only. */
const cutOff =
  /^(Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Client was closed|The store does not answer|No server of DATABASE_URL takes writes)/

export const storeErrorKind = (error: unknown): StoreErrorKind | null => {
  if (!(error instanceof Error)) return null
  const code = codeOf(error)
  return codes.find(([, pattern]) => pattern.test(code))?.[0] ?? (cutOff.test(error.message) ? 'away' : null)
}

/** Nothing has come from it for longer than people wait. */
export const storeSilence = (): Error => new Error('The store does not answer')

/** Classes 22 (data), 23 (constraints) and 54 (limits) of PostgreSQL, and what SQLite says of the same. */
const dataErrors = /^(SQLITE_(CONSTRAINT|TOOBIG|MISMATCH|RANGE)(_\w+)?|22\w{3}|23\w{3}|54\w{3})$/

/** Whether the values of a statement are at fault, whoever runs it and whenever. */
export const isDataError = (error: unknown): boolean =>
  error instanceof Error && dataErrors.test(codeOf(error))

/** Somebody else held a row for longer than we wait. */
export const isLockTimeout = (error: unknown): boolean => error instanceof Error && codeOf(error) === '55P03'

const codeOf = (error: Error): string => String((error as NodeJS.ErrnoException).code ?? '')
