import type { Stamp } from '../../../platform/services/clock/stamp.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { WrittenCheck } from '../../outcomes/consequences.ts'
import { deleteCertificateAlerts, deleteWatch, upsertWatch } from './queries.ts'

/** Brings the domain that is watched in line with a check that was written; belongs in the same transaction. */
export const syncCertificateWatch = async (
  trx: Db,
  { checkId, accountId, activated, sslCheckDomain: domain }: WrittenCheck,
  { now }: Pick<Stamp, 'now'>,
): Promise<void> => {
  if (domain === undefined) return
  if (activated && domain !== null)
    await trx.run(upsertWatch, { checkId, accountId, domain: domain.toLowerCase(), now })
  else await trx.run(deleteWatch, { checkId })
}

/** For the deletion of a check. */
export const dropCertificateWatch = async (trx: Db, checkId: string): Promise<void> => {
  await trx.run(deleteWatch, { checkId })
  await trx.run(deleteCertificateAlerts, { checkId })
}
