import type { Db } from '../../platform/store/database/db.ts'
import { ApiError } from '../../platform/words/errors.ts'

/** What checks and check groups refer to in their settings. */
export type Reference = { snippetId: number } | { serviceId: string } | { privateLocation: string }

/** Who refers to it, oldest first. */
type Users = { checkIds: string[]; groupIds: number[] }

/** Asked by those who remove what may be in use; answered above them (`control-plane/lookups.ts`). */
export type HasUsers = {
  lookups: { usersOf(db: Db, accountId: string, reference: Reference): Promise<Users> }
}

export const requireUnused = ({ checkIds, groupIds }: Users): void => {
  if (checkIds.length + groupIds.length > 0)
    throw new ApiError(409, 'It is in use: take it out of its checks and check groups first', {
      attributes: { checkIds, groupIds },
    })
}
