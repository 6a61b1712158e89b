/** P1 with packet captures: what they cost while nothing fails. */
import { setTimeout as sleep } from 'node:timers/promises'
import { descendants } from '../test/support/processes.ts'
import type { Bench, Running } from './bench.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { countResults, install } from './support/installation.ts'
import { grouped, median, rounded, times } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'
import { startTarget } from './support/targets.ts'
import { until } from './support/wait.ts'

const checks = sized(45_000, 600)
const rounds = sized(3, 1)
const warmUpMs = sized(2000, 50)
const windowMs = sized(5000, 500)
const goal = 0.95

/** Checks per CPU-second of the agent, and the share of a core that tcpdump took beside it. */
type Rate = { perCpuSecond: number; tcpdumpCores: number }

const measure = async (b: Running, origin: string, capture: 'on' | 'off'): Promise<Rate> => {
  const { db, startAgent, controlPlane } = await install(b)
  await createChecks(db, checks, (index) => ({
    name: `check ${index}`,
    request: { url: `${origin}/status`, skipSSL: true, assertions: [] },
    frequency: 1440,
  }))
  const agent = startAgent({ CAPTURE: capture })
  if (capture === 'on') await agent.line(/the packets of failing checks are captured/)
  await until(
    'the first result',
    { everyMs: 50, withinMs: 120_000 },
    async () => (await countResults(db)) > 0,
  )
  await sleep(warmUpMs)
  const [ring] = descendants(agent.pid, 'tcpdump')
  const used = (): [number, number] => [cpuSeconds(agent.pid), ring === undefined ? 0 : cpuSeconds(ring)]
  const [count, before, startedAt] = [await countResults(db), used(), performance.now()]
  await sleep(windowMs)
  const [elapsed, after] = [(performance.now() - startedAt) / 1000, used()]
  const done = (await countResults(db)) - count
  await agent.end('SIGKILL')
  await controlPlane.end('SIGKILL')
  return {
    perCpuSecond: done / (after[0] - before[0]),
    tcpdumpCores: (after[1] - before[1]) / elapsed,
  }
}

export const captureCost: Bench = {
  id: 'P1C',
  name: 'p1-capture',
  measures:
    'URL checks per CPU-second of the agent (http, nothing fails) with CAPTURE=on against CAPTURE=off; one after the ' +
    'other, the median of 3 rounds each',
  run: async (b) => {
    const origin = await startTarget(b, 'http')
    const on: Rate[] = []
    const off: Rate[] = []
    for (let round = 0; round < rounds; round++) {
      off.push(await measure(b, origin, 'off'))
      on.push(await measure(b, origin, 'on'))
      b.say(
        `off ${grouped(off.at(-1)?.perCpuSecond ?? 0)}/CPU-s, on ${grouped(on.at(-1)?.perCpuSecond ?? 0)}/CPU-s`,
      )
    }
    const [with_, without] = [on, off].map((rates) => median(rates.map(({ perCpuSecond }) => perCpuSecond)))
    const ratio = Number(with_) / Number(without)
    const tcpdumpCores = median(on.map((rate) => rate.tcpdumpCores))
    return [
      {
        name: 'P1 capture',
        work: 'URL checks per CPU-second',
        ours: grouped(Number(with_)),
        against: `without capture ${grouped(Number(without))}`,
        ratio: times(ratio),
        goal: `≥ ${times(goal)}`,
        met: ratio >= goal,
        numbers: {
          onPerCpuSecond: rounded(Number(with_)),
          offPerCpuSecond: rounded(Number(without)),
          ratio: rounded(ratio, 2),
          tcpdumpCores: rounded(tcpdumpCores, 2),
        },
        notes: [`tcpdump took ${tcpdumpCores.toFixed(2)} cores of its own, which the ratio does not count`],
      },
    ]
  },
}
