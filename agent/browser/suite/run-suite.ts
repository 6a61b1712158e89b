import { lstat, readFile, rm } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { BundleError, entryPath } from '../../../protocol/archives/entry-path.ts'
import { suiteLimits } from '../../../protocol/checks/playwright-spec.ts'
import { hyphenated } from '../../../protocol/runtime.ts'
import { CannotRun } from '../../base/cannot-run.ts'
import { DeadlinePassed } from '../../base/deadline.ts'
import type { Io } from '../../net/io.ts'
import { installedModules, type Runtime } from '../../sandbox/runtimes.ts'
import type { ScriptListener } from '../../sandbox/sandbox-options.ts'
import { filesOfChromium } from '../chromium-files.ts'
import { type Collected, collectFiles } from '../collect-files.ts'
import { suiteFiles } from '../run-files.ts'
import type { Chromium } from '../task.ts'
import { type Install, install } from './install.ts'
import { layOut } from './lay-out.ts'
import type { ProjectTree } from './project-tree.ts'
import { readSuiteState } from './read-state.ts'
import { runStage } from './run-stage.ts'
import type { StageEnding } from './stage.ts'
import { suiteEnvironment } from './suite-environment.ts'
import { openSuiteFolder, type SuiteFolder } from './suite-folder.ts'
import type { SuiteJob, SuiteWorld } from './suites-options.ts'
import type { SuiteState } from './task.ts'
import { engineFiles, engineStatus, filesOfTools } from './tools.ts'

/** `problem`: why nothing was started, in a sentence about the suite. */
export type SuiteRun = Collected & {
  problem: string | null
  install: Install | null
  /** Null: it did not come to its tests. */
  stage: StageEnding | null
  state: SuiteState | null
  engine: string
  runtimeId: string
  sandbox: boolean | null
}

type Context = { listener: ScriptListener; io: Io; world: SuiteWorld }

/** For what comes after the tests, such as taking secrets out of traces. */
const reservedMs = 20_000
/** Of the test command with its browsers. */
export const maxMemoryMb = 4096

export const runSuite = async (job: SuiteJob, { listener, io, world }: Context): Promise<SuiteRun> => {
  const { options, tools } = world
  const stopAt = options.clock.monotonic() + job.timeMs - Math.min(reservedMs, job.timeMs / 4)
  const { runtime, modules } = runtimeOf(job, options.runtimes)
  const { chromium, problem } = await options.browsers.status(io)
  if (chromium === null) throw new CannotRun(`This agent has no browser: ${problem}`)
  const suiteFolder = await openSuiteFolder(options, { modules, tools })
  try {
    suiteFolder.egressProxy.serve({ io, say: listener.say })
    const ran = await stages({ job, suiteFolder, world, chromium, modules, stopAt, listener })
    const collected = await collectFiles(suiteFolder.folder.inside, new Set(), io.newId)
    const run = { ...ran, ...collected, runtimeId: runtime.id, sandbox: chromium.sandbox }
    if (listener.signal.aborted && !(listener.signal.reason instanceof DeadlinePassed)) {
      await discard(run)
      throw listener.signal.reason
    }
    return run
  } finally {
    await suiteFolder.remove()
  }
}

type Around = {
  job: SuiteJob
  suiteFolder: SuiteFolder
  world: SuiteWorld
  chromium: Chromium
  modules: string
  stopAt: number
  listener: ScriptListener
}

type Stages = Pick<SuiteRun, 'problem' | 'install' | 'stage' | 'state' | 'engine'>

const stages = async (around: Around): Promise<Stages> => {
  const { job, listener, world } = around
  const nothing = { install: null, stage: null, state: null, engine: '' }
  try {
    const tree = await layOut(job, { ...around, signal: listener.signal })
    const workingDir = entryPath(job.spec.workingDir ?? '')
    if (workingDir !== '' && tree.entries.get(workingDir) !== 'folder')
      throw new BundleError(`It has no folder ${JSON.stringify(workingDir)}`)
    const files = await filesOf(tree, workingDir)
    const { nodeVersion } = world.options
    const status = engineStatus({ engine: job.spec.engine, files }, { nodeVersion, tools: world.tools })
    if (status.problem !== null) return { ...nothing, problem: status.problem }
    if (status.warning !== null) listener.say('WARN', status.warning)
    return {
      problem: null,
      ...(await installAndTest({ ...around, tree, workingDir, engine: status.engine })),
    }
  } catch (error) {
    if (error instanceof BundleError) return { ...nothing, problem: error.message }
    throw error
  }
}

type Laid = Around & { tree: ProjectTree; workingDir: string; engine: string }

const installAndTest = async (laid: Laid): Promise<Omit<Stages, 'problem'>> => {
  const { suiteFolder, world, listener, engine, stopAt } = laid
  const { clock } = world.options
  const timeLeft = (): number => Math.max(1000, stopAt - clock.monotonic())
  const env = suiteEnvironment(laid)
  const runtimePackages = await versionsOf(laid.modules)
  const installed = await install({ ...laid, env, runtimePackages, timeMs: timeLeft() })
  const untested = { install: installed, stage: null, state: null, engine }
  const { stage: own } = installed ?? { stage: null }
  if (own !== null && (own.code !== 0 || own.limit !== null)) return untested
  if (listener.signal.aborted) return untested
  const stage = await runTests(laid, { env, timeMs: timeLeft() })
  return { install: installed, stage, state: await readSuiteState(suiteFolder.folder), engine }
}

const runTests = (
  { job, workingDir, suiteFolder, world, listener, chromium, modules, engine }: Laid,
  { env, timeMs }: { env: Record<string, string>; timeMs: number },
): Promise<StageEnding> => {
  const proxy = `http://127.0.0.1:${suiteFolder.egressProxy.port}`
  const proxies = engine.startsWith('bun') ? { HTTP_PROXY: proxy, HTTPS_PROXY: proxy } : {}
  return runStage(
    {
      name: 'The test command',
      task: {
        command: job.spec.testCommand,
        cwd: join(suiteFolder.folder.writable, suiteFiles.project, workingDir),
        env: { ...env, ...proxies },
      },
      files: [
        ...filesOfTools(world.tools),
        ...filesOfChromium(chromium.path, chromium.sandbox),
        { path: modules, file: false, may: 'run' },
        ...(world.options.ffmpeg === null
          ? []
          : [{ path: world.options.ffmpeg, file: true, may: 'run' } as const]),
      ],
      ownSandbox: chromium.sandbox,
      timeMs: Math.min(suiteLimits.testMs, timeMs),
      maxMemoryMb,
      softly: true,
    },
    { suiteFolder, options: world.options, listener },
  )
}

/** The one that the check names, else the newest that has Playwright: a suite with packages of its own needs none of it. */
const runtimeOf = (
  { runtimeId }: SuiteJob,
  runtimes: readonly Runtime[],
): { runtime: Runtime; modules: string } => {
  for (const runtime of runtimes) {
    const modules = installedModules(runtime)
    const isWanted = runtimeId === null || runtime.id === runtimeId
    if (isWanted && modules !== null && runtime.packages.includes('playwright')) return { runtime, modules }
  }
  const id = runtimes.find((one) => one.id === runtimeId) ?? runtimes[0]
  throw new CannotRun(
    `Playwright of the runtime ${runtimeId ?? ''} is not installed on this agent; "npm run runtime ${id === undefined ? '' : hyphenated(id.id)}" installs it`,
  )
}

const versionsOf = async (modules: string): Promise<ReadonlyMap<string, string>> => {
  const { packages } = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string }>
  }
  const prefix = 'node_modules/'
  return new Map(
    Object.entries(packages).flatMap(([path, { version }]) => {
      const name = path.slice(prefix.length)
      return version === undefined || name.includes(prefix) ? [] : [[name, version] as const]
    }),
  )
}

const maxWishBytes = 4096

const filesOf = async (tree: ProjectTree, workingDir: string): Promise<ReadonlyMap<string, string>> => {
  const files = new Map<string, string>()
  for (const name of engineFiles) {
    const path = posix.join(workingDir, name)
    if (tree.entries.get(path) !== 'file') continue
    if ((await lstat(join(tree.folder, path))).size <= maxWishBytes)
      files.set(name, await readFile(join(tree.folder, path), 'utf8'))
  }
  return files
}

const discard = async ({ files }: Collected): Promise<void> => {
  await Promise.all(files.map(({ path }) => rm(path, { force: true })))
}
