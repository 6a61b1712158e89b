/** P19: whether 10,000 checks a minute start on time for an hour on SQLite, beside people who read. */
import { setTimeout as sleep } from 'node:timers/promises'
import { isSettled } from '../test/support/ledger.ts'
import { endsWith, type Program, spawnAgent } from '../test/support/programs.ts'
import type { Bench, Row, Running } from './bench.ts'
import { describeLateness, latenessOf } from './p2-start-lateness.ts'
import { growthOf } from './soak/flatness.ts'
import { askAround } from './soak/requests.ts'
import { createKeys } from './support/api-keys.ts'
import { cpuSeconds, residentMb } from './support/cpu-time.ts'
import { browsers, type Installation, install } from './support/installation.ts'
import { grouped, percentile, rounded } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { isSmall, sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const seconds = Number(process.env['P19_SECONDS'] ?? sized(3600, 10))
const checks = sized(10_000, 10)
const periodMs = sized(60_000, 10_000)
const agents = 2
const readers = 2
const goalMs = 20
const grownAtMost = 0.1
/** Of the memory of each program. */
const sampledEveryMs = sized(60_000, 2000)

type Watched = { name: string; pid: number; mb: number[]; cpuBefore: number }

const startAgents = (b: Running, { folder, controlPlane }: Installation): Program[] =>
  Array.from({ length: agents }, (_, n) =>
    endsWith(b, spawnAgent({ url: controlPlane.url, spoolDir: `${folder}/spool-${n}`, browsers })),
  )

const startReaders = async (
  b: Running,
  { db, controlPlane }: Installation,
  checkIds: readonly string[],
): Promise<{ times: number[]; stop(): Promise<unknown> }> => {
  const keys = await createKeys(db, 60)
  const stopping = new AbortController()
  b.teardown(() => stopping.abort())
  const times: number[] = []
  const { signal } = stopping
  const reading = Promise.all(
    Array.from({ length: readers }, () =>
      askAround({ origin: controlPlane.url, keys, checkIds, signal }, times),
    ),
  )
  return {
    times,
    stop: () => {
      stopping.abort()
      return reading
    },
  }
}

const memoryRow = ({ name, pid, mb, cpuBefore }: Watched): Row => {
  const growth = growthOf(mb)
  const percent = ((cpuSeconds(pid) - cpuBefore) * 100) / seconds
  return {
    name: 'P19 memory',
    work: `memory of ${name} over ${grouped(seconds)} s`,
    ours: `${mb.at(-1)} MB at the end, most ${Math.max(...mb)}; CPU ${rounded(percent, 1)} % of a core`,
    against: 'the quarter before the last',
    ratio: `${rounded(100 * growth, 1)} %`,
    goal: `grows by ≤ ${100 * grownAtMost} %`,
    met: Number.isNaN(growth) ? null : growth <= grownAtMost,
    numbers: {
      endMb: mb.at(-1) ?? null,
      mostMb: Math.max(...mb),
      growth: rounded(growth, 3),
      cpuPercent: rounded(percent, 1),
    },
    notes: [],
  }
}

export const hourOfChecks: Bench = {
  id: 'P19',
  name: 'p19-hour',
  onRequest: true,
  measures: `start lateness of ${grouped(checks)} URL checks every ${periodMs / 1000} s by ${agents} agents over ${grouped(seconds)} s (P19_SECONDS) on SQLite, beside ${readers} readers who ask for lists, results and analytics four times a second each; what was missed, and whether memory is flat`,
  run: async (b) => {
    const installation = await install(b)
    const { db, controlPlane } = installation
    const origin = await startTarget(b, 'http')
    const ids = await createChecks(db, checks, (n) => ({
      name: `check ${n}`,
      request: { url: `${origin}/` },
      ...(isSmall ? { frequency: 0, frequencyOffset: 10 } : { frequency: 1 }),
    }))
    const programs = startAgents(b, installation)
    // All first runs are due at once, when the checks are created: the slots come after them.
    await sleep(1.5 * periodMs)
    const { times, stop } = await startReaders(b, installation, ids)
    const watched: Watched[] = [controlPlane, ...programs].map(({ pid }, n) => ({
      name: n === 0 ? 'the control plane' : `agent ${n}`,
      pid,
      mb: [],
      cpuBefore: cpuSeconds(pid),
    }))
    const from = Date.now()
    const to = from + seconds * 1000
    while (Date.now() < to) {
      await sleep(Math.min(sampledEveryMs, Math.max(0, to - Date.now())))
      for (const one of watched) one.mb.push(residentMb(one.pid))
      b.say(watched.map(({ name, mb }) => `${name} ${mb.at(-1)} MB`).join(', '))
    }
    const memory = watched.map(memoryRow)
    await stop()
    await until('the last results', { everyMs: 1000, withinMs: 120_000 }, () => isSettled(db, to))
    const lateness = await latenessOf(db, new Set(ids), [from, to])
    const readP99 = percentile(times, 99)
    return [
      {
        name: 'P19',
        work: `lateness of ${grouped(checks)} checks every ${periodMs / 1000} s for ${grouped(seconds)} s, SQLite, beside readers`,
        ours: `${describeLateness(lateness)}; ${grouped(lateness.runs)} runs, ${lateness.missed} missed`,
        against: 'the slot itself',
        ratio: '–',
        goal: `p99 ≤ ${goalMs} ms, nothing missed`,
        met: lateness.p99 <= goalMs && lateness.missed === 0,
        numbers: {
          ...lateness,
          reads: times.length,
          readP50Ms: rounded(percentile(times, 50), 1),
          readP99Ms: rounded(readP99, 1),
        },
        notes: [
          `${times.length} answers to readers, p99 ${rounded(readP99)} ms; ${lateness.early} early, drift ${lateness.driftMs} ms`,
        ],
      },
      ...memory,
    ]
  },
}
