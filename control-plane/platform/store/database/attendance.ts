/**
 * Whether another process works with the same file: by the kernel's locks on an empty file beside it, which end with the
 * process that holds them, however it ends. A server's sessions end only when it notices that their machine is gone, so nothing is
 * concluded from them.
 */
import BetterSqlite from 'better-sqlite3'

/** What `isAlone` says holds until `stay`: whoever comes meanwhile waits there. One that has begun before there was this lock is not seen. */
export type Attendance = { isAlone(): boolean; stay(): void; leave(): void }

/** Of a store that programs of several machines share. */
export const unknownAttendance: Attendance = {
  isAlone: () => false,
  stay: () => undefined,
  leave: () => undefined,
}

/** Whoever is alone has two statements to run. */
const waitForStartMs = 5000

/** `file`: the store's. */
export const attend = (file: string): Attendance => {
  const lock = new BetterSqlite(`${file}-alive`)
  return {
    isAlone: () => takeWhole(lock),
    stay: () => {
      if (lock.inTransaction) lock.exec('rollback')
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
