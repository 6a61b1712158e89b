/** P10: what agents that wait for work cost the control plane. */
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { longPollMs } from '../agent/jobs/claims.ts'
import { agentPaths } from '../protocol/agent-api.ts'
import { agentKey } from '../test/support/programs.ts'
import type { Bench } from './bench.ts'
import { cpuSeconds, residentMb } from './support/cpu-time.ts'
import { install } from './support/installation.ts'
import { rounded } from './support/numbers.ts'
import { poster } from './support/post-json.ts'
import { sized } from './support/size.ts'

const agents = sized(1000, 10)
const measuredMs = sized(30_000, 1000)
const settleMs = sized(10_000, 300)
const goalPercent = 2

export const idleAgents: Bench = {
  id: 'P10',
  name: 'p10-idle-agents',
  measures: `CPU of the control plane over ${measuredMs / 1000} s with ${agents} agents in one location long-polling (${longPollMs / 1000} s a poll) and no checks`,
  run: async (b) => {
    const { controlPlane } = await install(b)
    const connections = new http.Agent({ keepAlive: true, maxSockets: agents })
    const post = poster(controlPlane.url, agentKey, connections)
    let stopped = false
    let polls = 0
    const poll = async (index: number): Promise<void> => {
      // Spread over the wait as agents that started at different times are.
      let patienceMs = Math.max(1, Math.round((longPollMs * (index + 1)) / agents))
      while (!stopped) {
        const body = {
          agentId: `agent-${index}`,
          version: '1.0.0',
          platform: 'linux-x64',
          checkTypes: ['URL'],
          runtimeIds: [],
          maxUptime: 500,
          maxMain: 1,
          waitMs: patienceMs,
        }
        await post(agentPaths.claim, JSON.stringify(body)).catch((error: unknown) => {
          if (!stopped) throw error
        })
        polls += 1
        patienceMs = longPollMs
      }
    }
    const polling = Promise.all(Array.from({ length: agents }, (_, index) => poll(index)))
    b.teardown(async () => {
      stopped = true
      connections.destroy()
      await polling
    })
    await Promise.race([sleep(settleMs), polling])
    const before = { cpu: cpuSeconds(controlPlane.pid), polls, at: performance.now() }
    await Promise.race([sleep(measuredMs), polling])
    const seconds = (performance.now() - before.at) / 1000
    const percent = (100 * (cpuSeconds(controlPlane.pid) - before.cpu)) / seconds
    const pollsPerSecond = (polls - before.polls) / seconds
    const memoryMb = residentMb(controlPlane.pid)
    return [
      {
        name: 'P10',
        work: `${agents} idle agents long-polling`,
        ours: `${percent.toFixed(1)} % of a core`,
        against: 'one core',
        ratio: `${percent.toFixed(1)} %`,
        goal: `≤ ${goalPercent} %`,
        met: percent <= goalPercent,
        numbers: { percent: rounded(percent, 2), pollsPerSecond: rounded(pollsPerSecond, 1), memoryMb },
        notes: [`${pollsPerSecond.toFixed(0)} polls a second, ${memoryMb} MB`],
      },
    ]
  },
}
