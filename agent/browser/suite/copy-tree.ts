import type { Dirent } from 'node:fs'
import { lchown, mkdir, open, opendir, readlink, symlink } from 'node:fs/promises'
import { BundleError } from '../../../protocol/archives/entry-path.ts'
import { copyOpenFile, inFile, inFolder, type OpenFolder } from '../../base/open-folder.ts'
import type { Owner } from '../../isolation/launch-plan.ts'

type CopyOptions = { owner: Owner | null; maxBytes: number; maxEntries: number }

type Copying = { owner: Owner | null; count(bytes: number): void }

/** Folders in folders: each is held open. */
const maxDepth = 100
/** Files that are copied at once. */
const atOnce = 16

/**
 * Copies what is in a folder into an empty one, with its links as they are: nothing is followed on either side. Resolves with its
 * bytes. What is no file, folder or link, or is too much, is refused.
 * @throws BundleError
 */
export const copyTree = async (
  from: string,
  to: string,
  { owner, maxBytes, maxEntries }: CopyOptions,
): Promise<number> => {
  let bytes = 0
  let entries = 0
  const count = (size: number): void => {
    bytes += size
    entries += 1
    if (bytes > maxBytes || entries > maxEntries) throw new BundleError('There is too much of it')
  }
  await inFolder(from, (source) =>
    inFolder(to, (target) => copyFolder({ source, target }, { owner, count }, 0)),
  )
  return bytes
}

type Sides = { source: OpenFolder; target: OpenFolder }

const copyFolder = async ({ source, target }: Sides, copying: Copying, depth: number): Promise<void> => {
  if (depth > maxDepth) throw new BundleError(`It has more than ${maxDepth} folders in each other`)
  const sides = { source, target }
  const chunk: Dirent[] = []
  const copyChunk = (): Promise<void> =>
    allEnded(chunk.splice(0).map((entry) => copyEntry(sides, entry, copying)))
  for await (const entry of await opendir(source.path, { bufferSize: 256 })) {
    if (entry.isDirectory()) await copyOneFolder(sides, { name: entry.name, copying, depth })
    else chunk.push(entry)
    if (chunk.length === atOnce) await copyChunk()
  }
  await copyChunk()
}

/** Also where one fails: nothing may go on with a folder that is closed. */
const allEnded = async (works: Promise<void>[]): Promise<void> => {
  const failed = (await Promise.allSettled(works)).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

type OneFolder = { name: string; copying: Copying; depth: number }

const copyOneFolder = async ({ source, target }: Sides, { name, copying, depth }: OneFolder) => {
  copying.count(0)
  await mkdir(target.at(name), { mode: 0o700 })
  await inFolder(source.at(name), (from) =>
    inFolder(target.at(name), async (to) => {
      await copyFolder({ source: from, target: to }, copying, depth + 1)
      if (copying.owner !== null) await to.handle.chown(copying.owner.uid, copying.owner.gid)
    }),
  )
}

const copyEntry = async (
  { source, target }: Sides,
  entry: Dirent,
  { owner, count }: Copying,
): Promise<void> => {
  const [from, to] = [source.at(entry.name), target.at(entry.name)]
  if (entry.isSymbolicLink()) {
    count(0)
    await symlink(await readlink(from), to)
    if (owner !== null) await lchown(to, owner.uid, owner.gid)
    return
  }
  const isCopied = await inFile(from, async (file) => {
    const { size, mode } = await file.stat()
    count(size)
    const copy = await open(to, 'wx', 0o600)
    try {
      await copyOpenFile(file, from, copy, to)
      await copy.chmod((mode & 0o100) === 0 ? 0o600 : 0o700)
      if (owner !== null) await copy.chown(owner.uid, owner.gid)
    } finally {
      await copy.close()
    }
    return true
  })
  if (isCopied === null)
    throw new BundleError(`${JSON.stringify(entry.name)} is neither a file, a folder nor a link`)
}
