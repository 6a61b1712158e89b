/** The first stage of a suite: its packages, from what was kept or by its own command. */
import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BundleError } from '../../../protocol/archives/entry-path.ts'
import { suiteLimits } from '../../../protocol/checks/playwright-spec.ts'
import { emptyFolder } from '../../base/empty-folder.ts'
import type { ScriptListener } from '../../sandbox/sandbox-options.ts'
import { suiteFiles } from '../run-files.ts'
import { copyTree } from './copy-tree.ts'
import { installPlan, isManifest, type Manager, packagesKey } from './install-plan.ts'
import type { ProjectTree } from './project-tree.ts'
import { runStage } from './run-stage.ts'
import type { StageEnding } from './stage.ts'
import type { SuiteFolder } from './suite-folder.ts'
import type { SuiteJob, SuiteWorld } from './suites-options.ts'
import { filesOfTools } from './tools.ts'

export type Install = {
  manager: Manager | null
  command: string
  cache: 'hit' | 'saved' | 'none'
  /** Null: what was kept is used. */
  stage: StageEnding | null
  duration: number
}

type Installing = {
  job: SuiteJob
  tree: ProjectTree
  workingDir: string
  suiteFolder: SuiteFolder
  world: SuiteWorld
  listener: ScriptListener
  engine: string
  runtimePackages: ReadonlyMap<string, string>
  env: Record<string, string>
  timeMs: number
}

const maxManifests = 500
const maxManifestBytes = 16 * 1024 * 1024
const maxPackagesBytes = 2 * 1024 * 1024 * 1024
const maxPackageFiles = 300_000
const maxMemoryMb = 2048

/** Null: there is nothing to install. */
export const install = async (installing: Installing): Promise<Install | null> => {
  const { job, tree, workingDir, world, listener, runtimePackages } = installing
  const manifests = await readManifests(tree)
  const project = { workingDir, manifests, runtimePackages, installCommand: job.spec.installCommand }
  const plan = installPlan({ ...project, paths: new Set(tree.entries.keys()) })
  if ('problem' in plan) throw new BundleError(plan.problem)
  if (plan.command === null) {
    listener.say('INFO', `Nothing is installed for the suite: ${plan.why}`)
    return null
  }
  const { spec } = job
  const key = packagesKey({ job, workingDir, command: plan.command, engine: installing.engine })
  const startedAt = world.options.clock.monotonic()
  const durationNow = (): number => Math.round(world.options.clock.monotonic() - startedAt)
  if (!spec.refreshCache && (await restore(key, installing)))
    return { ...plan, cache: 'hit', stage: null, duration: durationNow() }
  listener.say('INFO', `Installing the suite's packages: ${plan.command}`)
  const stage = await runInstall(plan.command, installing)
  const duration = durationNow()
  const passed = stage.code === 0 && stage.limit === null
  const saved = passed && (await save(key, installing))
  return { ...plan, cache: saved ? 'saved' : 'none', stage, duration }
}

const readManifests = async ({ folder, entries }: ProjectTree): Promise<ReadonlyMap<string, string>> => {
  const paths = [...entries]
    .filter(([path, kind]) => kind === 'file' && isManifest(path))
    .map(([path]) => path)
  if (paths.length > maxManifests) throw new BundleError(`It has more than ${maxManifests} manifests`)
  const contents = new Map<string, string>()
  for (const path of paths) {
    if ((await lstat(join(folder, path))).size > maxManifestBytes)
      throw new BundleError(`${path} is larger than ${maxManifestBytes / 1024 / 1024} MB`)
    contents.set(path, await readFile(join(folder, path), 'utf8'))
  }
  return contents
}

const runInstall = (
  command: string,
  { workingDir, suiteFolder, world, listener, env, timeMs }: Installing,
) => {
  const proxy = `http://127.0.0.1:${suiteFolder.egressProxy.port}`
  return runStage(
    {
      name: 'The install command',
      task: {
        command,
        cwd: join(suiteFolder.folder.writable, suiteFiles.project, workingDir),
        env: { ...env, HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy },
      },
      files: filesOfTools(world.tools),
      ownSandbox: false,
      timeMs: Math.min(suiteLimits.installMs, timeMs),
      maxMemoryMb,
      softly: false,
    },
    { suiteFolder, options: world.options, listener },
  )
}

const limits = { maxBytes: maxPackagesBytes, maxEntries: maxPackageFiles }

/** The whole project as the command has left it: what it wrote beside its packages belongs to them. */
const save = async (key: string, { tree, world, listener }: Installing): Promise<boolean> => {
  const { cache } = world
  if (cache === null) return false
  try {
    return await cache.keep(key, (kept) => copyTree(tree.folder, kept, { owner: null, ...limits }))
  } catch (error) {
    // The suite goes on; the next run installs again.
    listener.say('WARN', `The suite's packages are not kept: ${whyNot(error as NodeJS.ErrnoException)}`)
    return false
  }
}

const whyNot = ({ code = '', message }: NodeJS.ErrnoException): string =>
  ['ELOOP', 'ENOTDIR', 'ENOENT'].includes(code) ? 'there is no folder in the place of the project' : message

const restore = async (key: string, { tree, suiteFolder, world, listener }: Installing): Promise<boolean> => {
  const restored = await world.cache?.use(key, async (kept) => {
    await emptyFolder(tree.folder)
    await copyTree(kept, tree.folder, { owner: suiteFolder.owner, ...limits })
    listener.say('INFO', 'The packages that an earlier run has installed are used')
    return true
  })
  return restored === true
}
