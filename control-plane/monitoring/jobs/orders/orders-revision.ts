/**
 * Which state of an account's configuration orders were made of. A change may be on disk later than one that is younger, so what is
 * new since a revision is looked for a little before it, too, unless all that was changed in that time is what it was: a revision
 * has the sum of that.
 */
import { sql } from 'kysely'
import { boundedCache } from '../../../../protocol/bounded-memo.ts'
import { allChecks } from '../../../access/changes/note-change.ts'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { HasStandingOrders } from './order-settings.ts'
import { type Scope, scopedQuery } from './scoped-query.ts'

/** `newest`: the last change. `sum`: of the changes shortly before it. `epoch`: up to when maintenance is known. */
export type Revision = { newest: number; sum: number; epoch: number }

/** Transactions are shorter than that, and clocks of control planes closer together. */
const overlapMs = 30_000

export const writeRevision = ({ newest, sum, epoch }: Revision): string => `1.${newest}.${sum}.${epoch}`

/** Null: it was not written here. */
export const readRevisionText = (text: string): Revision | null => {
  const found = /^1\.(\d{1,15})\.(\d{1,17})\.(\d{1,12})$/.exec(text)
  if (found === null) return null
  const [newest = 0, sum = 0, epoch = 0] = found.slice(1).map(Number)
  return { newest, sum, epoch }
}

/** Maintenance is known for twice as long as orders are held: it is told again before that is over. */
const epochOf = ({ config: { standingOrders } }: HasStandingOrders, now: number): number =>
  standingOrders.holdMs === 0 ? 0 : Math.floor(now / standingOrders.holdMs)

const newestChange = scopedQuery('newest-configuration-change', (k, _: object, __, accountId) => {
  const newest = k
    .selectFrom('configuration_changes')
    .select('changed_at')
    .orderBy('changed_at', 'desc')
    .limit(1)
  return accountId === null ? newest : newest.where('account_id', '=', accountId)
})

const sumOfChanges = scopedQuery(
  'sum-of-configuration-changes',
  (k, p: { after: number; until: number }, _, accountId) => {
    const sum = k
      .selectFrom('configuration_changes')
      .select(sql<number>`cast(sum(changed_at - ${p.after}) as bigint)`.as('sum'))
      .where('changed_at', '>', p.after)
      .where('changed_at', '<=', p.until)
    return accountId === null ? sum : sum.where('account_id', '=', accountId)
  },
)

type RevisionApp = Pick<App, 'clock'> & HasStandingOrders

export const readRevision = async (db: Db, app: RevisionApp, scope: Scope): Promise<Revision> => {
  const epoch = epochOf(app, app.clock.now())
  const row = await db.get(newestChange(scope), scope)
  if (row === undefined) return { newest: 0, sum: 0, epoch }
  const { changed_at: newest } = row
  return { newest, sum: await sumBefore(db, scope, newest), epoch }
}

const sumBefore = async (db: Db, scope: Scope, newest: number): Promise<number> => {
  const changes = await db.get(sumOfChanges(scope), { ...scope, after: newest - overlapMs, until: newest })
  return changes?.sum ?? 0
}

/** Idle agents ask together no more often than that. */
const knownForMs = 5000

type Known = { at: number; revision: Promise<Revision> }

const knownRevisions = perApp(() => boundedCache<string, Known>(10_000))

/** As it was a few seconds ago at most. */
export const recentRevision = (app: App & HasStandingOrders, scope: Scope): Promise<Revision> => {
  const known = knownRevisions(app)
  const key = scope.accountId ?? ''
  const now = app.clock.now()
  const before = known.get(key)
  if (before !== undefined && before.at <= now && now < before.at + knownForMs) return before.revision
  const revision = readRevision(app.db, app, scope)
  known.set(key, { at: now, revision })
  revision.catch(() => known.delete(key))
  return revision
}

const changesSince = scopedQuery('configuration-changes-since', (k, p: { after: number }, _, accountId) => {
  const changes = k
    .selectFrom('configuration_changes')
    .select(['account_id', 'check_id'])
    .where('changed_at', '>', p.after)
  return accountId === null ? changes : changes.where('account_id', '=', accountId)
})

/** What is new: these checks, and all of these accounts. */
export type Touched = { checkIds: string[]; accountIds: string[] }

export const touchedSince = async (
  db: Db,
  scope: Scope,
  { newest, sum }: Pick<Revision, 'newest' | 'sum'>,
): Promise<Touched> => {
  const isSame = (await sumBefore(db, scope, newest)) === sum
  const changes = await db.all(changesSince(scope), { ...scope, after: isSame ? newest : newest - overlapMs })
  return {
    checkIds: changes.map(({ check_id }) => check_id).filter((id) => id !== allChecks),
    accountIds: changes.filter(({ check_id }) => check_id === allChecks).map(({ account_id }) => account_id),
  }
}
