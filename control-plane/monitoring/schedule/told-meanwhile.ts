import type { ToldMeanwhile } from '../../../protocol/standing-order.ts'
import type { App } from '../../platform/app/app.ts'
import { query } from '../../platform/store/database/query.ts'
import { runLocations } from './schedule-queries.ts'

const schedulesOf = query('schedules-of-checks', (k, p: { ids: readonly string[] }, engine) =>
  k
    .selectFrom('schedules')
    .select(['check_id', 'account_id', 'locations'])
    .where('check_id', 'in', engine.textList(p.ids)),
)

type Told = { checkId: string; accountId: string; state: string; at: number; now: number }

/** The latest word of several agents counts. */
const writeTold = query('note-told-meanwhile', (k, p: Told) =>
  k
    .insertInto('deferred_judgements')
    .values({
      check_id: p.checkId,
      account_id: p.accountId,
      since: p.now,
      first_due_at: p.now,
      told: p.state,
      told_at: p.at,
    })
    .onConflict((conflict) =>
      conflict
        .column('check_id')
        .doUpdateSet({ told: p.state, told_at: p.at })
        .where((where) =>
          where.or([
            where('deferred_judgements.told_at', 'is', null),
            where('deferred_judgements.told_at', '<', p.at),
          ]),
        ),
    ),
)

/** What people have been told of checks of this location while nobody could tell us: it is not told again when they are judged. */
export const noteTold = async (
  app: App,
  locationId: string,
  told: readonly ToldMeanwhile[],
): Promise<void> => {
  const now = app.clock.now()
  await app.db.transaction(async (trx) => {
    const rows = await trx.all(schedulesOf, { ids: told.map(({ checkId }) => checkId) })
    const here = new Map(
      rows
        .filter(({ locations }) => runLocations.read(locations).some(({ id }) => id === locationId))
        .map(({ check_id, account_id }) => [check_id, account_id]),
    )
    for (const { checkId, state, at } of told.toSorted((a, b) => (a.checkId < b.checkId ? -1 : 1))) {
      const accountId = here.get(checkId)
      if (accountId !== undefined)
        await trx.run(writeTold, { checkId, accountId, state, at: Math.min(at, now), now })
    }
  })
}
