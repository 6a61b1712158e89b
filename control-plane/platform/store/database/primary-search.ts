/**
 * Which of several servers takes writes. All are asked at once, so that a machine that is gone costs nothing, and the first that
 * says so is the one until a connection to it fails.
 */
import pg from 'pg'

/** A server that is there answers sooner; one that is not has others beside it. */
const answerWithinMs = 3000

export class NoPrimaryError extends Error {
  constructor(cause: unknown) {
    super('No server of DATABASE_URL takes writes', { cause })
    this.name = 'NoPrimaryError'
  }
}

/** A standby replays what its primary has written; a server may be told to take no writes, too. */
const takesNone = `select pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as none`

/** @throws NoPrimaryError of a server that is read only */
export const requireWrites = async (client: Pick<pg.ClientBase, 'query'>): Promise<void> => {
  const { rows } = await client.query<{ none: boolean }>(takesNone)
  if (rows[0]?.none !== false) throw new NoPrimaryError('it is a standby, or read only')
}

const ask = async (address: string): Promise<string> => {
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await requireWrites(client)
    return address
  } finally {
    client.end().catch(() => undefined)
  }
}

/** Whoever asks while it is being looked for waits for the same answer. @throws NoPrimaryError */
export const createPrimarySearch = (addresses: readonly string[]): (() => Promise<string>) => {
  let searching: Promise<string> | undefined
  return () => {
    searching ??= Promise.any(addresses.map(ask))
      .catch((error: AggregateError) => {
        throw new NoPrimaryError(error)
      })
      .finally(() => {
        searching = undefined
      })
    return searching
  }
}
