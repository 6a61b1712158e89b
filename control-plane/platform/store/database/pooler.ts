/**
 * Poolers in front of PostgreSQL (PgBouncer and its like). In transaction mode each transaction may run on another
 * connection of the server: prepared statements and settings of a session would be somebody else's. So there are neither, and
 * every transaction brings its settings, a statement alone too: two more round trips for it.
 */
import type pg from 'pg'

/** `session`: a connection of the server belongs to ours until we close it. */
export const poolerModes = ['transaction', 'session'] as const
export type PoolerMode = (typeof poolerModes)[number]

/**
 * Whether somebody else answers to us in the name of the server: who opens a connection is told the number of the server's
 * process (PostgreSQL's protocol, BackendKeyData), and a pooler tells a number of its own.
 */
export const isPooled = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return !('processID' in client) || client.processID !== rows[0]?.pid
}

/** Settings that end with the transaction, but those of the pooler's own connection. Names and values are ours (engines.ts). */
export const beginWith = (session: Readonly<Record<string, string>>): string =>
  [
    'begin',
    ...Object.entries(session)
      .filter(([name]) => !name.startsWith('tcp_'))
      .map(([name, value]) => `set local ${name} = '${value}'`),
  ].join('; ')
