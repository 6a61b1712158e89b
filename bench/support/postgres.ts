import { startPostgres } from '../../test/support/start-postgres.ts'
import type { Running } from '../bench.ts'
import { cpuSeconds } from './cpu-time.ts'
import { processTree } from './process-trees.ts'

/** A PostgreSQL server of the benchmark's own, with its settings as installed: what is committed is on disk. */
export const durablePostgres = async (b: Running) => {
  const { url, pid, stop } = await startPostgres({ durable: true })
  b.teardown(stop)
  return {
    url,
    /** Of its first process with those that it has waited for, and of those that run. */
    cpuSeconds: () =>
      processTree([pid]).reduce(
        (sum, one) => sum + (one.pid === pid ? 0 : one.cpuMs / 1000),
        cpuSeconds(pid),
      ),
  }
}
