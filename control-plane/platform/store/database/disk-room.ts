/**
 * How much of its volume a SQLite file may take. Its log needs room of its own, also for deleting: a store that had taken all
 * of the volume could neither write its log nor bring it back, and the next start would fail (sqlite.org/wal.html: what is in
 * the log is in the file only after a checkpoint, which needs the room a second time).
 */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { UnusableStoreError } from './unusable-store-error.ts'

const megabyte = 1024 * 1024

/** The log is brought back into the file when it has so many bytes; a long transaction or a reader may let it grow on. */
export const logBytes = 16 * megabyte

/** Left free on the volume: the log, twice, and what else lives there. */
export const headroomBytes = 64 * megabyte

/** With less nothing begins: one commit more and the log might not fit. */
export const leastFreeBytes = 32 * megabyte

export const freeBytes = (file: string): number => {
  const { bavail, bsize } = statfsSync(dirname(file))
  return bavail * bsize
}

/** @throws UnusableStoreError when the volume has less free than a start needs */
export const requireRoom = (file: string): void => {
  const free = freeBytes(file)
  if (free < leastFreeBytes)
    throw new UnusableStoreError(
      `${dirname(file)} has ${inMegabytes(free)} MB free, and a start needs ${inMegabytes(leastFreeBytes)}: make room on its volume, or move DATA_DIR to a larger one. The store was not changed.`,
    )
}

const inMegabytes = (bytes: number): number => Math.floor(bytes / megabyte)

/** The most pages that the file may have: those that it has, and what is free beyond the headroom. */
export const maxPages = ({
  pages,
  pageSize,
  free,
}: {
  pages: number
  pageSize: number
  free: number
}): number => Math.max(1, pages + Math.max(0, Math.floor((free - headroomBytes) / pageSize)))
