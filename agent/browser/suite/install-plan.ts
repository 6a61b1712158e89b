/** What a project needs before its tests can run. Pure. */
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { CodeBundle, PlaywrightSpec } from '../../../protocol/checks/playwright-spec.ts'
import type { SuiteJob } from './suites-options.ts'

export type Manager = 'npm' | 'pnpm' | 'yarn' | 'bun'

const managerOf: Readonly<Record<string, Manager>> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
}

/** Each installs what the lock file says, and nothing that it does not. */
const plainInstall: Record<Manager, string> = {
  npm: 'npm ci --no-audit --no-fund --include=dev',
  pnpm: 'pnpm install --frozen-lockfile --prod=false',
  yarn: 'yarn install --frozen-lockfile --production=false',
  bun: 'bun install --frozen-lockfile',
}

const manifests = new Set([
  ...['package.json', '.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', 'bunfig.toml'],
  ...Object.keys(managerOf),
])

/** Files that say what is installed, wherever they lie. */
export const isManifest = (path: string): boolean =>
  manifests.has(posix.basename(path)) && !path.split('/').includes('node_modules')

export type Project = {
  /** '' for the root. */
  workingDir: string
  /** All paths of the project. */
  paths: ReadonlySet<string>
  /** What the manifests hold, by path. */
  manifests: ReadonlyMap<string, string>
  installCommand: string | null
  /** Versions of the packages of the runtime, by name. */
  runtimePackages: ReadonlyMap<string, string>
}

/** `null` where there is nothing to install, with `why` for the log. */
type InstallPlan = { manager: Manager | null; command: string } | { command: null; why: string }

export const installPlan = (project: Project): InstallPlan | { problem: string } => {
  const { workingDir, paths, manifests: contents, installCommand } = project
  const upwards = foldersUp(workingDir)
  const found = upwards
    .flatMap((folder) => Object.keys(managerOf).map((name) => posix.join(folder, name)))
    .find((path) => paths.has(path))
  const manager = found === undefined ? null : (managerOf[posix.basename(found)] as Manager)
  if (installCommand !== null) return { manager, command: installCommand }
  if (upwards.some((folder) => paths.has(posix.join(folder, 'node_modules'))))
    return { command: null, why: 'its packages come with it' }
  const manifest = upwards
    .map((folder) => posix.join(folder, 'package.json'))
    .find((path) => contents.has(path))
  if (manifest === undefined) return { command: null, why: 'it has no package.json' }
  const missing = missingPackages(contents.get(manifest) ?? '', project.runtimePackages)
  if ('problem' in missing) return { problem: `${manifest} ${missing.problem}` }
  if (missing.names.length === 0 && !hasWorkspaces(contents.get(manifest) ?? ''))
    return { command: null, why: 'the runtime has all packages that it names' }
  if (manager === null)
    return {
      problem: `It needs packages that the runtime does not have (${missing.names.slice(0, 5).join(', ')}), and has no lock file: one of ${Object.keys(managerOf).join(', ')}`,
    }
  const source = sourceInGit(contents.get(found ?? '') ?? '')
  if (source !== null)
    return {
      problem: `It needs a package from git (${source}): agents install packages from registries, archives and folders of the project. Publish it, or have its archive in the project ("npm pack")`,
    }
  return { manager, command: plainInstall[manager] }
}

/** Of a package in any lock file. Git itself cannot work in isolation, where modes cannot be changed, and its hosts want keys. */
const sourceInGit = (lock: string): string | null =>
  /\bgit(?:\+(?:ssh|https?|file))?:\/\/[^"'\s,}]+/.exec(lock)?.[0] ??
  /type: git, [^}\n]*|repo: \S+[^}\n]*type: git/.exec(lock)?.[0] ??
  null

const foldersUp = (folder: string): string[] =>
  folder === '' || folder === '.' ? [''] : [folder, ...foldersUp(posix.dirname(folder))]

type Manifest = { dependencies?: unknown; devDependencies?: unknown; workspaces?: unknown }

const parse = (text: string): Manifest | null => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    // Its author wrote it.
    return null
  }
}

const hasWorkspaces = (text: string): boolean => parse(text)?.workspaces !== undefined

const missingPackages = (
  text: string,
  installed: ReadonlyMap<string, string>,
): { names: string[] } | { problem: string } => {
  const manifest = parse(text)
  if (manifest === null) return { problem: 'is not JSON' }
  const wanted = [manifest.dependencies, manifest.devDependencies].flatMap((one) =>
    typeof one === 'object' && one !== null ? Object.entries(one) : [],
  )
  return {
    names: wanted
      .filter(([name, range]) => {
        const version = installed.get(name)
        return version === undefined || !satisfies(version, String(range))
      })
      .map(([name]) => name),
  }
}

/** Plain versions and the two usual ranges; what else is written is installed. */
const satisfies = (version: string, range: string): boolean => {
  const [, sign, ...wanted] = /^([~^]?)v?(\d+)\.(\d+)\.(\d+)$/.exec(range.trim()) ?? []
  if (sign === undefined) return range.trim() === '*'
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const [wantedMajor, wantedMinor, wantedPatch] = wanted.map(Number) as [number, number, number]
  if (sign === '') return major === wantedMajor && minor === wantedMinor && patch === wantedPatch
  const isNewer = minor > wantedMinor || (minor === wantedMinor && patch >= wantedPatch)
  return major === wantedMajor && isNewer && (minor === wantedMinor || (sign === '^' && major > 0))
}

type Keyed = {
  job: Pick<SuiteJob, 'accountId' | 'checkId' | 'variables'> & {
    spec: Pick<PlaywrightSpec, 'bundle' | 'files'>
  }
  workingDir: string
  command: string
  engine: string
}

/** They say which run it is: no two would have the same. */
const ofOneRun = new Set(['CHECK_RESULT_ID', 'CHECK_RUN_ID'])

/**
 * All that an install can read: its scripts see every file of the project, and the variables. No check uses what another's scripts have
 * written.
 */
export const packagesKey = ({ job, command, engine, workingDir }: Keyed): string => {
  const { accountId, checkId, spec } = job
  const variables = Object.entries(job.variables)
    .filter(([name]) => !ofOneRun.has(name))
    .toSorted(byName)
  const files = spec.files.map(({ path, content }) => [path, content] as const).toSorted(byName)
  const project = [spec.bundle?.sha256 ?? null, files]
  return `packages-${hashOf([accountId, checkId, command, engine, workingDir, variables, project])}`
}

/** The same archive of two accounts is kept twice. */
export const bundleKey = (accountId: string, { sha256 }: Pick<CodeBundle, 'sha256'>): string =>
  `bundle-${hashOf([accountId, sha256])}`

type Named = readonly [string, string]
const byName = ([a]: Named, [b]: Named): number => (a < b ? -1 : 1)

const hashOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex')
