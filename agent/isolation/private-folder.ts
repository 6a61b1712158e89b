import { chmod, chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiScript } from '../../protocol/checks/api.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { emptyFolder } from '../base/empty-folder.ts'
import type { Owner } from './launch-plan.ts'
import type { Program } from './program.ts'
import type { Volume } from './volumes.ts'

/** How the names of these folders begin. */
export const folderPrefix = 'watchpost-script-'

const writableName = 'tmp'

/** The folder of one script. */
export type PrivateFolder = {
  path: string
  /** The part of it that belongs to the child, by the child's name for it. */
  writable: string
  /** The same as the agent reaches it. */
  inside: string
  /** The file system that stands there in the child's view; null: it is a folder of this machine. */
  volume: Volume | null
}

type Content = {
  program: Program
  modules: string | null
  /** Who else may read it, beside this user. */
  owner: Owner | null
  /** What the part that belongs to the child is, where it is a file system of its own. */
  openVolume?: (folder: string) => Promise<Volume | null>
}

/**
 * A folder that only this user, and the child's if it has its own, can look into, with the program of one child, and the
 * packages of its runtime, if there are any, by a link.
 */
export const writeFolder = async ({
  program,
  modules,
  owner,
  openVolume,
}: Content): Promise<PrivateFolder> => {
  let made: string | null = null
  try {
    const path = await mkdtemp(join(tmpdir(), folderPrefix))
    made = path
    const writable = join(path, writableName)
    await Promise.all([
      mkdir(writable, { mode: 0o700 }),
      ...(modules === null ? [] : [symlink(modules, join(path, 'node_modules'))]),
      ...program.map(({ name, code }) => writeFile(join(path, name), code)),
    ])
    if (owner !== null) await share({ path, writable }, owner)
    const volume = (await openVolume?.(path)) ?? null
    return { path, writable, inside: volume?.path ?? writable, volume }
  } catch (error) {
    if (made !== null) await rm(made, { recursive: true, force: true })
    throw cannotWrite(error)
  }
}

/** The child reads by its group, and owns no more than what it may write. */
const share = async (
  { path, writable }: Pick<PrivateFolder, 'path' | 'writable'>,
  { uid, gid }: Owner,
): Promise<void> => {
  await chown(writable, uid, gid)
  await chown(path, 0, gid)
  await chmod(path, 0o750)
}

/** The path of each snippet's file by its name. */
export const writeSnippets = async (
  { path }: Pick<PrivateFolder, 'path'>,
  snippets: readonly ApiScript[],
): Promise<Record<string, string>> => {
  if (snippets.length === 0) return {}
  try {
    const files = snippets.map(({ name, code }, index) => ({
      name,
      code,
      file: join(path, 'snippets', fileName(name, index)),
    }))
    await mkdir(join(path, 'snippets'))
    await Promise.all(files.map(({ file, code }) => writeFile(file, code)))
    return Object.fromEntries(files.map(({ name, file }) => [name, file]))
  } catch (error) {
    throw cannotWrite(error)
  }
}

/** Names of files must not be longer than 255 bytes (NAME_MAX), and snippets may be called anything. */
const fileName = (name: string, index: number): string => {
  const safe = encodeURIComponent(name)
  return safe.length > 200 ? `${index}-${safe.slice(0, 200)}.js` : `${safe}.js`
}

const cannotWrite = (error: unknown): CannotRun =>
  new CannotRun(`This agent cannot write a folder for scripts in ${tmpdir()}: ${(error as Error).message}`)

/** With all that the script left in it. */
export const removeFolder = async ({
  path,
  writable,
  volume,
}: Omit<PrivateFolder, 'inside'>): Promise<void> => {
  await volume?.close()
  try {
    await emptyFolder(writable)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  await rm(path, { recursive: true, force: true, maxRetries: 3 })
}

/** One that an agent has left whose end came too soon. */
export const removeLeftFolder = (path: string): Promise<void> =>
  removeFolder({ path, writable: join(path, writableName), volume: null })
