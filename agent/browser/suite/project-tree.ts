import { chown, copyFile, lchown, mkdir, open, rm, symlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { BundleError } from '../../../protocol/archives/entry-path.ts'
import type { Owner } from '../../isolation/launch-plan.ts'

type TreeKind = 'file' | 'folder' | 'link'

/**
 * Writes a project into an empty folder that nobody else can reach yet. It knows what it has written, so that nothing is ever
 * written through a link.
 */
export type ProjectTree = {
  folder: string
  entries: ReadonlyMap<string, TreeKind>
  makeFolder(path: string): Promise<void>
  writeFile(path: string, content: FileContent): Promise<void>
  writeLink(path: string, target: string): Promise<void>
  /** A second name becomes a copy: the files of a project are nobody else's. */
  copyFile(path: string, from: string): Promise<void>
}

type FileContent = { bytes: AsyncIterable<Buffer>; executable: boolean; replaces?: boolean }

const modeOf = (executable: boolean): number => (executable ? 0o700 : 0o600)

export const createProjectTree = async (
  folder: string,
  owner: Owner | null,
  maxEntries: number,
): Promise<ProjectTree> => {
  const entries = new Map<string, TreeKind>()
  await mkdir(folder, { mode: 0o700 })
  if (owner !== null) await chown(folder, owner.uid, owner.gid)
  const add = (path: string, kind: TreeKind): void => {
    if (entries.has(path)) throw new BundleError(`It has ${JSON.stringify(path)} more than once`)
    if (entries.size >= maxEntries) throw new BundleError(`It has more than ${maxEntries} files`)
    entries.set(path, kind)
  }
  const makeFolder = async (path: string): Promise<void> => {
    if (path === '' || path === '.') return
    const known = entries.get(path)
    if (known === 'folder') return
    if (known !== undefined) throw new BundleError(`${JSON.stringify(path)} is a ${known} and a folder`)
    await makeFolder(posix.dirname(path))
    add(path, 'folder')
    await mkdir(join(folder, path), { mode: 0o700 })
    if (owner !== null) await chown(join(folder, path), owner.uid, owner.gid)
  }
  const makeRoom = async (path: string, kind: TreeKind, replaces = false): Promise<string> => {
    if (path === '') throw new BundleError('It has a file without a name')
    await makeFolder(posix.dirname(path))
    if (replaces && entries.get(path) !== undefined && entries.get(path) !== 'folder') {
      entries.delete(path)
      await rm(join(folder, path))
    }
    add(path, kind)
    return join(folder, path)
  }
  return {
    folder,
    entries,
    makeFolder,
    writeFile: async (path, { bytes, executable, replaces }) => {
      const handle = await open(await makeRoom(path, 'file', replaces), 'wx', modeOf(executable))
      try {
        for await (const piece of bytes) await handle.writeFile(piece)
        if (owner !== null) await handle.chown(owner.uid, owner.gid)
      } finally {
        await handle.close()
      }
    },
    writeLink: async (path, target) => {
      const madePath = await makeRoom(path, 'link')
      await symlink(target, madePath)
      if (owner !== null) await lchown(madePath, owner.uid, owner.gid)
    },
    copyFile: async (path, from) => {
      if (entries.get(from) !== 'file')
        throw new BundleError(`${JSON.stringify(path)} is a second name of a file that it does not have`)
      const madePath = await makeRoom(path, 'file')
      await copyFile(join(folder, from), madePath)
      if (owner !== null) await chown(madePath, owner.uid, owner.gid)
    },
  }
}
