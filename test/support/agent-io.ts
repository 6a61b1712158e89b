import { pino } from 'pino'
import { createBrowsers } from '../../agent/browser/browsers.ts'
import { type ChromiumProgram, findChromium } from '../../agent/browser/find-chromium.ts'
import { findFfmpeg } from '../../agent/browser/find-ffmpeg.ts'
import { createSuites } from '../../agent/browser/suite/suites.ts'
import { createEgressProxies, type OpenEgressProxy } from '../../agent/egress-proxy/egress-proxy.ts'
import { createIsolation, noIsolation } from '../../agent/isolation/isolation.ts'
import { programLoader } from '../../agent/isolation/program.ts'
import type { RealIo } from '../../agent/program/real-io.ts'
import { type IoOptions, ofSuites, realClock, realIo } from '../../agent/program/real-io.ts'
import { findRuntimes, ownRuntimes } from '../../agent/sandbox/runtimes.ts'
import { createSandbox } from '../../agent/sandbox/sandbox.ts'
import { sleepWith, type TimerClock } from '../../protocol/clock.ts'
import type { LoopWatch } from '../../protocol/loop-watch.ts'
import './patience.ts'

type Change = Partial<IoOptions> & {
  clock?: TimerClock
  scriptClock?: TimerClock
  /** Scripts run in the isolation of this machine. */
  isolated?: boolean
  /** Another browser than that of this machine; null: none. */
  chromium?: ChromiumProgram | null
  openEgressProxy?: OpenEgressProxy
  /** Processes that wait for scripts; who wants some ends them. */
  preparedScripts?: number
  /** What records pages, if not what the machine has. */
  ffmpeg?: string | null
  loopWatch?: LoopWatch
  /** False: no run has a file system of its own, as where an agent may not mount. */
  volumes?: boolean
}

/** On a busy machine every loop stands now and then: who tests what follows from it says when. */
const neverStands: LoopWatch = { begin: () => () => 0, onStall: () => undefined }

/** The real connections, quiet, with what a test wants to be different. */
export const agentIo = (change: Change = {}): RealIo => {
  const {
    clock,
    scriptClock = patientClock(),
    isolated = false,
    openEgressProxy = createEgressProxies(),
    preparedScripts = 0,
    loopWatch = neverStands,
    ffmpeg,
    chromium,
    volumes = true,
    ...changed
  } = change
  const options: IoOptions = {
    log: pino({ level: 'silent' }),
    dnsServers: [],
    extraCaCerts: null,
    blockedNetworks: [],
    allowedNetworks: [],
    capture: false,
    scriptConcurrency: 4,
    preparedBrowsers: 0,
    browsersFolder: '/none',
    scriptIsolation: 'best',
    host: process,
    nodeVersion: process.versions.node,
    ...changed,
  }
  const runtimes = findRuntimes(options.runtimesFolder ?? ownRuntimes)
  const { execPath } = options.host
  const program = programLoader(execPath)
  const isolation = isolated
    ? { ...createIsolation({ execPath, clock: realClock(), program }), ...(volumes ? {} : withoutVolumes) }
    : noIsolation('this test needs none')
  const common = { ...options, runtimes, clock: scriptClock, isolation, openEgressProxy }
  const recorder = ffmpeg === undefined ? findFfmpeg(options.browsersFolder) : ffmpeg
  const browsers = createBrowsers({
    ...common,
    browserProgram: programLoader(execPath, 'browser'),
    ffmpeg: recorder,
    // Who tests browsers says so: to try one takes a second.
    chromium: chromium === undefined && isolated ? findChromium(options.browsersFolder) : (chromium ?? null),
    ...(isolated ? {} : { runtimes: [] }),
  })
  const io = {
    ...realIo(options),
    ...createSandbox({ ...common, program, preparedScripts }),
    browsers,
    suites: createSuites({ ...common, browsers, ffmpeg: recorder, ...ofSuites(execPath) }),
    isolation,
    loopWatch,
  }
  return clock === undefined ? io : { ...io, clock }
}

const withoutVolumes = { openVolume: async () => null }

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
