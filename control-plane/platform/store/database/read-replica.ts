/**
 * How far a replica is behind, by one clock: the position of the primary's log is noted with its time, and the replica has everything
 * until the latest of these moments whose position it has replayed. So a replica that lost its primary grows old, whatever it says itself.
 */
import { sql } from 'kysely'
import type { Database, Db } from './db.ts'
import { selectRows } from './raw-sql.ts'

/** `usable`: not further behind than is allowed; `behind`: it is; `away`: it does not answer, or fails. */
export type ReplicaState = 'usable' | 'behind' | 'away'

export type ReadReplica = {
  readonly db: Database
  /** Takes its measure. */
  measure(): Promise<void>
  /** Monotonic: until then it has everything; null while it cannot be asked. */
  freshAt(): number | null
  lagMs(): number | null
  state(): ReplicaState
  /** A statement failed there that need not have. */
  failed(error: unknown): void
}

type Parts = {
  primary: Db
  replica: Database
  monotonic(): number
  maxLagMs: number
  /** A change of its state, with the reason that it is away for. */
  onChange(state: ReplicaState, error?: unknown): void
}

type Sample = { at: number; position: number }

/** Of ten minutes; a replica that is further behind is not asked anyway. */
const maxSamples = 600

const written = sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as position`
/** A server that is no standby has what it has written: readers' addresses of managed databases lead to it when there is nobody else. */
const replayed = sql`select pg_wal_lsn_diff(
  case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0') as position`

const positionOf = async (db: Db, statement: typeof written): Promise<number> => {
  const [row] = await selectRows<{ position: number }>(db, statement)
  return Number(row?.position ?? 0)
}

export const createReadReplica = (parts: Parts): ReadReplica => {
  const { primary, replica, monotonic, maxLagMs, onChange } = parts
  let samples: Sample[] = []
  let freshAt: number | null = null
  let state: ReplicaState = 'away'

  const become = (next: ReplicaState, error?: unknown): void => {
    if (next === state) return
    state = next
    onChange(next, error)
  }
  const lagMs = (): number | null => (freshAt === null ? null : monotonic() - freshAt)

  return {
    db: replica,
    measure: async () => {
      const at = monotonic()
      samples.push({ at, position: await positionOf(primary, written) })
      samples = samples.slice(-maxSamples)
      try {
        const position = await positionOf(replica, replayed)
        const latest = samples.findLastIndex((sample) => sample.position <= position)
        if (latest >= 0) {
          freshAt = samples[latest]?.at ?? null
          samples = samples.slice(latest)
        }
      } catch (error) {
        freshAt = null
        return become('away', error)
      }
      const lag = lagMs()
      become(lag !== null && lag <= maxLagMs ? 'usable' : 'behind')
    },
    freshAt: () => freshAt,
    lagMs,
    state: () => (state === 'usable' && (lagMs() ?? Number.POSITIVE_INFINITY) > maxLagMs ? 'behind' : state),
    failed: (error) => {
      freshAt = null
      become('away', error)
    },
  }
}
