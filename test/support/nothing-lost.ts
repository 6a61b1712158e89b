import type { Test } from 'tap'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { allResultIds } from './all-results.ts'
import { isSettled, type Ledger, readLedger } from './ledger.ts'
import type { RecordingProxy } from './recording-proxy.ts'
import { until } from './until.ts'

/** What the world was promised: the results that were acknowledged, and the checks whose creation was answered with 201. */
type Promised = Pick<RecordingProxy, 'acknowledged'> & { created: readonly string[] }

/** What holds after every fault: each due time until now has ended exactly once, and all that was promised is stored. */
export const nothingLost = async (
  t: Test,
  db: Database,
  { acknowledged, created }: Promised,
): Promise<Ledger> => {
  const now = Date.now()
  await until('the recount', () => isSettled(db, now))
  const ledger = await readLedger(db, now)
  t.strictSame(ledger.lost, [], 'every due time is accounted for')
  t.strictSame(ledger.doubled, [], 'and none twice')
  const stored = new Set(await allResultIds(db))
  const accepted = [...acknowledged].filter(([, counts]) => counts['accepted'] ?? counts['duplicate'])
  t.strictSame(
    accepted.filter(([id]) => !stored.has(id)),
    [],
    'every result that was acknowledged is there',
  )
  const checks = new Set((await db.select((k) => k.selectFrom('checks').select('id'))).map(({ id }) => id))
  t.strictSame(
    created.filter((id) => !checks.has(id)),
    [],
    'and so is every check',
  )
  return ledger
}

/** The recount in a sentence. */
export const sumOf = ({ due, results, missed, missedByReason }: Ledger): string =>
  `${due} due times: ${results} results, ${missed} missed runs ${JSON.stringify(missedByReason)}`
