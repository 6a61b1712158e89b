import type { TimerClock } from '../../protocol/clock.ts'
import type { LogLine } from '../../protocol/result.ts'
import type { OpenEgressProxy } from '../egress-proxy/egress-proxy.ts'
import type { Isolation } from '../isolation/isolation.ts'
import type { Program } from '../isolation/program.ts'
import type { Log } from '../net/io.ts'
import type { Runtime } from './runtimes.ts'

/** `hide`: a value that became a secret while the script ran; false: there are too many for all to be hidden. */
export type ScriptListener = {
  signal: AbortSignal
  say(level: LogLine['level'], msg: string): void
  hide(secret: string): boolean
}

/** This program's own Node, and a way to signal processes and, with a negative number, their groups. */
export type Host = { execPath: string; kill(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void }

export type SandboxOptions = {
  host: Host
  clock: TimerClock
  log: Pick<Log, 'debug'>
  extraCaCerts: string | null
  /** Scripts that run at once. */
  scriptConcurrency: number
  /** Children that may wait for scripts. */
  preparedScripts: number
  runtimes: readonly Runtime[]
  program(): Promise<Program>
  isolation: Isolation
  /** `required`: no script runs unless all required layers are there. */
  scriptIsolation: 'required' | 'best'
  /** Opens the way out of each child, before there is a script for it. */
  openEgressProxy: OpenEgressProxy
}
