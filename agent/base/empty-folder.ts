import { opendir, rename, rm, rmdir, unlink } from 'node:fs/promises'
import { platform } from 'node:os'
import { inFolder, makeReadable, type OpenFolder } from './open-folder.ts'

/**
 * Takes away all that is in a folder, whatever its user made of it: no link is followed, and folders in folders come up one by one, because
 * paths as long as a program can make them are longer than what the kernel takes.
 */
export const emptyFolder = async (path: string): Promise<void> => {
  if (platform() !== 'linux') {
    await rm(path, { recursive: true, force: true })
    return
  }
  await inFolder(path, async (root) => {
    const nextName = freshNames()
    for (let isEmpty = false; !isEmpty; ) {
      isEmpty = true
      for await (const entry of await opendir(root.path)) {
        isEmpty = false
        if (!entry.isDirectory()) await unlink(root.at(entry.name))
        else await removeOne(root, entry.name, nextName)
      }
    }
  })
}

/** Its files go, and its folders become the root's. */
const removeOne = async (root: OpenFolder, name: string, nextName: () => string): Promise<void> => {
  await inOwnFolder(root.at(name), async (folder) => {
    for (let isEmpty = false; !isEmpty; ) {
      isEmpty = true
      for await (const entry of await opendir(folder.path)) {
        isEmpty = false
        if (entry.isDirectory()) await moveUp(folder.at(entry.name), root, nextName)
        else await unlink(folder.at(entry.name))
      }
    }
  })
  await rmdir(root.at(name))
}

const moveUp = async (from: string, root: OpenFolder, nextName: () => string): Promise<void> => {
  for (;;) {
    try {
      await rename(from, root.at(nextName()))
      return
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (code === 'EACCES') await makeReadable(from)
      else if (!['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(code)) throw error
    }
  }
}

const inOwnFolder = async <T>(path: string, use: (folder: OpenFolder) => Promise<T>): Promise<T> => {
  const act = (): Promise<T> =>
    inFolder(path, async (folder) => {
      await folder.handle.chmod(0o700)
      return use(folder)
    })
  try {
    return await act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EACCES') throw error
    await makeReadable(path)
    return act()
  }
}

/** The folder may hold some of them already: then the next one is taken. */
const freshNames = (): (() => string) => {
  let count = 0
  return () => {
    count += 1
    return `removed-${count}`
  }
}
