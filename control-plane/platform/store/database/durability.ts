/** Whether what is acknowledged outlives the loss of the server: read once at the start, from the server's own settings. */
import { sql } from 'kysely'
import type { Db } from './db.ts'
import { selectRows } from './raw-sql.ts'
import { serverAddresses } from './server-addresses.ts'

type Durability = {
  /** Settings of the server, as our connections have them. */
  fsync: string
  commit: string
  /** Of synchronous standbys; empty for none. */
  names: string
  /** Connected now, synchronous or not. */
  standbys: number
}

/** Null of an embedded store, whose settings are ours. */
export const readDurability = async (db: Db): Promise<Durability | null> => {
  if (!db.engine.shared) return null
  const [row] = await selectRows<Durability>(
    db,
    sql`select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
      current_setting('synchronous_standby_names') as names, (select count(*) from pg_stat_replication) as standbys`,
  )
  return row ?? null
}

const seeDocs = '(docs/deploy/postgresql.md)'

/** Sentences for the log; none where an acknowledged result is as safe as it can be. Pure. */
export const durabilityWarnings = (url: string, { fsync, commit, names, standbys }: Durability): string[] => {
  const servers = serverAddresses(url).length
  const waits = commit !== 'off' && commit !== 'local'
  return [
    ...(fsync === 'off'
      ? [`The database runs with fsync=off: a crash of its machine may lose or damage everything ${seeDocs}`]
      : []),
    ...(commit === 'off'
      ? [
          `The database runs with synchronous_commit=off: a crash of it loses results that were acknowledged ${seeDocs}`,
        ]
      : []),
    ...(servers > 1 && !(names !== '' && waits)
      ? [
          `DATABASE_URL names ${servers} servers, and no standby is synchronous (synchronous_standby_names='${names}', synchronous_commit=${commit}, ${standbys} connected): the one that takes over may lack results that were acknowledged ${seeDocs}`,
        ]
      : []),
  ]
}
