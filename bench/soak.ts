/** SOAK: whether a control plane that takes in results and ends them stays as large and as fast as it is. */

import { statSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { controlPlaneArguments, controlPlaneEnvironment } from '../control-plane/small-process.ts'
import {
  accountId,
  agentKey,
  apiKey,
  type ControlPlaneProgram,
  endsWith,
  listening,
  scratchFolder,
  startProgram,
} from '../test/support/programs.ts'
import type { Bench, Row, Running } from './bench.ts'
import { actAsAgent, type Reported } from './soak/agents.ts'
import { growthOf } from './soak/flatness.ts'
import { askAround } from './soak/requests.ts'
import { createKeys } from './support/api-keys.ts'
import { cpuSeconds, residentMb } from './support/cpu-time.ts'
import { grouped, percentile, rounded } from './support/numbers.ts'
import { type OwnMetrics, readOwnMetrics, stallsBetween, sumOf } from './support/own-metrics.ts'
import { poster } from './support/post-json.ts'
import { createChecks, openStore } from './support/prepare.ts'
import { observe, plainTarget } from './support/reports.ts'
import { sized } from './support/size.ts'

const minutes = Number(process.env['SOAK_MINUTES'] ?? sized(60, 4))
/** Results a second. */
const perSecond = Number(process.env['SOAK_RATE'] ?? sized(50, 10))
/** How many times as fast the time of the control plane passes. */
const speed = Number(process.env['SOAK_SPEED'] ?? 60)
/** Of each check, in minutes of the control plane. */
const frequency = Number(process.env['SOAK_FREQUENCY'] ?? 10)
const secondsBetweenRuns = (frequency * 60) / speed
const minuteMs = sized(60_000, 1500)
const grownAtMost = 0.1

const start = async (b: Running, dataDir: string): Promise<ControlPlaneProgram> =>
  listening(
    endsWith(
      b,
      startProgram('bench/soak/program.ts', {
        nodeArgs: controlPlaneArguments,
        env: {
          ...controlPlaneEnvironment,
          LOG_LEVEL: 'info',
          SOAK_SPEED: String(speed),
          PORT: '0',
          DATA_DIR: dataDir,
          BOOTSTRAP_ACCOUNT_ID: accountId,
          BOOTSTRAP_API_KEY: apiKey,
          BOOTSTRAP_AGENT_KEY: agentKey,
        },
      }),
    ),
  )

type Minute = {
  results: number
  memoryMb: number
  heapMb: number
  externalMb: number
  fileMb: number
  walMb: number
  p50Ms: number
  p99Ms: number
  cpuPercent: number
  longestLoopMs: number
  statementsOver20Ms: number
  removedRows: number
  others: number
}

const sizeMb = (file: string): number => {
  const { size = 0 } = statSync(file, { throwIfNoEntry: false }) ?? {}
  return rounded(size / 1e6, 1)
}

const gaugeMb = (metrics: OwnMetrics, name: string): number => rounded((metrics.get(name) ?? 0) / 1e6, 1)

type Seen = { metrics: OwnMetrics; cpu: number; reported: Reported }

const see = async ({ pid, url }: ControlPlaneProgram, reported: Reported): Promise<Seen> => ({
  metrics: await readOwnMetrics(url),
  cpu: cpuSeconds(pid),
  reported: { ...reported },
})

type Looking = { controlPlane: ControlPlaneProgram; dataDir: string; times: number[] }

const minuteOf = ({ controlPlane, dataDir, times }: Looking, before: Seen, after: Seen): Minute => {
  const { longestLoopMs, statementsOver20Ms } = stallsBetween(before.metrics, after.metrics)
  const removed = (seen: Seen): number => sumOf(seen.metrics, 'watchpost_retention_rows_total')
  const taken = times.splice(0)
  return {
    results: after.reported.accepted - before.reported.accepted,
    memoryMb: residentMb(controlPlane.pid),
    heapMb: gaugeMb(after.metrics, 'nodejs_heap_size_total_bytes'),
    externalMb: gaugeMb(after.metrics, 'nodejs_external_memory_bytes'),
    fileMb: sizeMb(join(dataDir, 'watchpost.db')),
    walMb: sizeMb(join(dataDir, 'watchpost.db-wal')),
    p50Ms: rounded(percentile(taken, 50), 1),
    p99Ms: rounded(percentile(taken, 99), 1),
    cpuPercent: rounded(((after.cpu - before.cpu) * 100_000) / minuteMs, 1),
    longestLoopMs: rounded(longestLoopMs),
    statementsOver20Ms,
    removedRows: removed(after) - removed(before),
    others: after.reported.others - before.reported.others,
  }
}

const rowsOf = (seen: readonly Minute[]): Row[] => {
  const judged: { key: keyof Minute; what: string; unit: string }[] = [
    { key: 'memoryMb', what: 'resident memory', unit: 'MB' },
    { key: 'fileMb', what: 'the file of the store', unit: 'MB' },
    { key: 'p50Ms', what: 'time to an answer, p50', unit: 'ms' },
    { key: 'p99Ms', what: 'time to an answer, p99', unit: 'ms' },
    { key: 'cpuPercent', what: 'CPU', unit: '% of a core' },
  ]
  const results = seen.reduce((sum, minute) => sum + minute.results, 0)
  return judged.map(({ key, what, unit }) => {
    const values = seen.map((minute) => minute[key])
    const growth = growthOf(values)
    return {
      name: 'SOAK',
      work: `${what} over ${seen.length} minutes and ${grouped(results)} results`,
      ours: `${values.at(-1)} ${unit} at the end, most ${Math.max(...values)}; last quarter against the one before ${rounded(100 * growth, 1)} %`,
      against: '',
      ratio: '',
      goal: `≤ ${100 * grownAtMost} % more`,
      met: growth <= grownAtMost,
      numbers: { byMinute: values.join(' '), growth: rounded(growth, 3) },
      notes: [],
    }
  })
}

const observeFailing = async (b: Running) => {
  const server = http.createServer((_, response) => response.writeHead(500).end('broken'))
  b.teardown(() => server.close())
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  return observe(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
}

export const soak: Bench = {
  id: 'SOAK',
  name: 'soak',
  onRequest: true,
  measures: `memory, file and latency of a control plane, minute by minute for ${minutes} (SOAK_MINUTES), with ${perSecond} results a second (SOAK_RATE) that it keeps for three of its hours; its time passes ${speed} times as fast (SOAK_SPEED), and each check runs every ${frequency} minutes of it (SOAK_FREQUENCY)`,
  run: async (b) => {
    const folder = await scratchFolder(b)
    const dataDir = join(folder, 'data')
    const observations = { passing: await observe(await plainTarget(b)), failing: await observeFailing(b) }
    const controlPlane = await start(b, dataDir)
    const db = openStore(b, `sqlite:${dataDir}/watchpost.db`)
    const checkIds = await createChecks(db, Math.round(perSecond * secondsBetweenRuns), (n) => ({
      name: `check ${n}`,
      request: { url: 'http://127.0.0.1/' },
      frequency,
      doubleCheck: false,
    }))
    const keys = await createKeys(db, 60)
    const stopping = new AbortController()
    const connection = new http.Agent({ keepAlive: true, maxSockets: 1 })
    b.teardown(() => {
      stopping.abort()
      connection.destroy()
    })
    const reported = { accepted: 0, others: 0 }
    const times: number[] = []
    const { signal } = stopping
    const post = poster(controlPlane.url, agentKey, connection)
    const working = Promise.all([
      actAsAgent(post, observations, { reported, signal }),
      askAround({ origin: controlPlane.url, keys, checkIds, signal }, times),
    ])
    const seen: Minute[] = []
    let before = await see(controlPlane, reported)
    while (seen.length < minutes) {
      await Promise.race([sleep(minuteMs), working])
      const after = await see(controlPlane, reported)
      const minute = minuteOf({ controlPlane, dataDir, times }, before, after)
      seen.push(minute)
      b.say(`${seen.length}: ${JSON.stringify(minute)}`)
      before = after
    }
    stopping.abort()
    await working
    return rowsOf(seen)
  },
}
