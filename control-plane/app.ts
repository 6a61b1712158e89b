/**
 * `App` is what every handler, loop and query function is given: configuration, store, clock, ids, log. Built once by
 * main.ts (and by tests, with a fake clock and ids). The only composition root of the control plane.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { Registry } from 'prom-client'
import { createPresence, type Presence } from './agents/presence.ts'
import { type Artifacts, createArtifacts } from './artifacts/artifacts.ts'
import { type CertificateReader, createCertificateReader } from './certificate-expiry/certificate-reader.ts'
import { createShownChecks, type ShownChecks } from './checks/shown-checks.ts'
import type { Cipher } from './cipher.ts'
import type { Config } from './config.ts'
import type { Database } from './database/db.ts'
import { createPingIntake, type PingIntake } from './heartbeats/ping-intake.ts'
import { createMail, type Mail } from './mail.ts'
import { createOutgoing, type Outgoing } from './outgoing.ts'
import { createOutgoingNetworks } from './outgoing-networks.ts'
import { createJudgedChecks, type JudgedChecks } from './runs/judged-checks.ts'
import { createWakeups, type Wakeups } from './runs/wakeups.ts'
import { createSteadyClock, type SteadyClock } from './steady-clock.ts'
import { uuidV7 } from './uuid.ts'

export type Clock = {
  /** Epoch milliseconds. */
  now(): number
  /** Milliseconds that never go back, for durations. */
  monotonic(): number
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export type App = {
  config: Config
  db: Database
  clock: Clock
  /** What `clock.now` is read off in a running program, for those who steer it. */
  steadyClock: SteadyClock
  log: Logger
  /** A UUID that grows with time (uuid.ts) and cannot be guessed. */
  newId(): string
  randomBytes(size: number): Buffer
  cipher: Cipher
  /** Wakes agents that wait for jobs in a location. */
  wakeups: Wakeups
  /** Requests to addresses that users and operators name. */
  outgoing: Outgoing
  /** Looks at the certificates of domains that users name. */
  certificates: CertificateReader
  /** Mails to addresses that users name, through the operator's server. */
  mail: Mail
  /** Takes the pings of heartbeat checks in. */
  pings: PingIntake
  /** Which agents were seen lately. */
  presence: Presence
  /** Checks as they were last shown. */
  shownChecks: ShownChecks
  /** What runs are judged by, as it was last read. */
  judgedChecks: JudgedChecks
  /** The files of results. */
  artifacts: Artifacts
  /** What `/metrics` shows. */
  metrics: Registry
}

const realClock = ({ now }: SteadyClock): Clock => ({
  now,
  monotonic: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const wake = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      signal?.addEventListener('abort', wake)
    }),
})

const realSteadyClock = (): SteadyClock =>
  createSteadyClock({ wall: () => Date.now(), monotonic: () => performance.now() })

type Given = Pick<App, 'config' | 'db' | 'log' | 'cipher'> & Partial<App>

/** The app of a running program; tests give their own clock, ids and randomness. */
export const createApp = (given: Given): App => {
  const steadyClock = given.steadyClock ?? realSteadyClock()
  const newId = given.newId ?? (() => uuidV7(steadyClock.now(), randomUUID()))
  return {
    steadyClock,
    clock: realClock(steadyClock),
    newId,
    randomBytes: (size) => randomBytes(size),
    wakeups: createWakeups(),
    outgoing: createOutgoing({ networks: createOutgoingNetworks(given.config.egressAllowedNetworks) }),
    certificates: createCertificateReader({
      networks: createOutgoingNetworks(given.config.egressAllowedNetworks),
    }),
    mail: createMail({ settings: given.config.providers.mail }),
    pings: createPingIntake(given.db, newId),
    presence: createPresence(),
    shownChecks: createShownChecks(),
    judgedChecks: createJudgedChecks(),
    artifacts: createArtifacts(given.config.artifactsDir),
    metrics: new Registry(),
    ...given,
  }
}
