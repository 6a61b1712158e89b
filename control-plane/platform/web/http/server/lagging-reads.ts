/**
 * Requests whose reads a replica may answer (`mayLag` of a route). What an account has changed here it sees: until the replica is known to
 * have it, its reads are the primary's. The answer says how old it may be.
 */
import type { ServerResponse } from 'node:http'
import { boundedCache } from '../../../../../protocol/bounded-memo.ts'
import type { App } from '../../../app/app.ts'
import type { HasReadReplica } from '../../../app/open-store.ts'
import { type ReadScope, readingWith } from '../../../store/database/read-scope.ts'
import { type Declaration, replicaLagHeader } from '../route.ts'

/** Accounts that changed something last; of one that is forgotten the change was long ago. */
const maxWriters = 10_000

type Asked = { route: Declaration; accountId: string | null; response: ServerResponse }

export const createLaggingReads = ({ clock, readReplica }: App & HasReadReplica) => {
  const wroteAt = boundedCache<string, number>(maxWriters)
  return async <T>({ route, accountId, response }: Asked, work: () => Promise<T>): Promise<T> => {
    if (readReplica === null) return work()
    if (route.mayLag !== true) {
      if (route.method === 'GET' || accountId === null) return work()
      return work().finally(() => wroteAt.set(accountId, clock.monotonic()))
    }
    const notBefore = (accountId === null ? undefined : wroteAt.get(accountId)) ?? Number.NEGATIVE_INFINITY
    const scope: ReadScope = { notBefore, hasWritten: false, isOver: false, lagMs: null }
    response.once('close', () => {
      scope.isOver = true
    })
    const answer = await readingWith(scope, work)
    if (scope.lagMs !== null && !response.headersSent)
      response.setHeader(replicaLagHeader, (Math.ceil(scope.lagMs / 100) / 10).toFixed(1))
    return answer
  }
}
