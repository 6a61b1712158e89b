import type { PrivateFolder } from '../isolation/private-folder.ts'
import type { Volume, VolumeSize } from '../isolation/volumes.ts'
import { type Watched, watchFolder } from './watch-folder.ts'

type FilesWatch = {
  /** Whether the kernel had no more room for them at any look, or has none now. */
  wereFull(): Promise<boolean>
  stop(): void
}

type WatchedFiles = Pick<Watched, 'members' | 'clock'> & { folder: PrivateFolder; files: VolumeSize }

const lookEveryMs = 1000

/** Follows what a run writes. Where no file system of its own has an end, `onTooMuch` is called once it is more than it may be. */
export const watchFiles = (
  { folder, files, members, clock }: WatchedFiles,
  onTooMuch: () => void,
): FilesWatch => {
  if (folder.volume !== null) return watchVolume(folder.volume, clock)
  const limits = { maxBytes: files.mb * 1024 * 1024, maxEntries: files.files }
  const { stop } = watchFolder({ folder: folder.inside, ...limits, members, clock }, onTooMuch)
  return { stop, wereFull: async () => false }
}

const watchVolume = (volume: Volume, clock: Pick<Watched['clock'], 'at'>): FilesWatch => {
  let full = false
  let cancel = (): void => undefined
  const look = async (): Promise<boolean> => {
    full ||= await volume.isFull()
    return full
  }
  const lookAgain = async (): Promise<void> => {
    cancel = clock.at(lookEveryMs, () => void lookAgain())
    await look()
  }
  cancel = clock.at(lookEveryMs, () => void lookAgain())
  return { wereFull: look, stop: () => cancel() }
}

/** What programs say then. */
export const isOutOfRoom = (text: string): boolean => /\bENOSPC\b|no space left on device/i.test(text)
