import { startPostgres } from '../../test/support/start-postgres.ts'
import type { Running } from '../bench.ts'
import { processTree } from './process-trees.ts'

/** A PostgreSQL server of the benchmark's own, with its settings as installed: what is committed is on disk. */
export const durablePostgres = async (b: Running) => {
  const { url, pid, stop } = await startPostgres({ durable: true })
  b.teardown(stop)
  return {
    url,
    /** Of all its processes that run. */
    cpuSeconds: () => processTree([pid]).reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000,
  }
}
