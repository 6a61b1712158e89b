/**
 * Folders that are kept from run to run by their keys, the least recently used of which go first. Nobody but the agent writes here,
 * and what is kept is never changed: whoever uses it takes a copy.
 *
 * Invariant: all of them together hold no more than the cache may, and a folder that is there is whole.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../../protocol/clock.ts'
import type { Log } from '../../net/io.ts'

export type DiskCache = {
  /** Calls `use` with the folder of a key, which stays there meanwhile; null: there is none. */
  use<T>(key: string, use: (folder: string) => Promise<T>): Promise<T | null>
  /** `fill` writes into an empty folder and says how many bytes. Rejects as it does. False: it is too large to be kept. */
  keep(key: string, fill: (folder: string) => Promise<number>): Promise<boolean>
  remove(key: string): Promise<void>
}

type Options = {
  folder: string
  maxBytes: number
  clock: Pick<Clock, 'now'>
  newId(): string
  log: Pick<Log, 'debug'>
}

type Entry = { key: string; bytes: number; usedAt: number }

const partial = '.part'
const sizeFile = 'bytes'
const content = 'content'
const maxUnusedMs = 30 * 24 * 60 * 60_000
/** What an agent that was killed has left half written. */
const maxPartialMs = 2 * 60 * 60_000

export const createDiskCache = ({ folder, maxBytes, clock, newId, log }: Options): DiskCache => {
  const inUse = new Map<string, number>()
  const pathOf = (key: string): string => join(folder, key)
  const remove = async (key: string): Promise<void> => {
    // Out of the way first: what is there is whole.
    const gone = join(folder, `${key}.${newId()}${partial}`)
    try {
      await rename(pathOf(key), gone)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      throw error
    }
    await rm(gone, { recursive: true, force: true })
  }
  const makeRoom = async (): Promise<void> => {
    let held = 0
    const now = clock.now()
    for (const { key, bytes, usedAt } of await entriesOf(folder, now)) {
      held += bytes
      if ((held <= maxBytes && usedAt > now - maxUnusedMs) || inUse.has(key)) continue
      held -= bytes
      await remove(key)
      log.debug(`${bytes} bytes are no longer kept for Playwright suites`)
    }
  }
  return {
    use: async (key, use) => {
      if (!existsSync(pathOf(key))) return null
      inUse.set(key, (inUse.get(key) ?? 0) + 1)
      try {
        const now = clock.now() / 1000
        await utimes(pathOf(key), now, now)
        return await use(join(pathOf(key), content))
      } finally {
        const left = (inUse.get(key) ?? 1) - 1
        if (left === 0) inUse.delete(key)
        else inUse.set(key, left)
      }
    },
    keep: async (key, fill) => {
      const part = join(folder, `${key}.${newId()}${partial}`)
      mkdirSync(join(part, content), { recursive: true, mode: 0o700 })
      try {
        const bytes = await fill(join(part, content))
        if (bytes > maxBytes) return false
        await writeFile(join(part, sizeFile), String(bytes))
        const now = clock.now() / 1000
        await utimes(part, now, now)
        await remove(key)
        await rename(part, pathOf(key))
      } finally {
        await rm(part, { recursive: true, force: true })
      }
      await makeRoom()
      return true
    },
    remove,
  }
}

/** The latest used first. */
const entriesOf = async (folder: string, now: number): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (const key of await readdir(folder)) {
    const path = join(folder, key)
    try {
      const { mtimeMs: usedAt } = await stat(path)
      if (!key.endsWith(partial))
        entries.push({ key, usedAt, bytes: Number(await readFile(join(path, sizeFile), 'utf8')) })
      else if (usedAt < now - maxPartialMs) await rm(path, { recursive: true, force: true })
    } catch {
      // Another agent has taken it away.
    }
  }
  return entries.toSorted((a, b) => b.usedAt - a.usedAt)
}
