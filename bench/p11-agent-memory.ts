/** P11: the memory of an agent that serves a large account. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Bench, Row, Running } from './bench.ts'
import { peakResidentMb, residentMb } from './support/cpu-time.ts'
import { countResults, install } from './support/installation.ts'
import { grouped, percentile } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const checks = sized(10_000, 10)
const periodMinutes = 1
const measuredMs = sized(60_000, 1000)
const goalMb = 120

const measure = async (b: Running): Promise<Row> => {
  const { db, folder, controlPlane, startAgent } = await install(b)
  const target = await startTarget(b, 'http')
  await createChecks(db, checks, (index) => ({
    name: `check ${index}`,
    request: {
      url: `${target}/`,
      assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
    },
    frequency: periodMinutes,
  }))
  // As after the first start of an installation: what was compiled then is there.
  const env = { NODE_COMPILE_CACHE: join(folder, 'compile-cache') }
  const first = startAgent(env)
  await until(
    'the first agent',
    { everyMs: 200, withinMs: 120_000 },
    async () => (await countResults(db)) > 0,
  )
  await first.end('SIGTERM')
  const agent = startAgent(env)
  const all = async () => (await countResults(db)) >= checks
  await until('the first runs', { everyMs: 200, withinMs: 120_000 }, all)
  const before = await countResults(db)
  const samples: number[] = []
  const end = performance.now() + measuredMs
  while (performance.now() < end) {
    await sleep(1000)
    samples.push(residentMb(agent.pid))
  }
  const runs = (await countResults(db)) - before
  const p50 = percentile(samples, 50)
  const max = percentile(samples, 100)
  const peak = peakResidentMb(agent.pid)
  await agent.end('SIGKILL')
  await controlPlane.end('SIGKILL')
  return {
    name: 'P11',
    work: `agent with ${grouped(checks)} checks`,
    ours: `p50 ${p50}, max ${max} MB; peak with the first runs ${peak} MB`,
    against: '–',
    ratio: '–',
    goal: `≤ ${goalMb} MB`,
    met: peak <= goalMb,
    numbers: { p50, max, peak, runsPerSecond: Math.round(runs / (measuredMs / 1000)) },
    notes: [],
  }
}

export const agentMemory: Bench = {
  id: 'P11',
  name: 'p11-agent-memory',
  measures: `resident memory of one agent that runs ${grouped(checks)} URL checks, each every ${periodMinutes} minute, over ${measuredMs / 1000} s, sampled each second; the goal is for the peak, which counts the first runs too, all of them due at once`,
  run: async (b) => [await measure(b)],
}
