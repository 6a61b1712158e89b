/**
 * File systems of a run's own, with a size of which the kernel gives no more: `ENOSPC`. They stand nowhere but in the views of the
 * run's children, and the agent reaches them by a descriptor: with the last of these they are gone, however the agent ends.
 */
import { execFile } from 'node:child_process'
import { close, constants, openSync } from 'node:fs'
import { chmod, chown, open, rm, rmdir, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Owner } from './launch-plan.ts'
import type { Mounts } from './mounts.ts'

/** `memory`: it is fast, and counts as memory of whoever writes; `disk`: a file of the agent's disk that grows as it is written. */
export type VolumeSize = { on: 'memory' | 'disk'; mb: number; files: number }

export type Volume = {
  /** Of its root, for the agent alone. */
  path: string
  /** A descriptor by which one child takes it into its view; whoever asks closes it. */
  lend(): Promise<number>
  /** Whether there is no room for more. */
  isFull(): Promise<boolean>
  /** Its files are gone when no child has it any more. */
  close(): Promise<void>
}

type Opening = {
  owner: Owner | null
  mounts: Mounts /** Where a file may lie for a moment. */
  folder: string
}

const { O_DIRECTORY } = constants
/** open(2) */
const O_PATH = 0x200000
/** The last one writes the file system down. */
const closeLater = promisify(close)
const megabyte = 1024 * 1024
const bytesOfInode = 256
/** Of what a file system keeps for itself. */
const overheadMb = 16
/** Programs give up with a little left, and blocks of theirs are lost at the end of each file. */
const fullShare = 0.001

/** Rejects where this agent cannot have one. */
export const openVolume = async (size: VolumeSize, opening: Opening): Promise<Volume> =>
  size.on === 'memory' ? inMemory(size, opening) : onDisk(size, opening)

const inMemory = async ({ mb, files }: VolumeSize, { owner, mounts }: Opening): Promise<Volume> => {
  const size = { size: String(mb * megabyte), nr_inodes: String(files) }
  const fd = await mounts.make('tmpfs', size)
  return ready(fd, owner, async () => openSync(rootOf(fd), O_PATH | O_DIRECTORY))
}

/** Its inodes take room, too: the run's files have theirs beside them. */
const onDisk = async ({ mb, files }: VolumeSize, { owner, mounts, folder }: Opening): Promise<Volume> => {
  const image = join(folder, 'volume')
  const wholeMb = mb + Math.ceil((files * bytesOfInode) / megabyte) + overheadMb
  try {
    await makeFileSystem(image, { mb: wholeMb, files })
    const file = await open(image, 'r+')
    try {
      return await mounts.withLoop(file.fd, async (device) => {
        const mount = (): Promise<number> =>
          mounts.make('ext4', { source: device, noinit_itable: null, nobarrier: null })
        const volume = await ready(await mount(), owner, mount)
        await rmdir(join(volume.path, 'lost+found'))
        return volume
      })
    } finally {
      await file.close()
    }
  } finally {
    await rm(image, { force: true })
  }
}

const makeFileSystem = async (image: string, { mb, files }: { mb: number; files: number }): Promise<void> => {
  await promisify(execFile)(
    'mkfs.ext4',
    [
      ...['-q', '-F', '-m', '0', '-b', '4096', '-I', String(bytesOfInode), '-N', String(files)],
      ...['-O', '^has_journal', '-E', 'nodiscard,lazy_itable_init=1', image, `${mb}M`],
    ],
    { env: { PATH: '/usr/sbin:/sbin:/usr/bin:/bin' }, timeout: 30_000 },
  )
}

const rootOf = (fd: number): string => `/proc/self/fd/${fd}/.`

const ready = async (fd: number, owner: Owner | null, lend: Volume['lend']): Promise<Volume> => {
  const path = rootOf(fd)
  try {
    await chmod(path, 0o700)
    if (owner !== null) await chown(path, owner.uid, owner.gid)
  } catch (error) {
    await closeLater(fd)
    throw error
  }
  return {
    path,
    lend,
    isFull: async () => {
      const { bavail, blocks, ffree } = await statfs(path)
      return bavail <= blocks * fullShare || ffree === 0
    },
    close: () => closeLater(fd),
  }
}
