import { query } from '../database/query.ts'

/** `ids`: a JSON array of check ids. */
export const checksById = query('checks-by-id', (k, p: { ids: string }, engine) =>
  k.selectFrom('checks').select(['id', 'name', 'doc']).where('id', 'in', engine.textList(p.ids)),
)

export const findCheckForIntake = query('find-check-for-intake', (k, p: { id: string }) =>
  k.selectFrom('checks').select(['id', 'name', 'doc']).where('id', '=', p.id),
)
