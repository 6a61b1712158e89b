/** What owners that are gone had in files: nothing any more, once the last of them was swept. */
import { sql } from 'kysely'
import type { RetentionKind } from '../../platform/retention/retention-kind.ts'

const idLength = 36
const gone = (kind: string, table: 'accounts' | 'private_locations') => sql<boolean>`
  owner like ${`${kind} %`} and length(owner) = ${kind.length + 1 + idLength}
  and not exists (select 1 from ${sql.table(table)} o where o.id = substr(artifact_usage.owner, ${kind.length + 2}))`

/** Public locations have no row of their own, and shorter names. Who exists may be about to upload. */
const isOver = sql<boolean>`bytes = 0 and ((${gone('account', 'accounts')}) or (${gone('location', 'private_locations')}))`

export const artifactUsageKind: RetentionKind = {
  name: 'artifact-usage',
  table: 'artifact_usage',
  setting: null,
  makesRoom: false,
  piece: async (trx) => {
    const rows = await trx.execute((k) => k.deleteFrom('artifact_usage').where(isOver))
    return { rows, next: null }
  },
  count: async (db) => {
    const [row] = await db.select((k) =>
      k
        .selectFrom('artifact_usage')
        .select((at) => at.fn.countAll<number>().as('total'))
        .where(isOver),
    )
    return row?.total ?? 0
  },
  oldestAt: async () => null,
}
