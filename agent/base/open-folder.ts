/**
 * Folders that code of users writes into, reached by descriptors: a link in the place of a folder leads anywhere, and what a name
 * meant when somebody looked says nothing about the moment after. Nothing here follows a link.
 */
import { constants, type Dirent, existsSync } from 'node:fs'
import { chmod, copyFile, type FileHandle, lstat, open, opendir } from 'node:fs/promises'
import { join } from 'node:path'

/** Stays what it is until `use` has ended. */
export type OpenFolder = {
  handle: FileHandle
  /** Of this folder, whatever its name means by now. */
  path: string
  /** Of one of its entries. */
  at(name: string): string
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, COPYFILE_FICLONE } = constants
/** open(2): enough to change the mode of what may not be read. */
const O_PATH = 0x200000

/** Other systems than Linux have no paths by descriptors, and no isolation either. */
const hasDescriptors = existsSync('/proc/self/fd')

const pathOf = ({ fd }: FileHandle, name: string): string => (hasDescriptors ? `/proc/self/fd/${fd}` : name)

/** Calls `use` with the folder at `path`. Rejects where it is something else, a link included. */
export const inFolder = async <T>(path: string, use: (folder: OpenFolder) => Promise<T>): Promise<T> => {
  const handle = await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  try {
    const own = pathOf(handle, path)
    return await use({ handle, path: own, at: (name) => join(own, name) })
  } finally {
    await handle.close()
  }
}

/** Its user may have taken every right from itself, and from us where that is the same one. */
export const makeReadable = async (path: string): Promise<void> => {
  if (!hasDescriptors) return
  const handle = await open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  try {
    await chmod(pathOf(handle, path), 0o700)
  } finally {
    await handle.close()
  }
}

/** Calls `use` with the plain file at `path`; null: it is something else. */
export const inFile = async <T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T | null> => {
  // To open a device or a pipe can have effects, or wait for ever.
  if (!(await lstat(path)).isFile()) return null
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    return (await file.stat()).isFile() ? await use(file) : null
  } finally {
    await file.close()
  }
}

/** The text of the plain file at `path`; null: it is something else, has a second name, or is larger. */
export const readSmall = (path: string, maxBytes: number): Promise<string | null> =>
  inFile(path, async (file) => {
    const { size, nlink } = await file.stat()
    if (nlink > 1 || size > maxBytes) return null
    return file.readFile('utf8')
  })

/** Into a new file, which takes over the mode of the other: nobody else may reach it yet. */
export const copyOpenFile = async (file: FileHandle, from: string, to: FileHandle, target: string) =>
  copyFile(pathOf(file, from), pathOf(to, target), COPYFILE_FICLONE)

type Found = {
  entry: Dirent
  /** From the folder where the walk began. */
  path: string
  /** The way to it, which is good until the visit has ended. */
  at: string
}

type Walk = { maxEntries: number; enters?: (name: string) => boolean }

/** Of folders in folders: each is held open. */
const maxDepth = 100

/**
 * Visits all that is no folder, by its names in order, and says whether that was all. What is gone by now, or may not be read, is left out.
 */
export const walkFolder = async (
  start: string,
  visit: (found: Found) => unknown,
  { maxEntries, enters = () => true }: Walk,
): Promise<boolean> => {
  let left = maxEntries
  let isWhole = true
  const walk = async (at: string, prefix: string, depth: number): Promise<void> => {
    await inFolder(at, async (folder) => {
      const entries: Dirent[] = []
      for await (const entry of await opendir(folder.path, { bufferSize: 256 })) {
        if (left === 0) isWhole = false
        if (left === 0) break
        left -= 1
        entries.push(entry)
      }
      entries.sort((a, b) => (a.name < b.name ? -1 : 1))
      for (const entry of entries)
        if (!entry.isDirectory())
          await leaving(() => visit({ entry, path: join(prefix, entry.name), at: folder.at(entry.name) }))
      for (const entry of entries)
        if (entry.isDirectory() && enters(entry.name)) {
          if (depth === maxDepth) isWhole = false
          else await leaving(() => walk(folder.at(entry.name), join(prefix, entry.name), depth + 1))
        }
    })
  }
  await leaving(() => walk(start, '', 0))
  return isWhole
}

const leaving = async (act: () => unknown): Promise<void> => {
  try {
    await act()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (!['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES'].includes(code)) throw error
  }
}
