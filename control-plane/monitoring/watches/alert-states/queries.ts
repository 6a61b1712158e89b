import { query } from '../../../platform/store/database/query.ts'

export const keyName = query('name-of-api-key', (k, p: { id: string }) =>
  k.selectFrom('api_keys').select('name').where('id', '=', p.id),
)
