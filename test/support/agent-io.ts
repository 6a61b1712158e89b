import { pino } from 'pino'
import { type Clock, type Io, type IoOptions, realIo } from '../../agent/io.ts'

/** The real door to the world, quiet, with what a test wants to be different. */
export const agentIo = (change: Partial<IoOptions> & { clock?: Clock } = {}): Io => {
  const { clock, ...options } = change
  const io = realIo({
    log: pino({ level: 'silent' }),
    dnsServers: [],
    extraCaCerts: null,
    blockedNetworks: [],
    allowedNetworks: [],
    capture: false,
    scriptConcurrency: 4,
    host: process,
    ...options,
  })
  return clock === undefined ? io : { ...io, clock }
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
