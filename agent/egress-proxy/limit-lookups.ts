import type { Release, Semaphore } from '../../protocol/semaphore.ts'
import type { Lookup } from '../net/connect/lookup.ts'

/**
 * Lookups of the machine hold a thread each until they end, which nobody can hasten, and checks need those threads, too. So few of
 * them go on at once for a run, and for all runs; the others wait in line, and those of a run that has ended are not begun.
 */
export const limitLookups =
  (lookup: Lookup, semaphores: readonly Semaphore[], ended: AbortSignal): Lookup =>
  async (host, family) => {
    const releases: Release[] = []
    try {
      for (const semaphore of semaphores) {
        const release = await semaphore.acquire({ signal: ended })
        if (release === null) throw Object.assign(new Error('the run is over'), { code: 'ECANCELED' })
        releases.push(release)
      }
      return await lookup(host, family)
    } finally {
      for (const release of releases) release()
    }
  }
