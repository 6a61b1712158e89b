/** The folder that DATA_DIR names: the embedded database, generated keys, files of results. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ConfigError } from './reading.ts'

/** @throws ConfigError when it cannot be made or written */
export const makeDataFolder = (dataDir: string): void => {
  try {
    makePrivateFolder(dataDir)
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new ConfigError([`DATA_DIR: ${dataDir} cannot be used: ${reasons[code] ?? message}`])
  }
}

/**
 * With the folders above it; nothing happens where it exists. Not by `recursive`: that says ENOENT for a read-only disk,
 * and never ends where a parent exists that takes no folders (`/proc`).
 */
export const makePrivateFolder = (path: string): void => {
  if (!existsSync(dirname(path))) makePrivateFolder(dirname(path))
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'the disk is full',
}
