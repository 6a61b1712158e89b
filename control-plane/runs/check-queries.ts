import { query } from '../database/query.ts'

/** `ids`: a JSON array of check ids. */
export const checksById = query('checks-by-id', (k, p: { ids: string }, engine) =>
  k
    .selectFrom('checks')
    .select(['id', 'account_id', 'type', 'group_id', 'name', 'doc'])
    .where('id', 'in', engine.textList(p.ids)),
)
