/** One place for what the files of a run write: also those that are killed leave nothing behind. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** `problem` is why the folder is still there, if it is. */
export type InFolder<T> = { done: T; problem: string | null }

/** The folder is removed when `work` is over, also when it throws. */
export async function inRunFolder<T>(work: (folder: string) => Promise<T>): Promise<InFolder<T>> {
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-test-run-'))
  chmodSync(folder, 0o755) // tests may start programs under another user
  try {
    const done = await work(folder)
    return { done, problem: problemOfRemoving(folder) }
  } finally {
    problemOfRemoving(folder)
  }
}

function problemOfRemoving(folder: string): string | null {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    return null
  } catch (error) {
    return `what tests left in ${folder} cannot be removed: ${(error as Error).message}`
  }
}
