import type { Stamp } from '../../platform/clock/stamp.ts'
import type { WrittenCheck } from '../../platform/consequences.ts'
import type { Db } from '../../platform/database/db.ts'
import { deleteCertificateAlerts, deleteLook, upsertLook } from './queries.ts'

/** Brings the domain that is watched in line with a check that was written; belongs in the same transaction. */
export const syncCertificateWatch = async (
  trx: Db,
  { checkId, accountId, activated, sslCheckDomain: domain }: WrittenCheck,
  { now }: Pick<Stamp, 'now'>,
): Promise<void> => {
  if (domain === undefined) return
  if (activated && domain !== null)
    await trx.run(upsertLook, { checkId, accountId, domain: domain.toLowerCase(), now })
  else await trx.run(deleteLook, { checkId })
}

/** For the deletion of a check. */
export const dropCertificateWatch = async (trx: Db, checkId: string): Promise<void> => {
  await trx.run(deleteLook, { checkId })
  await trx.run(deleteCertificateAlerts, { checkId })
}
