import type { Db } from '../../platform/store/database/db.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { claimName, freeName } from './queries.ts'

/** The addresses of a page as it is written. `of`: what it is, as people are told. */
export type PageNames = {
  pageId: string
  of: 'status page' | 'dashboard'
  names: ReadonlyArray<{
    kind: 'URL' | 'DASHBOARD' | 'DOMAIN'
    field: string
    was: string | null
    is: string | null
  }>
}

/** Each address is one page's over the whole installation. @throws ApiError 409 */
export const takeNames = async (trx: Db, { pageId, of, names }: PageNames): Promise<void> => {
  for (const { kind, field, was, is } of names) {
    if (was === is) continue
    if (was !== null) await trx.run(freeName, { kind, name: was })
    if (is !== null && (await trx.run(claimName, { kind, name: is, pageId })) === 0)
      throw new ApiError(409, `"${field}" is used by another ${of}`)
  }
}
