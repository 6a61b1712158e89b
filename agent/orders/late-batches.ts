/**
 * Reports of runs that this agent made while it was alone, on disk in a folder of their own until the control plane has them: in batches, of which
 * each knows how many reports it has and of which due times. Where the disk refuses, the newest are in memory.
 */
import type { LateReport, OrdersHeld } from '../../protocol/standing-order.ts'
import type { Io } from '../net/io.ts'
import { type Batch, openSpool } from '../reporting/spool.ts'

/** `batch` is null where the disk did not take it: then `lines` are all there is. Null `lines` are on disk. */
export type LateBatch = {
  batch: Batch | null
  lines: string[] | null
  count: number
  firstDueAt: number
  lastDueAt: number
  isOurs: boolean
}

/** What an earlier process left, as far as others have to know. */
type LeftBehind = {
  /** Reports of runs that left files. */
  withFiles: ReadonlySet<string>
  /** Slots that were run lately (`slotKey`), which nobody runs again. */
  recent: ReadonlySet<string>
}

export type LateBatches = {
  /** Reads what an earlier process left. */
  open(now: number): Promise<LeftBehind>
  add(report: LateReport): void
  /** Of what is waiting; undefined: nothing is. */
  held(): OrdersHeld['late']
  /** The newest, which is no longer added to; null: there is none. */
  newest(): LateBatch | null
  /** The newest due times first. */
  linesOf(batch: LateBatch): string[]
  done(batch: LateBatch): void
  /** These lines are what is left of it. */
  keep(batch: LateBatch, lines: string[]): void
  /** The same, and all others are sent before it. */
  postpone(batch: LateBatch, lines: string[]): void
  bytes(): number
  count(): number
}

type LateOptions = {
  dir: string
  capacity(): number
  io: Pick<Io, 'clock' | 'log' | 'newId'>
  /** Reports that nobody will ever see. */
  onDropped(count: number): void
  onDiskError(error: Error): void
}

type State = LateOptions & {
  spool: ReturnType<typeof openSpool>
  /** Sealed, the oldest first. */
  batches: LateBatch[]
  open: LateBatch | null
  openLength: number
  /** Of an earlier process: attempts that followed others (`attemptKey`). */
  followers: Set<string>
  quietUntil: number
}

const maxReports = 100
const maxLength = 400_000
/** In memory, where the disk takes nothing. */
const maxUnspooled = 100
/** A due time that is older is not run again whatever is known of it. */
const recentMs = 6 * 60_000

export const openLateBatches = (options: LateOptions): LateBatches => {
  const { dir, capacity, io } = options
  const state: State = {
    ...options,
    spool: openSpool({ dir, capacity, io, onDropped: (batch) => forget(state, batch) }),
    batches: [],
    open: null,
    openLength: 0,
    followers: new Set(),
    quietUntil: Number.NEGATIVE_INFINITY,
  }
  return {
    open: (now) => takeOver(state, now),
    add: (report) => add(state, report),
    held: () => held(state),
    newest: () => {
      seal(state)
      return state.batches.at(-1) ?? null
    },
    linesOf: (batch) => linesOf(state, batch),
    done: (batch) => {
      state.batches = state.batches.filter((one) => one !== batch)
      if (batch.batch !== null) state.spool.remove(batch.batch)
    },
    keep: (batch, lines) => {
      batch.lines = lines
      batch.count = lines.length
    },
    postpone: (batch, lines) => {
      batch.lines = lines
      batch.count = lines.length
      state.batches = [batch, ...state.batches.filter((one) => one !== batch)]
    },
    bytes: () => state.spool.stats().bytes,
    count: () => all(state).reduce((sum, { count }) => sum + count, 0),
  }
}

export const slotKey = ({ checkId, dueAt }: Pick<LateReport, 'checkId' | 'dueAt'>): string =>
  `${checkId} ${dueAt}`
const attemptKey = ({ checkId, dueAt }: LateReport, attempt: number): string =>
  `${checkId} ${dueAt} ${attempt}`

const takeOver = async (state: State, now: number): Promise<LeftBehind> => {
  const withFiles = new Set<string>()
  const recent = new Set<string>()
  for (const batch of state.spool.leftBehind) {
    const reports = state.spool.read(batch).map((line) => JSON.parse(line) as LateReport)
    for (const report of reports) {
      if (report.artifacts !== undefined) withFiles.add(report.jobId)
      if (report.dueAt > now - recentMs) recent.add(slotKey(report))
      if (report.attempt > 1) state.followers.add(attemptKey(report, report.attempt))
    }
    const found = emptyBatch(false)
    for (const { dueAt } of reports) count(found, dueAt)
    if (reports.length > 0) state.batches.push({ ...found, batch, lines: null })
    else state.spool.remove(batch)
    // There may be hundreds of megabytes, and checks are due meanwhile.
    await new Promise(setImmediate)
  }
  return { withFiles, recent }
}

const emptyBatch = (isOurs: boolean): LateBatch => ({
  batch: null,
  lines: [],
  count: 0,
  firstDueAt: Number.POSITIVE_INFINITY,
  lastDueAt: 0,
  isOurs,
})

const count = (batch: LateBatch, dueAt: number): void => {
  batch.count += 1
  batch.firstDueAt = Math.min(batch.firstDueAt, dueAt)
  batch.lastDueAt = Math.max(batch.lastDueAt, dueAt)
}

const add = (state: State, report: LateReport): void => {
  const line = JSON.stringify(report)
  state.open ??= emptyBatch(true)
  const { open } = state
  open.lines?.push(line)
  count(open, report.dueAt)
  state.openLength += line.length
  try {
    state.spool.append(line)
  } catch (error) {
    tellDiskError(state, error)
    // The spool has closed its file: those before it are in memory as well, and what is sent twice is accepted once.
    seal(state)
    return
  }
  if (open.count >= maxReports || state.openLength >= maxLength) seal(state)
}

const seal = (state: State): void => {
  const { open, spool, batches } = state
  if (open === null) return
  state.open = null
  state.openLength = 0
  const batch = spool.seal()
  batches.push({ ...open, batch, lines: batch === null ? open.lines : null })
  const unspooled = batches.filter((one) => one.batch === null)
  if (unspooled.length > maxUnspooled) drop(state, unspooled[0] as LateBatch)
}

const drop = (state: State, one: LateBatch): void => {
  state.batches = state.batches.filter((other) => other !== one)
  state.onDropped(one.count)
  state.io.log.error(`${one.count} late results are dropped: their due times become missed runs`)
}

/** The spool has dropped it for want of room. */
const forget = (state: State, batch: Batch): void => {
  const one = state.batches.find((other) => other.batch === batch)
  if (one !== undefined) drop(state, one)
}

const all = ({ batches, open }: State): LateBatch[] => (open === null ? batches : [...batches, open])

const held = (state: State): OrdersHeld['late'] => {
  const batches = all(state)
  if (batches.length === 0) return undefined
  return {
    reports: batches.reduce((sum, one) => sum + one.count, 0),
    firstDueAt: Math.min(...batches.map(({ firstDueAt }) => firstDueAt)),
    lastDueAt: Math.max(...batches.map(({ lastDueAt }) => lastDueAt)),
  }
}

const linesOf = (state: State, { batch, lines, isOurs }: LateBatch): string[] => {
  const texts = lines ?? (batch === null ? [] : state.spool.read(batch))
  const reports = texts.map((line) => ({ line, report: JSON.parse(line) as LateReport }))
  return reports
    .toSorted((a, b) => b.report.dueAt - a.report.dueAt)
    .map(({ line, report }) =>
      isOurs || !isEndOfRun(state, report) ? line : JSON.stringify({ ...report, retried: false }),
    )
}

/** The process died before the attempt that was to follow: the run has ended with this one. */
const isEndOfRun = ({ followers }: State, report: LateReport): boolean =>
  report.retried && !followers.has(attemptKey(report, report.attempt + 1))

/** Said once a minute: a full disk fails for every report. */
const tellDiskError = (state: State, error: unknown): void => {
  const now = state.io.clock.monotonic()
  if (now < state.quietUntil) return
  state.quietUntil = now + 60_000
  state.onDiskError(error instanceof Error ? error : new Error(String(error)))
}
