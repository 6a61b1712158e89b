import { constants } from 'node:fs'
import { chmod, chown, copyFile, lchown, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { BundleProblem } from '../../../protocol/archives/entry-path.ts'
import type { Owner } from '../../isolation/launch-plan.ts'

type CopyOptions = { owner: Owner | null; maxBytes: number; maxEntries: number }

/**
 * Copies a folder, whose processes have all ended, with its links as they are: nothing is followed. Resolves with its bytes. What
 * is no file, folder or link, or is too much, is refused.
 * @throws BundleProblem
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
    if (bytes > maxBytes || entries > maxEntries) throw new BundleProblem('There is too much of it')
  }
  const own = async (path: string): Promise<void> => {
    if (owner !== null) await lchown(path, owner.uid, owner.gid)
  }
  const folders = ['']
  await mkdir(to, { recursive: true, mode: 0o700 })
  if (owner !== null) await chown(to, owner.uid, owner.gid)
  for (const folder of folders)
    for (const { name } of await readdir(join(from, folder), { withFileTypes: true })) {
      const path = join(folder, name)
      const [source, target] = [join(from, path), join(to, path)]
      const entry = await lstat(source)
      count(entry.size)
      if (entry.isDirectory()) {
        await mkdir(target, { mode: 0o700 })
        folders.push(path)
      } else if (entry.isSymbolicLink()) await symlink(await readlink(source), target)
      else if (entry.isFile()) {
        await copyFile(source, target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
        await chmod(target, (entry.mode & 0o100) === 0 ? 0o600 : 0o700)
      } else throw new BundleProblem(`${JSON.stringify(path)} is neither a file nor a folder`)
      await own(target)
    }
  return bytes
}
