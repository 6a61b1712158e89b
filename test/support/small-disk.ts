import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scratchFolder, type Teardown } from './programs.ts'

const mount = (folder: string, megabytes: number): boolean =>
  process.getuid?.() === 0 &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'tmpfs', folder]).status === 0

const unmount = (folder: string): boolean => spawnSync('umount', ['-l', folder]).status === 0

export type SmallDisk = {
  folder: string
  /** Leaves no byte free. */
  fill(): void
  makeRoom(): void
}

/** Why tests that need a small disk are skipped here; false where there can be one. */
export const noSmallDisk = (): string | false => {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-'))
  try {
    if (!mount(folder, 1)) return 'file systems cannot be mounted here'
    unmount(folder)
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A file system of so many megabytes that is gone when the test ends. */
export const smallDisk = async (t: Teardown, megabytes: number): Promise<SmallDisk> => {
  const folder = await scratchFolder(t)
  if (!mount(folder, megabytes)) throw new Error('The small disk could not be mounted')
  t.teardown(() => unmount(folder))
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill: () => {
      const file = openSync(ballast, 'a')
      try {
        for (const size of [1024 * 1024, 4096, 1]) writeUntilFull(file, Buffer.alloc(size))
      } finally {
        closeSync(file)
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
  }
}

/** A file system with what `fill` wrote, to which nobody can write any more; gone when the test ends. */
export const readOnlyDisk = async (
  t: Teardown,
  fill: (folder: string) => void = () => {},
): Promise<string> => {
  const folder = await scratchFolder(t)
  if (!mount(folder, 1)) throw new Error('The read-only disk could not be mounted')
  t.teardown(() => unmount(folder))
  fill(folder)
  if (spawnSync('mount', ['-o', 'remount,ro', folder]).status !== 0)
    throw new Error('The disk could not be made read-only')
  return folder
}

const writeUntilFull = (file: number, bytes: Buffer): void => {
  try {
    for (;;) writeSync(file, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}
