import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { folderPrefix, removeLeftFolder } from '../isolation/private-folder.ts'
import type { Log } from '../net/io.ts'

/** No child lives for so long: it waits for a script for minutes, and runs it for seconds. */
const leftAfterMs = 60 * 60_000

/**
 * Folders of scripts whose agent was killed, and files that it had taken out of them: nobody else takes them away. By their age, because another agent may use the
 * same place from where its process cannot be seen.
 */
export const removeLeftovers = async (
  folder: string,
  { now, log }: { now: number; log: Pick<Log, 'debug'> },
): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => name.startsWith(folderPrefix))
  for (const name of names) {
    const path = join(folder, name)
    try {
      const entry = await lstat(path)
      if (entry.mtimeMs >= now - leftAfterMs) continue
      if (entry.isDirectory()) await removeLeftFolder(path)
      else if (entry.isFile()) await rm(path)
    } catch (error) {
      // Another agent was faster, or it is another user's.
      log.debug(`a folder of an earlier script stays: ${(error as Error).message}`)
    }
  }
}
