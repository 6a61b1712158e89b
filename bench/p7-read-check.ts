/** P7: what reading one check costs, beside a server that does nothing else. */
import { startProgram } from '../test/support/programs.ts'
import type { Bench } from './bench.ts'
import { createKeys } from './support/api-keys.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { getLoad } from './support/get-load.ts'
import { install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'

const requests = sized(20_000, 64)
const connections = 32
const rounds = sized(3, 1)
const goalPercent = 40

/** Requests per CPU-second of a process; the best of several rounds after one that warms up. */
const measure = async (pid: number, load: () => Promise<void>): Promise<number> => {
  await load()
  const perSecond: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = cpuSeconds(pid)
    await load()
    perSecond.push(requests / (cpuSeconds(pid) - before))
  }
  return Math.max(...perSecond)
}

export const readCheck: Bench = {
  id: 'P7',
  name: 'p7-read-check',
  measures: `GET /v1/checks/{id} per CPU-second of the control plane (authenticated, validated, from SQLite) against requests per CPU-second of a bare node:http server with a constant answer; ${connections} kept-alive connections, best of ${rounds} rounds of ${grouped(requests)}`,
  run: async (b) => {
    const { db, controlPlane } = await install(b)
    const [id] = await createChecks(db, 1, () => ({
      name: 'check',
      request: { url: 'http://127.0.0.1/' },
      frequency: 1440,
    }))
    const keys = await createKeys(db, Math.ceil((requests * (rounds + 1)) / 500))
    const shape = { requests, connections, keys }
    const ours = await measure(controlPlane.pid, () =>
      getLoad({ ...shape, origin: controlPlane.url, path: `/v1/checks/${id}` }),
    )
    const bare = startProgram('bench/support/target-program.ts', { args: ['bare'] })
    b.teardown(() => bare.end('SIGKILL'))
    const [, port] = await bare.line(/^port (\d+)$/)
    const limit = await measure(bare.pid, () =>
      getLoad({ ...shape, origin: `http://127.0.0.1:${port}`, path: '/' }),
    )
    const percent = (100 * ours) / limit
    return [
      {
        name: 'P7',
        work: 'GET /v1/checks/{id} per CPU-second',
        ours: grouped(ours),
        against: `bare node:http ${grouped(limit)}`,
        ratio: `${percent.toFixed(0)} %`,
        goal: `≥ ${goalPercent} %`,
        met: percent >= goalPercent,
        numbers: {
          perCpuSecond: rounded(ours),
          barePerCpuSecond: rounded(limit),
          percent: rounded(percent, 1),
        },
        notes: [],
      },
    ]
  },
}
