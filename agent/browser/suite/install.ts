/** The first stage of a suite: its packages, from what was kept or by its own command. */
import { lstat, readFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { BundleProblem } from '../../../protocol/archives/entry-path.ts'
import { suiteLimits } from '../../../protocol/checks/playwright-spec.ts'
import type { ScriptListener } from '../../sandbox/sandbox-options.ts'
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
  if ('problem' in plan) throw new BundleProblem(plan.problem)
  if (plan.command === null) {
    listener.say('INFO', `Nothing is installed for the suite: ${plan.why}`)
    return null
  }
  const { accountId, spec } = job
  const key = packagesKey({ ...project, accountId, command: plan.command, engine: installing.engine })
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
  if (paths.length > maxManifests) throw new BundleProblem(`It has more than ${maxManifests} manifests`)
  const contents = new Map<string, string>()
  for (const path of paths) {
    if ((await lstat(join(folder, path))).size > maxManifestBytes)
      throw new BundleProblem(`${path} is larger than ${maxManifestBytes / 1024 / 1024} MB`)
    contents.set(path, await readFile(join(folder, path), 'utf8'))
  }
  return contents
}

const runInstall = (
  command: string,
  { tree, workingDir, suiteFolder, world, listener, env, timeMs }: Installing,
) => {
  const proxy = `http://127.0.0.1:${suiteFolder.egressProxy.port}`
  return runStage(
    {
      name: 'The install command',
      task: {
        command,
        cwd: join(tree.folder, workingDir),
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

/** Where packages lie: beside each manifest. */
const packageFolders = (tree: ProjectTree): string[] => {
  const manifests = ['package.json', ...[...tree.entries.keys()].filter(isManifest)]
  return [...new Set(manifests.map((path) => posix.join(posix.dirname(path), 'node_modules')))]
}

const folderName = (index: number): string => `folder-${index}`

/** The folders by their number: those of one key have the same manifests. */
const save = async (key: string, { tree, world, listener }: Installing): Promise<boolean> => {
  const { cache } = world
  if (cache === null) return false
  try {
    return await cache.keep(key, async (cached) => {
      let bytes = 0
      for (const [index, path] of packageFolders(tree).entries())
        if (await isFolder(join(tree.folder, path)))
          bytes += await copyTree(join(tree.folder, path), join(cached, folderName(index)), {
            owner: null,
            ...limits,
          })
      return bytes
    })
  } catch (error) {
    // The suite goes on; the next run installs again.
    listener.say('WARN', `The suite's packages are not kept: ${(error as Error).message}`)
    return false
  }
}

const restore = async (key: string, { tree, suiteFolder, world, listener }: Installing): Promise<boolean> => {
  const restored = await world.cache?.use(key, async (kept) => {
    for (const [index, path] of packageFolders(tree).entries())
      if (await isFolder(join(kept, folderName(index))))
        await copyTree(join(kept, folderName(index)), join(tree.folder, path), {
          owner: suiteFolder.owner,
          ...limits,
        })
    listener.say('INFO', 'The packages that an earlier run has installed are used')
    return true
  })
  return restored === true
}

const isFolder = async (path: string): Promise<boolean> => {
  try {
    return (await lstat(path)).isDirectory()
  } catch {
    // A manifest without packages.
    return false
  }
}
