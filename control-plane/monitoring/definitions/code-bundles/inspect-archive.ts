/**
 * What an archive holds, read as it passes by. Nothing is unpacked here: what no project may be made of is refused, so that
 * whoever uploads hears of it; agents unpack with walls of their own.
 */

import { BundleProblem, entryPath, linkTarget } from '../../../../protocol/archives/entry-path.ts'
import { readTar, type TarEntry } from '../../../../protocol/archives/read-tar.ts'

export type ArchiveFacts = { files: number; unpackedSize: number; hasLockFile: boolean }

const maxEntries = 100_000
/** With the headers of the archive. */
const maxUnpackedBytes = 1024 ** 3

/** @throws BundleProblem */
export const inspectArchive = async (inflated: AsyncIterable<Buffer>): Promise<ArchiveFacts> => {
  const facts: ArchiveFacts = { files: 0, unpackedSize: 0, hasLockFile: false }
  const chunks = bounded(inflated)
  let entries = 0
  for await (const entry of readTar(chunks)) {
    entries += 1
    if (entries > maxEntries) throw new BundleProblem(`It has more than ${maxEntries} files and folders`)
    noteEntry(facts, entry)
  }
  // What comes behind the end belongs to nobody, and has to be whole all the same.
  for await (const _ of chunks);
  if (facts.files === 0) throw new BundleProblem('It holds no files')
  return facts
}

async function* bounded(inflated: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let left = maxUnpackedBytes
  for await (const chunk of inflated) {
    left -= chunk.length
    if (left < 0) throw new BundleProblem(`It holds more than ${maxUnpackedBytes / 1024 / 1024} MB unpacked`)
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
    throw new BundleProblem(`${JSON.stringify(path)} is neither a file, a folder nor a link`)
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
