import { chown, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join, posix } from 'node:path'
import type { ScriptSpec } from '../../protocol/checks/script-spec.ts'
import { CannotRun } from '../base/cannot-run.ts'
import type { Owner } from '../isolation/launch-plan.ts'

/** The files of a script by their paths in its folder. */
export type Layout = { entry: string; files: ReadonlyMap<string, string> }

/** Both of Playwright's runner and of Node this name is one that may be TypeScript and either kind of module. */
const usualEntry = 'script.ts'

/** Where everything lies, as the check says it; or in a sentence why not. */
export const layoutOf = ({
  script,
  scriptPath,
  dependencies,
  snippets = [],
}: Omit<ScriptSpec, 'shouldFail'>): Layout | { problem: string } => {
  if (script === null || script.trim() === '') return { problem: 'The check has no script' }
  const entry = plainPath(scriptPath ?? usualEntry)
  if (entry === null) return { problem: `The path of the script leads out of its folder: ${scriptPath}` }
  const files = new Map<string, string>()
  for (const { path, content } of dependencies) {
    const plain = plainPath(path)
    if (plain === null) return { problem: `The path of a dependency leads out of its folder: ${path}` }
    files.set(plain, content)
  }
  for (const { name, code } of snippets) {
    const plain = plainPath(posix.join(posix.dirname(entry), 'snippets', `${name}.js`))
    if (plain !== null && !files.has(plain)) files.set(plain, code)
  }
  files.set(entry, script)
  return { entry, files }
}

const plainPath = (path: string): string | null => {
  const plain = posix.normalize(path.replaceAll('\\', '/').replace(/^\/+/, ''))
  return plain === '.' ||
    plain === '..' ||
    plain.startsWith('../') ||
    plain.endsWith('/') ||
    plain.includes('\0')
    ? null
    : plain
}

/** Into a folder that the child owns: a script may write beside itself. */
export const writeLayout = async (folder: string, { files }: Layout, owner: Owner | null): Promise<void> => {
  const own = async (path: string): Promise<void> => {
    if (owner !== null) await chown(path, owner.uid, owner.gid)
  }
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await own(folder)
    const folders = new Set([...files.keys()].flatMap((path) => parentsOf(path)))
    for (const path of [...folders].toSorted((a, b) => a.length - b.length)) {
      await mkdir(join(folder, path), { recursive: true, mode: 0o700 })
      await own(join(folder, path))
    }
    for (const [path, content] of new Map([['package.json', '{}\n'], ...files])) {
      await writeFile(join(folder, path), content, { flag: 'wx', mode: 0o600 })
      await own(join(folder, path))
    }
  } catch (error) {
    throw new CannotRun(`This agent cannot write the files of the script: ${(error as Error).message}`)
  }
}

const parentsOf = (path: string): string[] => {
  const parent = dirname(path)
  return parent === '.' ? [] : [...parentsOf(parent), parent]
}
