/**
 * Whether another process works with the same file: by the kernel's locks on an empty file beside it, which end with the
 * process that holds them, however it ends. A server's sessions end only when it notices that their machine is gone, so nothing is
 * concluded from them.
 */
import BetterSqlite from 'better-sqlite3'

/** `isAlone` holds until `stay`: whoever comes meanwhile waits. */
export type Attendance = { isAlone: boolean; stay(): void; leave(): void }

/** Of a store that programs of several machines share. */
export const unknownAttendance: Attendance = {
  isAlone: false,
  stay: () => undefined,
  leave: () => undefined,
}

/** A start that finds itself alone is over sooner. */
const waitForStartMs = 5000

/** `file`: the store's. */
export const attend = (file: string): Attendance => {
  const lock = new BetterSqlite(`${file}-alive`)
  const isAlone = takeWhole(lock)
  return {
    isAlone,
    stay: () => {
      if (isAlone) lock.exec('rollback')
      lock.pragma(`busy_timeout = ${waitForStartMs}`)
      // A transaction that has read keeps its share of the lock until it ends.
      lock.exec('begin; select count(*) from sqlite_schema')
    },
    leave: () => void lock.close(),
  }
}

const takeWhole = (lock: BetterSqlite.Database): boolean => {
  lock.pragma('busy_timeout = 0')
  try {
    lock.exec('begin exclusive')
    return true
  } catch (error) {
    if (String((error as NodeJS.ErrnoException).code).startsWith('SQLITE_BUSY')) return false
    throw error
  }
}
