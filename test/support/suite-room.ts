/** An agent's parts that run Playwright suites, in the isolation of this machine, with its own Chromium. */
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { runJob } from '../../agent/jobs/run-job.ts'
import type { PlaywrightCheckResult } from '../../protocol/checks/playwright-result.ts'
import type { CodeBundle, PlaywrightSpec } from '../../protocol/checks/playwright-spec.ts'
import type { Job } from '../../protocol/job.ts'
import { agentIo } from './agent-io.ts'
import { urlJob } from './fake-control-plane.ts'
import { temporaryFolder } from './test-agent.ts'

export type SuiteChange = Partial<PlaywrightSpec> & { job?: Partial<Omit<Job, 'spec'>> }

export const plainSpec: PlaywrightSpec = {
  files: [],
  bundle: null,
  workingDir: null,
  playwrightConfigPath: null,
  projects: [],
  tags: [],
  installCommand: null,
  testCommand: 'npx playwright test',
  engine: null,
  refreshCache: false,
}

export const suiteRoom = async (t: Test, options: Parameters<typeof agentIo>[0] = {}) => {
  const suiteCache = { folder: join(temporaryFolder(t), 'suites'), maxBytes: 1e9 }
  const io = agentIo({ isolated: true, suiteCache, ...options })
  t.teardown(async () => {
    await io.browsers.end()
    await io.endScripts()
  })
  const bundles = new Map<string, Buffer>()
  const fetched: string[] = []
  io.suites.fetchWith(async ({ id }, to) => {
    fetched.push(id)
    const bytes = bundles.get(id)
    if (bytes === undefined) return { problem: 'status 404', missing: true }
    await writeFile(to, bytes)
    return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
  const status = await io.browsers.status(io)
  const attempt = async ({ job, ...spec }: SuiteChange, controller = new AbortController()) => {
    const asked = urlJob('', {
      ...{ checkType: 'PLAYWRIGHT', runtimeId: null, deadlineMs: 240_000 },
      ...job,
      spec: { ...plainSpec, ...spec },
    })
    const result = await runJob(asked, io, controller)
    const files = new Map<string, Buffer>()
    for (const artifact of result.artifacts) {
      files.set(artifact.name, await buffer(artifact.bytes()))
      await artifact.discard()
    }
    return { ...result, files }
  }
  return {
    ...{ io, status, attempt, fetched, cacheFolder: suiteCache.folder },
    /** Lets the control plane have it. */
    bundle: (id: string, bytes: Buffer): CodeBundle => {
      bundles.set(id, bytes)
      return { id, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
    },
    run: async (change: SuiteChange) => {
      const { outcome, log, files } = await attempt(change)
      if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
      const { failure, degraded, detail } = outcome.observation
      return {
        ...{ failure, degraded, files },
        detail: detail as PlaywrightCheckResult,
        log: log.map(({ level, msg }) => `${level} ${msg}`).join('\n'),
      }
    },
  }
}

/** One for all tests of a file, as `sharedRoom` of browser-room.ts. */
export const sharedSuiteRoom = (t: Test): (() => ReturnType<typeof suiteRoom>) => {
  let room: ReturnType<typeof suiteRoom> | undefined
  return () => {
    room ??= suiteRoom(t)
    return room
  }
}
