/** A user who is gone leaves no way in behind. */
import type { Db } from '../../platform/store/database/db.ts'
import {
  deleteIdentitiesOfUser,
  deleteLinksOfUser,
  deletePasskeysOfUser,
  deletePassword,
  deleteSessionsOfUser,
} from './queries.ts'
import { removeSecondFactor } from './second-factor.ts'

export const forgetUser = async (trx: Db, userId: string): Promise<void> => {
  await trx.run(deletePassword, { userId })
  await removeSecondFactor(trx, userId)
  await trx.run(deletePasskeysOfUser, { userId })
  await trx.run(deleteIdentitiesOfUser, { userId })
  await trx.run(deleteLinksOfUser, { userId })
  await trx.run(deleteSessionsOfUser, { userId, except: '' })
}
