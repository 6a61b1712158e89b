/** All SQL about the copies of checks that tests run; their ids are those of their sessions. */
import type { RawBuilder } from 'kysely'
import { sql } from 'kysely'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import type { TestedChecksTable } from '../../../platform/store/database/tables/check-sessions.ts'

export const insertTestedCheck = query('insert-tested-check', (k, p: TestedChecksTable) =>
  k.insertInto('tested_checks').values({
    id: p.id,
    account_id: p.account_id,
    test_session_id: p.test_session_id,
    check_id: p.check_id,
    type: p.type,
    name: p.name,
    group_id: p.group_id,
    error_group_id: p.error_group_id,
    doc: p.doc,
  }),
)

export const testedChecksById = query('tested-checks-by-id', (k, p: { ids: readonly string[] }, engine) =>
  k.selectFrom('tested_checks').selectAll().where('id', 'in', engine.textList(p.ids)),
)

/** The latest copies of a check: results of tests of it belong to them. */
export const latestCopies = query(
  'latest-copies-of-check',
  (k, p: { accountId: string; checkId: string; limit: number }) =>
    k
      .selectFrom('tested_checks')
      .selectAll()
      .where('check_id', '=', p.checkId)
      .where('account_id', '=', p.accountId)
      .orderBy('id', 'desc')
      .limit(p.limit),
)

/** Of the tests that end: the copies with what hangs on them; their results go little by little, as those of removed checks. */
export const removeTestedChecks = async (
  trx: Db,
  { tests, now }: { tests: RawBuilder<unknown>; now: number },
): Promise<void> => {
  const copies = sql`(select id from tested_checks where test_session_id in ${tests})`
  await trx.execute((k) =>
    k
      .insertInto('removed_checks')
      .columns(['check_id', 'removed_at'])
      .expression((of) =>
        of
          .selectFrom('tested_checks')
          .select(['id', sql<number>`${sql.lit(now)}`.as('removed_at')])
          .where(sql<boolean>`test_session_id in ${tests}`),
      )
      .onConflict((conflict) => conflict.doNothing()),
  )
  await trx.execute((k) =>
    k.updateTable('artifacts').set({ expires_at: now }).where(sql<boolean>`check_id in ${copies}`),
  )
  await trx.execute((k) => k.deleteFrom('check_files').where(sql<boolean>`check_id in ${copies}`))
  await trx.execute((k) => k.deleteFrom('check_bundles').where(sql<boolean>`check_id in ${copies}`))
  await trx.execute((k) => k.deleteFrom('missed_runs').where(sql<boolean>`check_id in ${copies}`))
  await trx.execute((k) => k.deleteFrom('tested_checks').where(sql<boolean>`test_session_id in ${tests}`))
}
