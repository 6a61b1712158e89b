import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TimerClock } from '../../protocol/clock.ts'

type FolderWatch = { stop(): void }

const lookEveryMs = 1000
const maxEntries = 50_000
const bytesOfBlock = 512

/**
 * Looks now and then at what the files of a run take on the disk together, for which the kernel has a limit for each only, and calls
 * `onTooMuch` once that is more than `maxBytes`. What has no name any more and is still open is not seen.
 */
export const watchFolder = (
  { folder, maxBytes, clock }: { folder: string; maxBytes: number; clock: Pick<TimerClock, 'at'> },
  onTooMuch: () => void,
): FolderWatch => {
  let stopped = false
  let cancel = (): void => undefined
  const look = async (): Promise<void> => {
    const bytes = await bytesIn(folder)
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

const bytesIn = async (folder: string): Promise<number> => {
  const folders = [folder]
  let bytes = 0
  let entries = 0
  for (const one of folders)
    for (const entry of await entriesOf(one)) {
      entries += 1
      if (entries > maxEntries) return Number.POSITIVE_INFINITY
      if (entry.isDirectory()) folders.push(join(one, entry.name))
      else bytes += await sizeOf(join(one, entry.name))
    }
  return bytes
}

/** What has just gone takes nothing. */
const entriesOf = (folder: string) => readdir(folder, { withFileTypes: true }).catch(() => [])

const sizeOf = (path: string): Promise<number> =>
  lstat(path).then(
    ({ blocks }) => blocks * bytesOfBlock,
    () => 0,
  )
