import { randomBytes, randomUUID } from 'node:crypto'
import { syncHeartbeat } from '../../control-plane/monitoring/schedule/heartbeat.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { query } from '../../control-plane/platform/store/database/query.ts'
import { accountId } from '../../test/support/programs.ts'

const insertCheck = query(
  'bench-insert-heartbeat-check',
  (k, p: { id: string; name: string; doc: string; now: number }) =>
    k.insertInto('checks').values({
      id: p.id,
      account_id: accountId,
      type: 'HEARTBEAT',
      name: p.name,
      activated: true,
      group_id: null,
      created_at: p.now,
      updated_at: null,
      version: 1,
      doc: p.doc,
    }),
)

/** Heartbeat checks with a period of an hour; resolves with the paths that ping them. */
export const createHeartbeats = async (db: Database, count: number): Promise<string[]> => {
  const now = Date.now()
  const create = async (): Promise<string> => {
    const id = randomUUID()
    const pingToken = randomUUID()
    const heartbeat = { period: 1, periodUnit: 'hours', grace: 1, graceUnit: 'hours', pingToken } as const
    // As large as a check with a script is.
    const doc = JSON.stringify({ heartbeat, script: randomBytes(500).toString('hex') })
    await db.transaction(async (trx) => {
      await trx.run(insertCheck, { id, name: `heartbeat ${id}`, doc, now })
      await syncHeartbeat(trx, { checkId: id, accountId, activated: true, heartbeat, now })
    })
    return `/ping/${pingToken}`
  }
  return Promise.all(Array.from({ length: count }, create))
}
