import { NoPrimaryError } from './primary-search.ts'

/**
 * Why a program cannot work with its store, as one sentence that names the store and the way out. An operator can act on it:
 * shown without a stack.
 */
export class UnusableStoreError extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, cause === undefined ? {} : { cause })
    this.name = 'UnusableStoreError'
  }
}

/** By the beginning of SQLite's result codes. */
const ofFiles: readonly [start: string, sentence: (file: string) => string][] = [
  ['SQLITE_NOTADB', (file) => `${file} is not a SQLite file, or is damaged at its very start: ${restore}`],
  ['SQLITE_CORRUPT', (file) => `${file} is damaged: stop every program that uses it, then ${restore}`],
  [
    'SQLITE_CANTOPEN',
    (file) => `${file} cannot be opened: look at its owner, its mode and those of its folder`,
  ],
  [
    'SQLITE_READONLY',
    (file) => `${file} cannot be written: look at its owner and mode, and how its volume is mounted`,
  ],
  [
    'SQLITE_BUSY',
    (file) => `${file} is held by another program (a second control plane, a shell): end that one`,
  ],
  [
    'SQLITE_FULL',
    (file) => `${file} cannot be written, its volume is full: make room, or move DATA_DIR to a larger one`,
  ],
  [
    'SQLITE_IOERR',
    (file) => `${file} cannot be read or written, its disk fails: look at the system's log, or ${restore}`,
  ],
]

const restore = 'restore the last backup with `watchpost restore` (docs/decisions/store.md says how)'

/** By PostgreSQL's codes (appendix A) and the system's. */
const ofServers: readonly [code: RegExp, sentence: (server: string) => string][] = [
  [
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ECONNRESET|57P03|53300)$/,
    (server) =>
      `The database of DATABASE_URL (${server}) cannot be reached: start it, or correct the address`,
  ],
  [
    /^28/,
    (server) => `The database of DATABASE_URL (${server}) does not accept its user or password: correct them`,
  ],
  [/^3D000$/, (server) => `The database of DATABASE_URL (${server}) does not exist: create it`],
  [
    /^(42501|25006)$/,
    (server) =>
      `The user of DATABASE_URL may not write into ${server}: give it the rights, or name the primary`,
  ],
]

/** The problem that an error of a store at its start is; null for an error that is none of these. */
export const unusableStoreError = (error: unknown, url: string): UnusableStoreError | null => {
  if (error instanceof UnusableStoreError) return error
  if (!(error instanceof Error)) return null
  if (error instanceof NoPrimaryError)
    return new UnusableStoreError(
      `No server of DATABASE_URL (${serverOf(url)}) takes writes: start one, or have a standby promoted (${reasonsOf(error)}).`,
      error,
    )
  const code = String((error as NodeJS.ErrnoException).code ?? '')
  const sentence = url.startsWith('sqlite:')
    ? ofFiles.find(([start]) => code.startsWith(start))?.[1](url.slice('sqlite:'.length))
    : ofServers.find(([pattern]) => pattern.test(code))?.[1](serverOf(url))
  return sentence === undefined
    ? null
    : new UnusableStoreError(`${sentence} (${error.message || code}).`, error)
}

const reasonsOf = ({ cause }: NoPrimaryError): string =>
  cause instanceof AggregateError
    ? cause.errors.map((error) => `${error.cause ?? (error.message || error.code)}`).join('; ')
    : String(cause)

/** Without user and password: an address with several hosts is no URL. */
const serverOf = (url: string): string => /^[^:]+:\/\/(?:[^@/?#]*@)?([^?#]*)/.exec(url)?.[1] ?? 'its server'
