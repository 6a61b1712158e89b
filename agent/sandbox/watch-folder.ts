import { lstat, statfs } from 'node:fs/promises'
import type { TimerClock } from '../../protocol/clock.ts'
import { walkFolder } from '../base/open-folder.ts'
import { deletedBytes } from './deleted-files.ts'

type FolderWatch = { stop(): void }

export type Watched = {
  folder: string
  maxBytes: number
  /** More of them, or folders that lie deeper than a walk goes, are too much, too. */
  maxEntries: number
  /** The processes that write into it. */
  members(): readonly string[]
  clock: Pick<TimerClock, 'at' | 'monotonic'>
}

const lookEveryMs = 1000
/** A look through the packages of a suite takes seconds: it gets a tenth of the time, and more where the disk fills up. */
const restTimes = 9
const muchBytes = 256 * 1024 * 1024
const bytesOfBlock = 512

/**
 * Looks now and then at what the files of a run take on the disk together, also those that have no name any more, for which the kernel
 * has a limit for each only, and calls `onTooMuch` once that is more than `maxBytes`.
 */
export const watchFolder = (
  { folder, maxBytes, maxEntries, members, clock }: Watched,
  onTooMuch: () => void,
): FolderWatch => {
  let stopped = false
  let cancel = (): void => undefined
  let named = { bytes: 0, free: 0, restsUntil: 0 }
  const lookThrough = async (free: number): Promise<void> => {
    const startedAt = clock.monotonic()
    const bytes = await bytesIn(folder, maxEntries)
    const endedAt = clock.monotonic()
    named = { bytes, free, restsUntil: endedAt + restTimes * (endedAt - startedAt) }
  }
  const look = async (): Promise<void> => {
    const free = await freeBytes(folder)
    if (clock.monotonic() >= named.restsUntil || named.free - free > muchBytes) await lookThrough(free)
    const bytes = named.bytes + (await deletedBytes(members()))
    if (stopped) return
    if (bytes > maxBytes) onTooMuch()
    else cancel = clock.at(lookEveryMs, () => void look())
  }
  cancel = clock.at(lookEveryMs, () => void look())
  return {
    stop: () => {
      stopped = true
      cancel()
    },
  }
}

/** Of the file system, which others fill, too. A folder that is gone has none. */
const freeBytes = (folder: string): Promise<number> =>
  statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )

const bytesIn = async (folder: string, maxEntries: number): Promise<number> => {
  let bytes = 0
  const isWhole = await walkFolder(
    folder,
    async ({ at }) => {
      bytes += (await lstat(at)).blocks * bytesOfBlock
    },
    { maxEntries },
  )
  return isWhole ? bytes : Number.POSITIVE_INFINITY
}
