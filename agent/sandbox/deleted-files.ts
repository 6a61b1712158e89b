import { readdir, readlink, stat } from 'node:fs/promises'

const bytesOfBlock = 512

/**
 * What files take that have lost their names and are still open in one of these processes: no walk through a folder meets them. Of
 * processes that do not let us look nothing is known.
 */
export const deletedBytes = async (pids: readonly string[]): Promise<number> => {
  const sizes = new Map<string, number>()
  for (const pid of pids)
    for (const path of await deletedFiles(`/proc/${pid}/fd`)) {
      const file = await stat(path).catch(() => null)
      if (file?.isFile()) sizes.set(`${file.dev} ${file.ino}`, file.blocks * bytesOfBlock)
    }
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** Paths that lead to the open files themselves (proc_pid_fd(5)). */
const deletedFiles = async (folder: string): Promise<string[]> => {
  const names = await readdir(folder).catch(() => [])
  const paths = names.map((name) => `${folder}/${name}`)
  const targets = await Promise.all(paths.map((path) => readlink(path).catch(() => '')))
  return paths.filter((_, index) => targets[index]?.endsWith(' (deleted)'))
}
