import { pino } from 'pino'
import { createBrokers } from '../../agent/broker/broker.ts'
import type { Io } from '../../agent/io.ts'
import { type IoOptions, realClock, realIo } from '../../agent/real-io.ts'
import { findRuntimes, ownRuntimes } from '../../agent/sandbox/runtimes.ts'
import { createSandbox } from '../../agent/sandbox/sandbox.ts'
import { sleepWith, type TimerClock } from '../../protocol/clock.ts'
import './patience.ts'

type Change = Partial<IoOptions> & { clock?: TimerClock; scriptClock?: TimerClock }

/** The real door to the world, quiet, with what a test wants to be different. */
export const agentIo = (change: Change = {}): Io => {
  const { clock, scriptClock = patientClock(), ...changed } = change
  const options: IoOptions = {
    log: pino({ level: 'silent' }),
    dnsServers: [],
    extraCaCerts: null,
    blockedNetworks: [],
    allowedNetworks: [],
    capture: false,
    scriptConcurrency: 4,
    host: process,
    ...changed,
  }
  const runtimes = findRuntimes(options.runtimesFolder ?? ownRuntimes)
  const io = {
    ...realIo(options),
    runScript: createSandbox({ ...options, runtimes, clock: scriptClock, openBroker: createBrokers() }),
  }
  return clock === undefined ? io : { ...io, clock }
}

/** Gives scripts six times their seconds: on a busy machine they need them. */
const patientClock = (): TimerClock => {
  const clock = realClock()
  const at: TimerClock['at'] = (delayMs, act) => clock.at(delayMs < 1000 ? delayMs : 6 * delayMs, act)
  return { ...clock, at, sleep: sleepWith(at) }
}

/** A log that keeps its lines. */
export const recordingLog = () => {
  const lines: string[] = []
  const log = pino(
    { level: 'info' },
    { write: (line: string) => lines.push((JSON.parse(line) as { msg: string }).msg) },
  )
  return { log, lines }
}
