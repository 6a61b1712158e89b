import type { PlaywrightSpec } from '../../../protocol/checks/playwright-spec.ts'
import type { TimerClock } from '../../../protocol/clock.ts'
import type { OpenEgressProxy } from '../../egress-proxy/egress-proxy.ts'
import type { Isolation } from '../../isolation/isolation.ts'
import type { Program } from '../../isolation/program.ts'
import type { Log } from '../../net/io.ts'
import type { Downloaded } from '../../reporting/download.ts'
import type { Runtime } from '../../sandbox/runtimes.ts'
import type { Host } from '../../sandbox/sandbox-options.ts'
import type { Browsers } from '../browsers.ts'
import type { DiskCache } from './disk-cache.ts'
import type { Tools } from './tools.ts'

export type SuiteJob = {
  spec: PlaywrightSpec
  accountId: string
  checkId: string
  /** '' where its spec has no bundle. */
  bundleTicket: string
  runtimeId: string | null
  variables: Record<string, string>
  secretNames: readonly string[]
  userAgent: string
  /** For all stages together. */
  timeMs: number
}

export type FetchBundle = (
  bundle: { id: string; bytes: number; ticket: string },
  to: string,
  signal: AbortSignal,
) => Promise<Downloaded>

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
  isolation: Isolation
  scriptIsolation: 'required' | 'best'
  openEgressProxy: OpenEgressProxy
  browsers: Pick<Browsers, 'status' | 'layAuthorities'>
  /** What records pages; null: there is nothing. */
  ffmpeg: string | null
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
