/**
 * The orders on disk, so that a restart while the control plane is away does not end them. Changes are appended; a file that has grown much beyond
 * what it says is written anew beside it, a few orders at a time, and takes its place. What an earlier process wrote is never added to: the
 * first change writes a new file. A disk that fails ends nothing: orders stay in memory, and the whole file is tried again.
 *
 * Invariant: what a file holds up to any byte of it is a state that the orders have had, as far as records go.
 */
import { closeSync, fdatasync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Io } from '../net/io.ts'
import { diskError, isGone, makeSpoolFolder } from '../reporting/spool-folder.ts'
import { contentOf, type JournalChange, type JournalContent, recordOf } from './journal-records.ts'
import type { OrderEntry, SharedText } from './order-book.ts'
import { createRecordSealer, openRecords, type RecordSealer } from './sealed-records.ts'

export type Journal = {
  /** What an earlier process left; null: nothing. */
  leftBehind: JournalContent | null
  /** After the book has them. */
  write(changes: readonly JournalChange[]): void
  /** Removes what is on disk. */
  clear(): void
  bytes(): number
  /** Resolves when nothing is being written anew. */
  settled(): Promise<void>
}

type JournalOptions = {
  dir: string
  agentId: string
  apiKey: string
  io: Pick<Io, 'clock' | 'log'>
  /** All that a new file has to say, the orders apart. */
  rest(): JournalChange[]
  entries(): Iterable<OrderEntry>
  has(entry: OrderEntry): boolean
}

type Writer = {
  file: number
  path: string
  sealer: RecordSealer
  shared: Map<SharedText, number>
  bytes: number
  /** Of the state when the file was begun. */
  firstBytes: number
}

type JournalState = JournalOptions & {
  path: string
  writer: Writer | null
  /** Takes the place of `writer` when it has everything. */
  next: Writer | null
  rewriting: Promise<void>
  /** When a disk that failed is tried again, on the monotonic clock. */
  tryAt: number
}

const journalName = (agentId: string): string => `standing-orders-${agentId}.journal`

const tryAgainMs = 60_000
const smallBytes = 1024 * 1024
const ordersAtOnce = 100

export const openJournal = (options: JournalOptions): Journal => {
  const state: JournalState = {
    ...options,
    path: join(options.dir, journalName(options.agentId)),
    writer: null,
    next: null,
    rewriting: Promise.resolve(),
    tryAt: Number.NEGATIVE_INFINITY,
  }
  return {
    leftBehind: read(state),
    write: (changes) => write(state, changes),
    clear: () => clear(state),
    bytes: () => (state.writer?.bytes ?? 0) + (state.next?.bytes ?? 0),
    settled: () => state.rewriting,
  }
}

const read = (state: JournalState): JournalContent | null => {
  const { path, io, apiKey, agentId } = state
  try {
    const { records, end } = openRecords(readFileSync(path), { apiKey, owner: agentId })
    if (end === 'foreign') {
      io.log.warn(`${path} was written with another API_KEY: the standing orders in it are left out`)
      unlinkSync(path)
      return null
    }
    if (end === 'damaged') io.log.warn(`${path} is damaged at its end: standing orders are those before it`)
    return contentOf(records)
  } catch (error) {
    if (!isGone(error))
      io.log.warn(
        diskError(
          `${path} cannot be read: there are no standing orders until the control plane answers`,
          error,
        ),
      )
    return null
  }
}

const write = (state: JournalState, changes: readonly JournalChange[]): void => {
  const { writer, next } = state
  if (writer === null && next === null) {
    rewrite(state)
    return
  }
  try {
    for (const one of [writer, next]) if (one !== null) append(one, changes)
  } catch (error) {
    failed(state, error)
    return
  }
  if (writer !== null && next === null && writer.bytes > 2 * writer.firstBytes + smallBytes) rewrite(state)
}

const rewrite = (state: JournalState): void => {
  if (state.io.clock.monotonic() < state.tryAt) return
  try {
    const writer = begin(state)
    state.rewriting = copy(state, writer).catch((error: unknown) => {
      // Otherwise it has been given up meanwhile.
      if (state.next === writer) failed(state, error)
    })
  } catch (error) {
    failed(state, error)
  }
}

const begin = (state: JournalState): Writer => {
  const { apiKey, agentId, dir } = state
  makeSpoolFolder(dir)
  const sealer = createRecordSealer({ apiKey, owner: agentId })
  const path = `${state.path}.new`
  const file = openSync(path, 'w', 0o600)
  const writer: Writer = { file, path, sealer, shared: new Map(), bytes: 0, firstBytes: 0 }
  state.next = writer
  writeWhole(writer, sealer.head)
  append(writer, state.rest())
  return writer
}

const copy = async (state: JournalState, writer: Writer): Promise<void> => {
  const entries = [...state.entries()]
  for (let from = 0; from < entries.length; from += ordersAtOnce) {
    // What has been removed or replaced meanwhile is in the file already, as that.
    const present = entries.slice(from, from + ordersAtOnce).filter(state.has)
    append(
      writer,
      present.map((put) => ({ put })),
    )
    await new Promise(setImmediate)
    if (state.next !== writer) return
  }
  await promisify(fdatasync)(writer.file)
  if (state.next !== writer) return
  renameSync(writer.path, state.path)
  if (state.writer !== null) closeSync(state.writer.file)
  state.writer = { ...writer, path: state.path, firstBytes: writer.bytes }
  state.next = null
}

const append = (writer: Writer, changes: readonly JournalChange[]): void => {
  if (changes.length === 0) return
  writeWhole(writer, writer.sealer.seal(recordOf(changes, writer.shared)))
}

/** A write may be short when the disk is nearly full. */
const writeWhole = (writer: Writer, bytes: Buffer): void => {
  for (let done = 0; done < bytes.length; ) done += writeSync(writer.file, bytes, done)
  writer.bytes += bytes.length
}

/** Its end may be torn, and nothing could be read behind that: the file ends here, and another one follows. */
const failed = (state: JournalState, error: unknown): void => {
  close(state)
  state.tryAt = state.io.clock.monotonic() + tryAgainMs
  state.io.log.error(
    diskError(
      `${state.path} cannot be written: standing orders are in memory, and a restart ends them`,
      error,
    ),
  )
}

const close = (state: JournalState): void => {
  const { writer, next } = state
  state.writer = null
  state.next = null
  for (const one of [writer, next]) if (one !== null) closeSync(one.file)
  if (next !== null) remove(state, next.path)
}

const clear = (state: JournalState): void => {
  close(state)
  remove(state, state.path)
}

const remove = ({ io }: JournalState, path: string): void => {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isGone(error)) io.log.error(diskError(`${path} cannot be removed`, error))
  }
}
