import type { Violation } from '../../../../protocol/validate.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { violation } from '../../../platform/words/errors.ts'
import { findHeartbeatByToken } from '../../schedule/heartbeat-queries.ts'
import type { HeartbeatDoc } from './check-doc.ts'

/** A ping must mean one check: a token that somebody chose may be taken already. */
export const tokenViolations = async (
  trx: Db,
  checkId: string,
  heartbeat: HeartbeatDoc | undefined,
): Promise<Violation[]> => {
  if (heartbeat === undefined) return []
  const owner = await trx.get(findHeartbeatByToken, { token: heartbeat.pingToken })
  return owner === undefined || owner.check_id === checkId
    ? []
    : [violation('heartbeat.pingToken', 'unique', 'is taken: leave it out to get one')]
}
