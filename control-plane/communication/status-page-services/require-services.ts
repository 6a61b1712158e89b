import type { Db } from '../../platform/store/database/db.ts'
import { invalid, violation } from '../../platform/words/errors.ts'
import { shareServices } from './queries.ts'

/** A list of services in a body, and where it is (`cards.0.services`). */
type ServiceList = { path: string; services: readonly { id: string }[] }

/**
 * Every service must be the account's and be named once per list; all stay until the transaction ends.
 * @throws ApiError 400
 */
export const requireServices = async (
  trx: Db,
  accountId: string,
  lists: readonly ServiceList[],
): Promise<void> => {
  const ids = [...new Set(lists.flatMap(({ services }) => services.map(({ id }) => id)))]
  const found = await trx.all(shareServices, { accountId, ids })
  const known = new Set(found.map(({ id }) => id))
  const violations = lists.flatMap(({ path, services }) =>
    services.flatMap(({ id }, index) => {
      const at = `${path}.${index}.id`
      if (!known.has(id)) return [violation(at, 'exists', 'is not a service of the account')]
      const isFirst = services.findIndex((service) => service.id === id) === index
      return isFirst ? [] : [violation(at, 'unique', 'is named twice')]
    }),
  )
  if (violations.length > 0) throw invalid(violations)
}
