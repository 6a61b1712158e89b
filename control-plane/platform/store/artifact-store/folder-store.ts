import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ArtifactStore } from './store.ts'

/** A folder of files, made when the first one comes. Several control planes may share it. */
export const createFolderStore = (folder: string): ArtifactStore => {
  // Spread over subfolders: some file systems are slow with a million names in one.
  const pathOf = (key: string): string => join(folder, key.slice(0, 2), key)
  return {
    size: async (key) => {
      try {
        return (await stat(pathOf(key))).size
      } catch (error) {
        if (isMissing(error)) return 0
        throw error
      }
    },
    write: async (key, offset, bytes) => {
      const path = pathOf(key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const file = await open(path, constants.O_WRONLY | constants.O_CREAT, 0o600)
      try {
        const end = await writeAll(file, offset, bytes)
        await file.sync()
        if (offset === 0) for (const parent of [dirname(path), folder]) await syncFolder(parent)
        return end
      } finally {
        await file.close()
      }
    },
    read: async (key, { start, end }) => {
      const file = await openIfThere(pathOf(key))
      // `end` of Node's streams is included, so that nothing at all cannot be said.
      return (
        file?.createReadStream(end > start ? { start, end: end - 1 } : { start: Number.MAX_SAFE_INTEGER }) ??
        null
      )
    },
    remove: (key) => rm(pathOf(key), { force: true }),
    // A volume that comes later is no reason not to start.
    tryOut: async () => undefined,
  }
}

const writeAll = async (
  file: FileHandle,
  offset: number,
  bytes: AsyncIterable<Uint8Array>,
): Promise<number> => {
  let position = offset
  for await (const chunk of bytes)
    for (let done = 0; done < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position)
      done += bytesWritten
      position += bytesWritten
    }
  return position
}

/** A new name is durable once its folder is. */
const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, constants.O_RDONLY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const openIfThere = async (path: string): Promise<FileHandle | null> => {
  try {
    return await open(path, constants.O_RDONLY)
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}
