/**
 * A store whose reads go to a replica where the request allows it, the replica is fresh enough, and nothing was written before that it does not
 * have. Everything else is the primary's: writes, transactions, what a request reads after its own write, and what the replica failed at.
 */
import type { Database, Db } from './db.ts'
import type { ReadReplica } from './read-replica.ts'
import { currentReads, type ReadScope } from './read-scope.ts'
import { isDataError } from './store-error.ts'

type Server = 'primary' | 'replica'

/** `note`: which server has answered a statement that either might have. */
export const replicatedDatabase = (
  primary: Database,
  replica: ReadReplica,
  note: (server: Server) => void,
): Database => {
  const isFreshFor = ({ hasWritten, notBefore }: ReadScope): boolean => {
    const freshAt = replica.freshAt()
    return !hasWritten && freshAt !== null && freshAt > notBefore && replica.state() === 'usable'
  }
  const read = async <T>(ask: (db: Db) => Promise<T>): Promise<T> => {
    const scope = currentReads()
    if (scope === undefined) return ask(primary)
    if (isFreshFor(scope))
      try {
        const lagMs = replica.lagMs() ?? 0
        const answer = await ask(replica.db)
        scope.lagMs = Math.max(scope.lagMs ?? 0, lagMs)
        note('replica')
        return answer
      } catch (error) {
        // The statement is at fault, and would be there, too.
        if (isDataError(error)) throw error
        replica.failed(error)
      }
    note('primary')
    return ask(primary)
  }
  const write = <T>(work: () => Promise<T>): Promise<T> => {
    const scope = currentReads()
    if (scope !== undefined) scope.hasWritten = true
    return work()
  }
  return {
    ...primary,
    all: (query, params) =>
      query.compiled(primary.engine).writes
        ? write(() => primary.all(query, params))
        : read((db) => db.all(query, params)),
    get: (query, params) =>
      query.compiled(primary.engine).writes
        ? write(() => primary.get(query, params))
        : read((db) => db.get(query, params)),
    select: (build) => read((db) => db.select(build)),
    run: (query, params) => write(() => primary.run(query, params)),
    execute: (build) => write(() => primary.execute(build)),
    transaction: (work, options) => write(() => primary.transaction(work, options)),
    close: async () => {
      await replica.db.close()
      await primary.close()
    },
  }
}
