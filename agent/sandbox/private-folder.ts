import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiScript } from '../../protocol/checks/api.ts'
import { CannotRun } from '../cannot-run.ts'
import type { Program } from './program.ts'

/** The folder of one script. */
export type PrivateFolder = {
  path: string
  /** The path of each snippet's file by its name. */
  snippetFiles: Record<string, string>
}

/** Names of files must not be longer than 255 bytes (NAME_MAX), and snippets may be called anything. */
const fileName = (name: string, index: number): string => {
  const safe = encodeURIComponent(name)
  return safe.length > 200 ? `${index}-${safe.slice(0, 200)}.js` : `${safe}.js`
}

type Content = { program: Program; snippets: readonly ApiScript[]; modules: string | null }

/**
 * A folder that only this user can look into, with the program and the snippets of one script, and the packages of its
 * runtime, if there are any, by a link.
 */
export const writeFolder = async ({ program, snippets, modules }: Content): Promise<PrivateFolder> => {
  let path: string | null = null
  try {
    path = await mkdtemp(join(tmpdir(), 'watchpost-script-'))
    const snippetFiles = Object.fromEntries(
      snippets.map(({ name }, index) => [name, join(path as string, 'snippets', fileName(name, index))]),
    )
    if (snippets.length > 0) await mkdir(join(path, 'snippets'))
    await Promise.all([
      ...(modules === null ? [] : [symlink(modules, join(path, 'node_modules'))]),
      ...program.map(({ name, code }) => writeFile(join(path as string, name), code)),
      ...snippets.map(({ name, code }) => writeFile(snippetFiles[name] as string, code)),
    ])
    return { path, snippetFiles }
  } catch (error) {
    if (path !== null) await rm(path, { recursive: true, force: true })
    throw new CannotRun(
      `This agent cannot write a folder for scripts in ${tmpdir()}: ${(error as Error).message}`,
    )
  }
}

/** With all that the script left in it. */
export const removeFolder = ({ path }: PrivateFolder): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 3 })
