/** HB: how many pings of heartbeat checks a second are taken in, each with its event, timer and status on disk. */
import { endsWith, startProgram } from '../test/support/programs.ts'
import type { Bench, Running } from './bench.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { createHeartbeats } from './support/heartbeats.ts'
import { countResults, install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { sized } from './support/size.ts'

const heartbeats = sized(1000, 10)
const connections = sized(128, 8)
const pings = sized(30_000, 60)
const rounds = sized(3, 1)
const goalPerSecond = 10_000

type Load = { perSecond: number; p50Ms: number; p99Ms: number }

const load = async (b: Running, origin: string, paths: string[]): Promise<Load> => {
  const args = [origin, String(connections), String(pings), JSON.stringify(paths)]
  const program = endsWith(b, startProgram('bench/support/ping-load-program.ts', { args }))
  const [line] = await program.line(/^\{.*\}$/)
  return JSON.parse(line ?? '') as Load
}

const best = (loads: readonly Load[]): Load => loads.reduce((a, c) => (c.perSecond > a.perSecond ? c : a))

export const heartbeatPings: Bench = {
  id: 'HB',
  name: 'heartbeat-pings',
  measures: `pings per second of ${grouped(heartbeats)} heartbeat checks on SQLite, answered when their event, timer and status are on disk; sent by one process of its own over ${connections} kept-alive connections, one at a time on each; against a bare server of Node's under the same client; best of ${rounds} rounds of ${grouped(pings)}`,
  run: async (b) => {
    const { db, controlPlane } = await install(b)
    const paths = await createHeartbeats(db, heartbeats)
    const target = endsWith(b, startProgram('bench/support/target-program.ts', { args: ['bare'] }))
    const [, port] = await target.line(/^port (\d+)$/)
    const bareRounds: Load[] = []
    const ourRounds: Load[] = []
    const cpuBefore = cpuSeconds(controlPlane.pid)
    for (let round = 0; round < rounds; round++) {
      bareRounds.push(await load(b, `http://127.0.0.1:${port}`, ['/']))
      ourRounds.push(await load(b, controlPlane.url, paths))
      b.say(
        `${grouped(ourRounds.at(-1)?.perSecond ?? 0)}/s, bare ${grouped(bareRounds.at(-1)?.perSecond ?? 0)}/s`,
      )
    }
    const cpu = cpuSeconds(controlPlane.pid) - cpuBefore
    const stored = await countResults(db)
    if (stored !== pings * rounds) throw new Error(`${stored} events are stored of ${pings * rounds} pings`)
    const ours = best(ourRounds)
    const bare = best(bareRounds)
    return [
      {
        name: 'HB',
        work: 'heartbeat pings taken in per second, durable',
        ours: `${grouped(ours.perSecond)}/s`,
        against: `bare node:http ${grouped(bare.perSecond)}/s`,
        ratio: `${Math.round((ours.perSecond / bare.perSecond) * 100)} %`,
        goal: `≥ ${grouped(goalPerSecond)}/s`,
        met: ours.perSecond >= goalPerSecond,
        numbers: {
          perSecond: rounded(ours.perSecond),
          p50Ms: rounded(ours.p50Ms, 1),
          p99Ms: rounded(ours.p99Ms, 1),
          perControlPlaneCpuSecond: rounded((pings * rounds) / cpu),
          barePerSecond: rounded(bare.perSecond),
          rounds: ourRounds.map(({ perSecond }) => rounded(perSecond)).join(' '),
          bareRounds: bareRounds.map(({ perSecond }) => rounded(perSecond)).join(' '),
        },
        notes: [
          `p50 ${ours.p50Ms.toFixed(1)} ms, p99 ${ours.p99Ms.toFixed(1)} ms; every ping of all rounds was found stored; ${grouped((pings * rounds) / cpu)} pings per CPU second of the control plane`,
        ],
      },
    ]
  },
}
