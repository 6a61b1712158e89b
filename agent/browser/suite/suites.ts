/**
 * Playwright suites: whole projects, laid out, installed and run by their own commands (agent-facts 6.10). Each stage is a process
 * group of its own behind the walls, with the broker as its way out; what a run installs is kept for the next one.
 *
 * Invariants: no process of a stage outlives it, so that what the agent copies cannot change meanwhile; what one account has
 * installed no other uses; all that is kept together has one limit.
 */
import type { PlaywrightSpec } from '../../../protocol/checks/playwright-spec.ts'
import type { TimerClock } from '../../../protocol/clock.ts'
import { CannotRun } from '../../base/cannot-run.ts'
import type { OpenBroker } from '../../broker/broker.ts'
import type { Io, Log } from '../../net/io.ts'
import type { Downloaded } from '../../reporting/download.ts'
import type { Runtime } from '../../sandbox/runtimes.ts'
import type { Host, ScriptListener } from '../../sandbox/sandbox.ts'
import { missingWalls } from '../../walls/missing-walls.ts'
import type { Program } from '../../walls/program.ts'
import type { Walls } from '../../walls/walls.ts'
import type { Browsers } from '../browsers.ts'
import { createDiskCache, type DiskCache } from './disk-cache.ts'
import { runSuite, type SuiteRun } from './run-suite.ts'
import { findTools, type Tools } from './tools.ts'

export type SuiteJob = {
  spec: PlaywrightSpec
  accountId: string
  runtimeId: string | null
  variables: Record<string, string>
  secretNames: readonly string[]
  userAgent: string
  /** For all stages together. */
  timeMs: number
}

export type FetchBundle = (
  bundle: { id: string; bytes: number },
  to: string,
  signal: AbortSignal,
) => Promise<Downloaded>

export type Suites = {
  /** Rejects with CannotRun when this agent is at fault, and with the signal's reason when the run is cancelled. */
  run(job: SuiteJob, listener: ScriptListener, io: Io): Promise<SuiteRun>
  /** From now on archives come from there. */
  fetchWith(fetch: FetchBundle): void
}

export type SuitesOptions = {
  host: Host
  clock: TimerClock
  log: Pick<Log, 'debug'>
  /** Of `host.execPath`: "24.1.0". */
  nodeVersion: string
  newId(): string
  extraCaCerts: string | null
  runtimes: readonly Runtime[]
  suiteProgram(): Promise<Program>
  walls: Walls
  scriptIsolation: 'required' | 'best'
  openBroker: OpenBroker
  browsers: Pick<Browsers, 'standing'>
  /** What is kept from run to run; absent: nothing is. */
  suiteCache?: { folder: string; maxBytes: number }
  tools?: Tools
}

/** What all runs of suites share. */
export type SuiteWorld = {
  options: SuitesOptions
  cache: DiskCache | null
  tools: Tools
  fetch: FetchBundle
}

export const createSuites = (options: SuitesOptions): Suites => {
  const { suiteCache, host, tools = findTools(host.execPath), walls, scriptIsolation } = options
  const cache =
    suiteCache === undefined || suiteCache.maxBytes === 0
      ? null
      : createDiskCache({ ...options, ...suiteCache })
  let fetch: FetchBundle = async () => ({ problem: 'this agent has no control plane', missing: false })
  return {
    run: async (job, listener, io) => {
      if (scriptIsolation === 'required') {
        const problem = missingWalls((await walls.standing()).walls)
        if (problem !== null) throw new CannotRun(problem)
      }
      return runSuite(job, { listener, io, world: { options, cache, tools, fetch } })
    },
    fetchWith: (one) => {
      fetch = one
    },
  }
}
