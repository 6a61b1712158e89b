import type { Db } from '../../platform/database/db.ts'
import { deleteCertificateAlerts, deleteLook, upsertLook } from './queries.ts'

type Declared = { checkId: string; accountId: string; activated: boolean; domain: string | null; now: number }

/** Brings what is looked at in line with a check that was written; belongs in the same transaction. */
export const syncLook = async (
  trx: Db,
  { checkId, accountId, activated, domain, now }: Declared,
): Promise<void> => {
  if (activated && domain !== null)
    await trx.run(upsertLook, { checkId, accountId, domain: domain.toLowerCase(), now })
  else await trx.run(deleteLook, { checkId })
}

/** For the deletion of a check. */
export const dropLook = async (trx: Db, checkId: string): Promise<void> => {
  await trx.run(deleteLook, { checkId })
  await trx.run(deleteCertificateAlerts, { checkId })
}
