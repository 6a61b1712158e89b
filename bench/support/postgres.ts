import { startPostgres } from '../../test/support/start-postgres.ts'
import type { Running } from '../bench.ts'
import { cpuSeconds } from './cpu-time.ts'
import { processTree } from './process-trees.ts'

/** Of a server's processes, those that have ended included: the first one has waited for them. */
export const treeCpuSeconds = (pid: number): number =>
  cpuSeconds(pid) +
  processTree([pid]).reduce((sum, { pid: own, cpuMs }) => (own === pid ? sum : sum + cpuMs), 0) / 1000

/** A PostgreSQL server of the benchmark's own, with its settings as installed: what is committed is on disk. */
export const durablePostgres = async (b: Running) => {
  const { url, pid, stop } = await startPostgres({ durable: true })
  b.teardown(stop)
  return {
    url,
    cpuSeconds: () => treeCpuSeconds(pid),
  }
}
