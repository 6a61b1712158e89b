/**
 * The folder of results and files, and what an agent finds there that it did not put there. A disk that fails, is read-only or
 * full is no reason to stop measuring: it is said, and results are kept in memory as far as that goes.
 */
import { accessSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Log } from '../net/io.ts'

/**
 * With the folders above it; nothing happens where it exists. Not by `recursive`: that says ENOENT for a read-only disk, and
 * never ends where a parent exists that takes no folders (`/proc`).
 */
export const makeSpoolFolder = (path: string): void => {
  // Asked again and again: an error for each time that it is there would cost more than all else.
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  if (!existsSync(dirname(path))) makeSpoolFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

/** Why nothing can be kept in a folder, in a sentence with whose it is; null: it can. */
export const unusableFolder = (path: string): string | null => {
  try {
    makeSpoolFolder(path)
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK)
    return null
  } catch (error) {
    const isDenied = (error as NodeJS.ErrnoException).code === 'EACCES'
    return `${diskError(`SPOOL_DIR: ${path} cannot be used`, error)}${isDenied ? ownerOf(path) : ''}`
  }
}

const ownerOf = (path: string): string => {
  try {
    const { uid, gid, mode } = statSync(path)
    return `; it is of user ${uid} and group ${gid}, mode ${(mode & 0o7777).toString(8).padStart(4, '0')}`
  } catch {
    // A folder above it is out of sight.
    return ''
  }
}

/** Files of a folder by the end of their names, the first by name first; whatever else bears such a name is left alone. */
export const filesIn = (dir: string, extension: string, log: Log): { path: string; bytes: number }[] =>
  readdirSync(dir)
    .filter((name) => name.endsWith(extension))
    .toSorted()
    .flatMap((name) => {
      const path = join(dir, name)
      const stats = statSync(path, { throwIfNoEntry: false })
      if (stats?.isFile()) return [{ path, bytes: stats.size }]
      if (stats !== undefined) log.warn(`${path} is not a file: it is left where it is`)
      return []
    })

/** `what`: of whom it is said, at the beginning of a sentence. */
export const diskError = (what: string, error: unknown): string => {
  const { code, message } = error as NodeJS.ErrnoException
  return `${what} (${reasons[code ?? ''] ?? code ?? message})`
}

const reasons: Record<string, string> = {
  EACCES: 'this user may not read or write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EIO: 'the disk fails',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'it is a file, not a folder',
}

/** Another agent may share the folder and have removed it already. */
export const isGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
