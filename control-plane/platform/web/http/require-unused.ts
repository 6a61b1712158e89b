import type { Users } from '../../app/lookups.ts'
import { ApiError } from '../../words/errors.ts'

/** Before something is deleted. @throws ApiError 409 that names who refers to it in `attributes` */
export const requireUnused = ({ checkIds, groupIds }: Users): void => {
  if (checkIds.length + groupIds.length > 0)
    throw new ApiError(409, 'It is in use: take it out of its checks and check groups first', {
      attributes: { checkIds, groupIds },
    })
}
