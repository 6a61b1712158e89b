/**
 * A large account as people have it, the same for every benchmark of one: most checks in groups, behind services where there are any,
 * some failing and some degraded, and of each the last runs from several locations in the store.
 */
import { recordStatus } from '../../control-plane/monitoring/watches/check-statuses/queries.ts'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { accountId } from '../../test/support/programs.ts'
import { takeIn } from '../../test/support/rollups.ts'
import type { StoredResult } from '../../test/support/stored-results.ts'
import { appOver, createChecks, createGroups } from './prepare.ts'

export const filledLocations = ['local', 'eu', 'us'] as const
const runsInEach = 2
const rowsAtOnce = 3000

type State = 'passing' | 'failing' | 'degraded'

/** Of ten checks one fails, one is degraded, and one is in no group. */
const stateOf = (index: number): State =>
  index % 10 === 0 ? 'failing' : index % 10 === 1 ? 'degraded' : 'passing'

type Account = {
  checks: number
  groups: number
  /** Ids of services of status pages, which the checks are behind in turn. */
  services?: readonly string[]
  url?: (index: number) => string
}

/** Returns the ids of the checks. */
export const fillAccount = async (
  db: Database,
  { checks, groups, services = [], url = () => 'http://127.0.0.1/' }: Account,
): Promise<string[]> => {
  await createGroups(db, groups)
  const ids = await createChecks(db, checks, (index) => ({
    ...(index % 10 === 9 ? {} : { groupId: 1 + (index % groups) }),
    ...(services.length === 0
      ? {}
      : { triggerIncident: { serviceId: services[index % services.length] ?? '', name: 'It fails' } }),
    name: `check ${index}`,
    request: { url: url(index) },
    frequency: 1440,
  }))
  const now = Date.now()
  await Promise.all(ids.map((checkId, index) => db.run(recordStatus, statusOf({ checkId, index, now }))))
  const where = { app: appOver(db), accountId }
  const rows = ids.flatMap((checkId, index) => runsOf({ checkId, index, now }))
  while (rows.length > 0) await takeIn(where, rows.splice(0, rowsAtOnce))
  return ids
}

type Filled = { checkId: string; index: number; now: number }

const statusOf = ({ checkId, index, now }: Filled) => {
  const state = stateOf(index)
  return {
    ...{ checkId, accountId, state, hasFailures: state === 'failing', hasErrors: false },
    ...{ isDegraded: state === 'degraded', longestRunMs: 300, shortestRunMs: 100, updatedAt: null },
    ...{ location: filledLocations[index % filledLocations.length] ?? 'local', checkRunId: now },
    ...{ startedAt: now, sslDaysRemaining: null, now },
  }
}

const runsOf = ({ checkId, index, now }: Filled): StoredResult[] => {
  const state = stateOf(index)
  return filledLocations.flatMap((location, nth) =>
    Array.from({ length: runsInEach }, (_, run) => ({
      checkId,
      location,
      at: now - (run + 1) * 60_000 - nth,
      responseTime: 100 + ((index * 7 + run) % 200),
      hasFailures: state === 'failing',
      isDegraded: state === 'degraded',
      doc: state === 'failing' ? { error: 'expected status code to equal 200 but it was 503' } : {},
    })),
  )
}
