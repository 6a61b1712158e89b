/**
 * A SQLite store as one file, taken while it is in use, and back. Besides the store the file says when and by what it
 * was made, and may carry files of the data folder.
 */
import BetterSqlite, { type Database as Connection } from 'better-sqlite3'

export type CarriedFile = { name: string; content: string }
type Manifest = { made_at: number; version: string }

const wholeStore = 0x7fffffff
const busyMs = 500

/** One step: a consistent snapshot that waits for nobody and that nobody waits for. */
export const backupSqlite = async (
  source: string,
  target: string,
  { manifest, files }: { manifest: Manifest; files: readonly CarriedFile[] },
): Promise<void> => {
  const from = new BetterSqlite(source, { readonly: true, fileMustExist: true, timeout: 10_000 })
  try {
    await from.backup(target, { progress: () => wholeStore })
  } finally {
    from.close()
  }
  withConnection(target, (connection) => {
    // A backup of a WAL store is one file only in another mode.
    connection.pragma('journal_mode = DELETE')
    connection.pragma('synchronous = FULL')
    connection.transaction(() => {
      connection.exec('create table backup_manifest (made_at integer not null, version text not null)')
      connection.exec('create table backup_files (name text primary key, content text not null)')
      connection.prepare('insert into backup_manifest values (?, ?)').run(manifest.made_at, manifest.version)
      const add = connection.prepare('insert into backup_files values (?, ?)')
      for (const { name, content } of files) add.run(name, content)
    })()
    requireIntact(connection, target)
  })
}

export type OpenedBackup = { manifest: Manifest; files: CarriedFile[] }

/** Turns a copy of a backup into a store, and returns what it carried. @throws Error when it is damaged or none */
export const unpackBackup = (file: string): OpenedBackup =>
  withConnection(file, (connection) => {
    requireIntact(connection, file)
    const isBackup = connection.prepare("select 1 from sqlite_master where name = 'backup_manifest'").get()
    if (!isBackup) throw new Error(`${file} is a SQLite file, but not a backup`)
    const manifest = connection.prepare('select made_at, version from backup_manifest').get() as Manifest
    const files = connection.prepare('select name, content from backup_files').all() as CarriedFile[]
    // Dropped pages would keep the keys: they are overwritten.
    connection.pragma('secure_delete = ON')
    connection.exec('drop table backup_files; drop table backup_manifest')
    return { manifest, files }
  })

/** Whether any process has the store open: changing the mode needs it alone. */
export const isInUse = (file: string): boolean => {
  try {
    withConnection(file, (connection) => connection.pragma('journal_mode = DELETE'))
    return false
  } catch (error) {
    if (error instanceof BetterSqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true
    throw error
  }
}

/** What SQLite finds wrong; empty when nothing is. */
export const sqliteErrors = (file: string): string[] => {
  const connection = new BetterSqlite(file, { readonly: true, fileMustExist: true, timeout: busyMs })
  try {
    return problemsOf(connection)
  } finally {
    connection.close()
  }
}

const problemsOf = (connection: Connection): string[] =>
  (connection.pragma('integrity_check') as Array<{ integrity_check: string }>)
    .map(({ integrity_check: line }) => line)
    .filter((line) => line !== 'ok')

const requireIntact = (connection: Connection, file: string): void => {
  const [problem] = problemsOf(connection)
  if (problem !== undefined) throw new Error(`${file} is damaged: ${problem}`)
}

const withConnection = <T>(file: string, work: (connection: Connection) => T): T => {
  const connection = new BetterSqlite(file, { fileMustExist: true, timeout: busyMs })
  try {
    return work(connection)
  } finally {
    connection.close()
  }
}
