/** The folder that DATA_DIR names: the embedded database, generated keys, files of results. */
import { accessSync, constants, mkdirSync } from 'node:fs'
import { ConfigError } from './config.ts'

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

/** With the folders above it; nothing happens where it exists. */
export const makePrivateFolder = (path: string): void => {
  mkdirSync(path, { recursive: true, mode: 0o700 })
}

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  EEXIST: 'it is a file, not a folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  ENOSPC: 'the disk is full',
}
