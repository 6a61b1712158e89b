import type { TimerClock } from '../../protocol/clock.ts'
import type { OpenEgressProxy } from '../egress-proxy/egress-proxy.ts'
import type { Isolation } from '../isolation/isolation.ts'
import type { Program } from '../isolation/program.ts'
import type { Log } from '../net/io.ts'
import type { Runtime } from '../sandbox/runtimes.ts'
import type { Host } from '../sandbox/sandbox-options.ts'
import type { ChromiumProgram } from './find-chromium.ts'

export type BrowsersOptions = {
  host: Host
  clock: TimerClock
  log: Pick<Log, 'debug'>
  extraCaCerts: string | null
  /** Processes that may wait for scripts. */
  preparedBrowsers: number
  runtimes: readonly Runtime[]
  browserProgram(): Promise<Program>
  /** Null: there is none. */
  chromium: ChromiumProgram | null
  /** What records pages; null: there is nothing. */
  ffmpeg: string | null
  isolation: Isolation
  scriptIsolation: 'required' | 'best'
  openEgressProxy: OpenEgressProxy
}
