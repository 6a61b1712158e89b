/**
 * What an archive holds, read as it passes by. Nothing is unpacked here: what no project may be made of is refused, so that
 * whoever uploads hears of it; agents check what they unpack themselves.
 */

import { BundleError, entryPath, linkTarget } from '../../../../protocol/archives/entry-path.ts'
import { readTar, type TarEntry } from '../../../../protocol/archives/read-tar.ts'

export type ArchiveFacts = { files: number; unpackedSize: number; hasLockFile: boolean }

const maxEntries = 100_000
/** With the headers of the archive. */
const maxUnpackedBytes = 1024 ** 3
/** Programs fill their last block up with zeros: 10 KB, or as much as a tape had. */
const maxPaddingBytes = 1024 ** 2
/** After so many it is seen what kind of archive it is: of a project, the most hold something. */
const judgedEntries = 2000
const maxEmpty = 0.9

/** The end of what is said of an archive in which there is nothing. */
export const holdsNoFiles = 'It holds no files'

/** @throws BundleError */
export const inspectArchive = async (inflated: AsyncIterable<Buffer>): Promise<ArchiveFacts> => {
  const facts: ArchiveFacts = { files: 0, unpackedSize: 0, hasLockFile: false }
  const chunks = bounded(inflated)
  let entries = 0
  let empty = 0
  for await (const entry of readTar(chunks)) {
    entries += 1
    if (entries > maxEntries) throw new BundleError(`It has more than ${maxEntries} files and folders`)
    if (entry.size === 0) empty += 1
    if (entries >= judgedEntries && empty > entries * maxEmpty)
      throw new BundleError(`Of its first ${entries} files and folders ${empty} hold nothing`)
    noteEntry(facts, entry)
    if (facts.unpackedSize > maxUnpackedBytes) throw tooLarge()
  }
  if (facts.files === 0) throw new BundleError(holdsNoFiles)
  await passPadding(chunks)
  return facts
}

/** What comes behind the end belongs to nobody, and has to be whole all the same. */
const passPadding = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
  let left = maxPaddingBytes
  for await (const { length } of chunks) {
    left -= length
    if (left < 0)
      throw new BundleError(`It goes on for more than ${maxPaddingBytes / 1024 / 1024} MB behind its end`)
  }
}

const tooLarge = (): BundleError =>
  new BundleError(`It holds more than ${maxUnpackedBytes / 1024 / 1024} MB unpacked`)

async function* bounded(inflated: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = maxUnpackedBytes
  for await (const chunk of inflated) {
    left -= chunk.length
    if (left < 0) throw tooLarge()
    yield chunk
  }
}

const plainFiles = ['0', '\0', '7']
const links = ['1', '2']

const noteEntry = (facts: ArchiveFacts, { type, path: written, target, size }: TarEntry): void => {
  const path = entryPath(written)
  if (type === '5' || (plainFiles.includes(type) && written.endsWith('/'))) return
  if (type === '1') entryPath(target)
  else if (type === '2') linkTarget(path, target)
  else if (!plainFiles.includes(type))
    throw new BundleError(`${JSON.stringify(path)} is neither a file, a folder nor a link`)
  if (links.includes(type)) return
  facts.files += 1
  facts.unpackedSize += size
  facts.hasLockFile ||= isLockFile(path)
}

/** What says which package manager installs a project, and which versions: each project has one. */
export const lockFiles: ReadonlySet<string> = new Set([
  'package-lock.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
])

export const isLockFile = (path: string): boolean => lockFiles.has(path.slice(path.lastIndexOf('/') + 1))
