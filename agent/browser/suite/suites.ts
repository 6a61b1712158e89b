import type { SuiteEngine } from '../../../protocol/checks/playwright-spec.ts'
import { CannotRun } from '../../base/cannot-run.ts'
import { missingIsolation } from '../../isolation/missing-isolation.ts'
import type { Io } from '../../net/io.ts'
import type { ScriptListener } from '../../sandbox/sandbox-options.ts'
import { createDiskCache } from './disk-cache.ts'
import { runSuite, type SuiteRun } from './run-suite.ts'
import type { FetchBundle, SuiteJob, SuitesOptions } from './suites-options.ts'
import { enginesOf, findTools } from './tools.ts'

export type Suites = {
  engines: readonly SuiteEngine[]
  /** Rejects with CannotRun when this agent is at fault, and with the signal's reason when the run is cancelled. */
  run(job: SuiteJob, listener: ScriptListener, io: Io): Promise<SuiteRun>
  /** From now on archives come from there. */
  fetchWith(fetch: FetchBundle): void
}

export const createSuites = (options: SuitesOptions): Suites => {
  const { suiteCache, host, tools = findTools(host.execPath), isolation, scriptIsolation } = options
  const cache =
    suiteCache === undefined || suiteCache.maxBytes === 0
      ? null
      : createDiskCache({ ...options, ...suiteCache })
  let fetch: FetchBundle = async () => ({ problem: 'this agent has no control plane', missing: false })
  return {
    engines: enginesOf({ nodeVersion: options.nodeVersion, tools }),
    run: async (job, listener, io) => {
      if (scriptIsolation === 'required') {
        const problem = missingIsolation((await isolation.status()).layers)
        if (problem !== null) throw new CannotRun(problem)
      }
      return runSuite(job, { listener, io, world: { options, cache, tools, fetch } })
    },
    fetchWith: (one) => {
      fetch = one
    },
  }
}
