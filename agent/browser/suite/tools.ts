/** What of this machine runs a suite: its Node, and the programs that install packages. */
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type SuiteEngine, suiteEngines } from '../../../protocol/checks/playwright-spec.ts'
import type { PathRule } from '../../isolation/landlock.ts'

/** Where systems keep programs, beside the folder of our own Node. */
const programFolders = ['/usr/local/bin', '/usr/bin', '/bin']

const runnable = [
  ...['/bin', '/usr/bin', '/usr/local/bin', '/usr/libexec', '/usr/include', '/usr/share/nodejs'],
  ...['/usr/lib', '/usr/local/lib', '/lib', '/lib64', '/usr/lib64'],
]

const toolNames = ['npm', 'npx', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx'] as const
type ToolName = (typeof toolNames)[number]

export type Tools = { [name in ToolName]?: string }

/** The programs themselves, not the links by which they are called. */
export const findTools = (execPath: string, folders: readonly string[] = programFolders): Tools => {
  const own = existsSync(execPath) ? [dirname(execPath), dirname(realpathSync(execPath))] : []
  const all = [...own, ...folders]
  return Object.fromEntries(
    toolNames.flatMap((name) => {
      const found = all.map((folder) => join(folder, name)).find(existsSync)
      return found === undefined ? [] : [[name, realpathSync(found)]]
    }),
  )
}

/** The system's programs with their libraries, and the packages that those of the tools lie in. */
export const filesOfTools = (tools: Tools): readonly PathRule[] => {
  const packages = Object.values(tools).map(
    (path) => /^.*\/node_modules\/[^/]+(?=\/)/.exec(path)?.[0] ?? dirname(path),
  )
  const folders = [...runnable, ...packages].filter(existsSync).map((path) => realpathSync(path))
  return [...new Set(folders)].map((path) => ({ path, file: false, may: 'run' }))
}

type Machine = { nodeVersion: string; tools: Tools }

type EngineStatus = { engine: string; problem: string | null; warning: string | null }

/** A check that asks for an engine gets it or is told; what files ask for is a wish. */
export const engineStatus = (
  wanted: { engine: SuiteEngine | null; files: ReadonlyMap<string, string> },
  { nodeVersion, tools }: Machine,
): EngineStatus => {
  const own = nodeVersion.split('.')[0] as string
  const [name, version] = (wanted.engine ?? `node@${own}`).split('@') as [string, string]
  if (name === 'bun')
    return tools.bun === undefined
      ? { engine: 'bun', problem: 'It runs with Bun, and there is none on this agent', warning: null }
      : { engine: `bun@${version}`, problem: null, warning: null }
  const engine = `node@${nodeVersion}`
  if (version !== own)
    return { engine, warning: null, problem: `It runs with Node ${version}, and this agent has Node ${own}` }
  const wish = wanted.engine === null ? wishOf(wanted.files) : null
  return {
    engine,
    problem: null,
    warning:
      wish === null || wish.major === own
        ? null
        : `${wish.file} asks for Node ${wish.major}: this agent runs it with Node ${own}`,
  }
}

/** Those that a check may ask for and gets here. */
export const enginesOf = (machine: Machine): SuiteEngine[] =>
  suiteEngines.filter((engine) => engineStatus({ engine, files: new Map() }, machine).problem === null)

export const engineFiles = ['.node-version', '.nvmrc', '.tool-versions'] as const

const wishOf = (files: ReadonlyMap<string, string>): { file: string; major: string } | null => {
  for (const file of engineFiles) {
    const pattern = file === '.tool-versions' ? /^nodejs?\s+v?(\d+)/m : /^\s*v?(\d+)/
    const major = pattern.exec(files.get(file) ?? '')?.[1]
    if (major !== undefined) return { file, major }
  }
  return null
}
