/** Results end with their files; the newest of each check stays, since its page and its status are about it. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/database/db.ts'
import { kindOfTable, type Range, type RetentionKind } from '../../platform/retention/retention-kind.ts'

/** Checked in the index of a check's results alone. */
const isNewestOfCheck = sql<boolean>`results.result_type = 'FINAL' and not exists (
  select 1 from results newer where newer.check_id = results.check_id
    and newer.started_at > results.started_at and newer.result_type = 'FINAL')`

/** `unless`: what else keeps a result, in terms of its row. */
export const resultsKind = ({ unless }: { unless: readonly RawBuilder<boolean>[] }): RetentionKind =>
  kindOfTable({
    name: 'results',
    table: 'results',
    setting: 'results',
    makesRoom: true,
    at: 'created_at',
    idsGrow: true,
    isOver: sql<boolean>`${sql.join(
      [isNewestOfCheck, ...unless].map((kept) => sql`not (${kept})`),
      sql` and `,
    )}`,
    afterRemoval: expireFilesOfGone,
  })

/** Their bytes go with the next sweep. */
const expireFilesOfGone = (trx: Db, { after, until, now }: Range): Promise<number> =>
  trx.execute((k) =>
    k
      .updateTable('artifacts')
      .set({ expires_at: now })
      .where(
        sql<boolean>`result_id > ${after} and result_id <= ${until} and expires_at > ${now}
          and not exists (select 1 from results where results.id = artifacts.result_id)`,
      ),
  )
