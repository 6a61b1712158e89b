import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BundleError, entryPath, linkTarget } from '../../../protocol/archives/entry-path.ts'
import { readTar, type TarEntry } from '../../../protocol/archives/read-tar.ts'
import type { ProjectTree } from './project-tree.ts'

/** Of what comes out of an archive, with copies and with the archive's own headers. */
const maxUnpackedBytes = 1024 * 1024 * 1024
/** A `node_modules` of a project has tens of thousands. */
export const maxEntries = 150_000

/**
 * Unpacks an archive (tar, compressed by gzip) that nobody trusts. What leads out of its folder, is no plain file, folder or link,
 * or is too much, is refused as a whole.
 * @throws BundleError
 */
export const unpack = async (
  archive: string,
  tree: ProjectTree,
  { maxBytes = maxUnpackedBytes, signal }: { maxBytes?: number; signal?: AbortSignal } = {},
): Promise<void> => {
  const budget = createBudget(maxBytes)
  const gunzip = createGunzip()
  // What went wrong is seen by whoever reads.
  pipeline(createReadStream(archive), gunzip, () => undefined)
  try {
    for await (const entry of readTar(budget.counted(gunzip))) {
      signal?.throwIfAborted()
      await writeEntry(entry, tree, budget.spend)
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (typeof code === 'string' && /^(Z_|ERR_STREAM)/.test(code))
      throw new BundleError('It is damaged, or not compressed by gzip')
    throw error
  } finally {
    gunzip.destroy()
  }
}

const createBudget = (maxBytes: number) => {
  let left = maxBytes
  const spend = (bytes: number): void => {
    left -= bytes
    if (left < 0)
      throw new BundleError(`It holds more than ${Math.round(maxBytes / 1024 / 1024)} MB unpacked`)
  }
  return {
    spend,
    async *counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        spend(chunk.length)
        yield chunk
      }
    },
  }
}

const plainFiles = ['0', '\0', '7']
const names: Record<string, string> = { 3: 'a device', 4: 'a device', 6: 'a pipe' }

const writeEntry = async (entry: TarEntry, tree: ProjectTree, spend: (bytes: number) => void) => {
  const { type, target, mode } = entry
  const path = entryPath(entry.path)
  if (type === '5' || (plainFiles.includes(type) && entry.path.endsWith('/'))) await tree.makeFolder(path)
  else if (plainFiles.includes(type))
    await tree.writeFile(path, { bytes: entry.body(), executable: (mode & 0o100) !== 0 })
  else if (type === '2') await tree.writeLink(path, linkTarget(path, target))
  else if (type === '1') {
    const from = entryPath(target)
    if (tree.entries.get(from) === 'file') spend((await stat(join(tree.folder, from))).size)
    await tree.copyFile(path, from)
  } else
    throw new BundleError(
      `${JSON.stringify(path)} is ${names[type] ?? 'of a kind that this agent does not know'}`,
    )
}
