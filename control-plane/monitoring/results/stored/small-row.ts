/** The one place that knows how a result is a row: ids as 16 bytes, instants as distances, flags as one number. Pure. */
import type { Engine } from '../../../platform/store/database/engines.ts'
import type { Result } from './result.ts'

/** SQLite has bytes; PostgreSQL's `uuid` is text on this side. */
export type StoredId = Buffer | string

export const bytesOfId = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

export const storedId = ({ name }: Pick<Engine, 'name'>, id: string): StoredId =>
  name === 'sqlite' ? bytesOfId(id) : id

export const idOf = (stored: StoredId): string => {
  if (typeof stored === 'string') return stored
  const hex = stored.toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** For `in`: SQLite reads hexadecimal digits (`unhex`), PostgreSQL ids. */
export const listedId = ({ name }: Pick<Engine, 'name'>, id: string): string =>
  name === 'sqlite' ? id.replaceAll('-', '') : id

/** `failingRows` (period-tables.ts) names the bits of failures and errors. */
export const flags = { attempt: 1, failures: 2, errors: 4, degraded: 8, cancelled: 16, overMax: 32 } as const

const flagsOf = (result: Omit<Result, 'id'>): number =>
  (result.result_type === 'ATTEMPT' ? flags.attempt : 0) |
  (result.has_failures ? flags.failures : 0) |
  (result.has_errors ? flags.errors : 0) |
  (result.is_degraded ? flags.degraded : 0) |
  (result.is_cancelled ? flags.cancelled : 0) |
  (result.over_max ? flags.overMax : 0)

export const verdictColumnsOf = (bits: number) => ({
  has_failures: (bits & flags.failures) !== 0,
  has_errors: (bits & flags.errors) !== 0,
  is_degraded: (bits & flags.degraded) !== 0,
  is_cancelled: (bits & flags.cancelled) !== 0,
})

export type SmallRow = {
  id: StoredId
  started_at: number
  due_ms: number
  run_ms: number
  late_ms: number
  check_run_ms: number
  flags: number
  attempts: number
  response_time: number
  /** Empty: the result's own id. */
  sequence_id: Buffer
  location: string
}

type CheckOfRow = { check_id: string; account_id: string; check_type: string }

export const resultOf = (row: SmallRow & CheckOfRow): Result => {
  const id = idOf(row.id)
  const is = (flag: number): boolean => (row.flags & flag) !== 0
  const due_at = row.started_at - row.due_ms
  const stopped_at = row.started_at + row.run_ms
  return {
    id,
    account_id: row.account_id,
    check_id: row.check_id,
    check_type: row.check_type,
    result_type: is(flags.attempt) ? 'ATTEMPT' : 'FINAL',
    location: row.location,
    due_at,
    started_at: row.started_at,
    stopped_at,
    created_at: stopped_at + row.late_ms,
    response_time: row.response_time,
    ...verdictColumnsOf(row.flags),
    over_max: is(flags.overMax),
    attempts: row.attempts,
    sequence_id: row.sequence_id.length === 0 ? id : idOf(row.sequence_id),
    check_run_id: due_at - row.check_run_ms,
  }
}

type Numbers = { checkN: number; locationN: number }

/** In the order of `rowColumns`. */
export const valuesOf = (engine: Engine, result: Result, { checkN, locationN }: Numbers): unknown[] => [
  storedId(engine, result.id),
  result.started_at,
  result.response_time,
  checkN,
  locationN,
  flagsOf(result),
  result.attempts,
  result.started_at - result.due_at,
  result.stopped_at - result.started_at,
  result.created_at - result.stopped_at,
  result.due_at - result.check_run_id,
  result.sequence_id === result.id ? Buffer.alloc(0) : bytesOfId(result.sequence_id),
]

export const rowColumns = [
  'id',
  'started_at',
  'response_time',
  'check_n',
  'location_n',
  'flags',
  'attempts',
  'due_ms',
  'run_ms',
  'late_ms',
  'check_run_ms',
  'sequence_id',
] as const
