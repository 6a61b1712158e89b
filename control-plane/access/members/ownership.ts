/** Who may change whom (contract: members are ADMIN's, owners are OWNER's). Pure. */
import { ApiError } from '../../platform/words/errors.ts'
import type { Role } from '../../platform/words/shapes/roles.ts'

/**
 * Whether `caller` may take `member`'s role away or give another; `ownerCount` counts the account's owners.
 * @throws ApiError 403 when an owner is changed by somebody else than an owner, 409 when the last owner would go
 */
export const requireMayChange = (callerRole: Role, member: { role: string }, ownerCount: number): void => {
  if (member.role !== 'OWNER') return
  if (callerRole !== 'OWNER') throw new ApiError(403, 'Only an owner may change an owner')
  if (ownerCount <= 1) throw new ApiError(409, 'The last owner stays: transfer the ownership first')
}
