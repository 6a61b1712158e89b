/** The same script as an agent runs it and as its author does, on the same Chromium and with the same packages. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findChromium } from '../../agent/browser/find-chromium.ts'
import { runJob } from '../../agent/jobs/run-job.ts'
import { realClock } from '../../agent/program/real-io.ts'
import { findRuntimes, installedModules, ownRuntimes } from '../../agent/sandbox/runtimes.ts'
import { agentIo } from '../../test/support/agent-io.ts'
import { urlJob } from '../../test/support/fake-control-plane.ts'
import type { Running } from '../bench.ts'
import { endedChildrenCpuMs, processTree, treeMb } from './process-trees.ts'

const { process } = globalThis

/** `preparedMs`: what of `cpuMs` was used before the run, while nobody waited. */
export type RunCost = { wallMs: number; cpuMs: number; preparedMs: number }

export type BrowserTool = {
  run(): Promise<RunCost>
  /** Starts as many at once, and says which processes they are. */
  runTogether(count: number): Promise<{ roots: number[]; ended: Promise<unknown> }>
}

export type ScriptPair = { test: string; library: string }
export type Style = keyof ScriptPair

export const findParts = (): { modules: string; chromium: string } | null => {
  const newest = findRuntimes(ownRuntimes)[0]
  const modules = newest === undefined ? null : installedModules(newest)
  const chromium = findChromium('/none')?.path ?? null
  return modules === null || chromium === null ? null : { modules, chromium }
}

/** An agent's runner with `prepared` processes that may wait. */
export const openAgent = async (b: Running, script: string, prepared: number) => {
  const io = agentIo({ isolated: true, preparedBrowsers: prepared, scriptClock: realClock() })
  const end = async (): Promise<void> => {
    await io.browsers.end()
    await io.endScripts()
  }
  b.teardown(end)
  const { chromium } = await io.browsers.status(io)
  const leaders = (): number[] =>
    processTree([process.pid])
      .filter(({ parent, command }) => parent === process.pid && /browser-main\.mjs/.test(command))
      .map(({ pid }) => pid)
  const once = async (): Promise<void> => {
    const spec = { script, scriptPath: null, dependencies: [], snippets: [], shouldFail: false }
    const job = urlJob('', { checkType: 'BROWSER', runtimeId: '2026.04', deadlineMs: 120_000, spec })
    const { outcome, artifacts } = await runJob(job, io, new AbortController())
    for (const artifact of artifacts) await artifact.discard()
    if (outcome.kind !== 'observed' || outcome.observation.failure !== null)
      throw new Error(`a run did not pass: ${JSON.stringify(outcome)}`)
  }
  const own = (): number => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000
  const tool: BrowserTool = {
    run: async () => {
      await settled(leaders)
      // All that wait have done the same, and one of them is taken.
      const preparedMs = cpuOf(leaders()) / leaders().length
      const before = { at: performance.now(), cpu: endedChildrenCpuMs(), own: own() }
      await once()
      const wallMs = performance.now() - before.at
      return { wallMs, preparedMs, cpuMs: endedChildrenCpuMs() - before.cpu + own() - before.own }
    },
    runTogether: async (count) => {
      const roots = leaders()
      return { roots, ended: Promise.all(Array.from({ length: count }, once)) }
    },
  }
  return { tool, sandbox: chromium?.sandbox ?? false, warm: once, leaders, end }
}

const cpuOf = (roots: readonly number[]): number =>
  processTree(roots).reduce((sum, { cpuMs }) => sum + cpuMs, 0)

/** Nothing that waits does anything any more. */
const settled = async (leaders: () => number[]): Promise<void> => {
  for (let last = -1; ; await sleep(1500)) {
    const now = cpuOf(leaders())
    if (now === last && now > 0) return
    last = now
  }
}

export const waitingMb = async (leaders: () => number[]): Promise<number> => {
  await settled(leaders)
  return Math.round(treeMb(leaders()))
}

type Bare = { style: Style; script: string; sandbox: boolean }

/** `cli.js test` of the file, without what npx takes itself; or Node with a program. */
export const openBare = (b: Running, { style, script, sandbox }: Bare): BrowserTool => {
  const parts = findParts()
  if (parts === null) throw new Error('there is no Chromium, or no runtime')
  const folder = mkdtempSync(join(tmpdir(), 'watchpost-bench-'))
  b.teardown(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(parts.modules, join(folder, 'node_modules'))
  // Chromium has no sandbox for root, whom agents give another user.
  const chromiumSandbox = sandbox && process.getuid?.() !== 0
  const launchOptions = { executablePath: parts.chromium, chromiumSandbox }
  const use = JSON.stringify({ workers: 1, reporter: 'line', use: { launchOptions } })
  writeFileSync(join(folder, 'playwright.config.js'), `module.exports = ${use}\n`)
  const options = JSON.stringify(launchOptions)
  writeFileSync(
    join(folder, style === 'test' ? 'script.spec.ts' : 'script.mjs'),
    style === 'test' ? script : bareProgram(script, options),
  )
  const args = style === 'test' ? ['node_modules/playwright/cli.js', 'test'] : ['script.mjs']
  const start = () => {
    const child = spawn(process.execPath, args, { cwd: folder, env: barely(), stdio: 'ignore' })
    const ended = once(child, 'exit').then(([code]) => {
      if (code !== 0) throw new Error(`the bare run ended with ${code}`)
    })
    return { pid: child.pid as number, ended }
  }
  return {
    run: async () => {
      const before = { at: performance.now(), cpu: endedChildrenCpuMs() }
      await start().ended
      return {
        wallMs: performance.now() - before.at,
        cpuMs: endedChildrenCpuMs() - before.cpu,
        preparedMs: 0,
      }
    },
    runTogether: async (count) => {
      const all = Array.from({ length: count }, start)
      return { roots: all.map(({ pid }) => pid), ended: Promise.all(all.map(({ ended }) => ended)) }
    },
  }
}

/** Without the compile cache of this run: a shell of a person has none. */
const barely = (): NodeJS.ProcessEnv => {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  return env
}

/** What agents do for programs: `require`, and which browser is launched. */
const bareProgram = (script: string, options: string): string =>
  `import { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)\n${script.replace('launch()', `launch(${options})`)}`
