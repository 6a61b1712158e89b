import type { TimerClock } from '../../protocol/clock.ts'
import type { OpenBroker } from '../broker/broker.ts'
import type { Log } from '../net/io.ts'
import type { Runtime } from '../sandbox/runtimes.ts'
import type { Host } from '../sandbox/sandbox-options.ts'
import type { Program } from '../walls/program.ts'
import type { Walls } from '../walls/walls.ts'
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
  walls: Walls
  scriptIsolation: 'required' | 'best'
  openBroker: OpenBroker
}
