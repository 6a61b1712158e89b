import type { TimerClock } from '../../protocol/clock.ts'
import type { LogLine } from '../../protocol/result.ts'
import type { OpenBroker } from '../broker/broker.ts'
import type { Log } from '../net/io.ts'
import type { Program } from '../walls/program.ts'
import type { Walls } from '../walls/walls.ts'
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
  walls: Walls
  /** `required`: no script runs unless all necessary walls stand. */
  scriptIsolation: 'required' | 'best'
  /** Opens the way out of each child, before there is a script for it. */
  openBroker: OpenBroker
}
