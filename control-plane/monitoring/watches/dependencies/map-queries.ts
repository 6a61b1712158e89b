/** All SQL of the map: what others depend on, what does, and which failures are kept back because of what. */
import type { Db } from '../../../platform/store/database/db.ts'

type Page = { after: string; limit: number }

/** What others depend on, in the order of its texts, with how many do so by themselves. */
export const dependedOn = (
  db: Db,
  accountId: string,
  { after, limit }: Page,
): Promise<Array<{ depends_on: string; total: number }>> =>
  db.select((k) =>
    k
      .selectFrom('dependencies')
      .select((at) => ['depends_on', at.fn.countAll<number>().as('total')])
      .where('account_id', '=', accountId)
      .where('depends_on', '>', after)
      .groupBy('depends_on')
      .orderBy('depends_on')
      .limit(limit),
  )

export const dependentsOfOne = (
  db: Db,
  { accountId, on, after, limit }: Page & { accountId: string; on: string },
): Promise<Array<{ depends_on: string; dependent: string }>> =>
  db.select((k) =>
    k
      .selectFrom('dependencies')
      .select(['depends_on', 'dependent'])
      .where('account_id', '=', accountId)
      .where('depends_on', '=', on)
      .where('dependent', '>', after)
      .orderBy('dependent')
      .limit(limit),
  )

/** The first of each. */
export const firstDependentsOf = (
  db: Db,
  { accountId, on, limit }: { accountId: string; on: readonly string[]; limit: number },
): Promise<Array<{ depends_on: string; dependent: string }>> =>
  db.select((k, engine) =>
    k
      .selectFrom((from) =>
        from
          .selectFrom('dependencies')
          .select((at) => [
            'depends_on',
            'dependent',
            at.fn
              .agg<number>('row_number')
              .over((over) => over.partitionBy('depends_on').orderBy('dependent'))
              .as('place'),
          ])
          .where('account_id', '=', accountId)
          .where('depends_on', 'in', engine.textList(on))
          .as('numbered'),
      )
      .select(['depends_on', 'dependent'])
      .where('place', '<=', limit)
      .orderBy('depends_on')
      .orderBy('dependent'),
  )

type KeptBack = { check_id: string; group_id: number | null; on: string | null; phase: string | null }

/** Checks of the account whose failure is kept back now, and because of what. */
export const keptBackNow = (db: Db, accountId: string, limit: number): Promise<KeptBack[]> =>
  db.select((k, engine) =>
    k
      .selectFrom('alert_states as a')
      .innerJoin('checks as c', 'c.id', 'a.check_id')
      .select((at) => [
        'a.check_id',
        'c.group_id',
        engine.jsonPart(at.ref('a.doc'), 'heldBack.on').as('on'),
        engine.jsonPart(at.ref('a.doc'), 'heldBack.phase').as('phase'),
      ])
      .where('a.account_id', '=', accountId)
      .where((at) => at(engine.jsonPart(at.ref('a.doc'), 'heldBack.on'), 'is not', null))
      .limit(limit),
  )
