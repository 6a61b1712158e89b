import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { groupsById } from '../check-groups/queries.ts'
import { checksAmong, dependenciesOf } from './queries.ts'
import { apart } from './schema.ts'

/** A check, or a group whose checks all have what it depends on. `dependsOn`: as it is to be, with what comes from its group. */
type Dependent = { accountId: string; text: string; dependsOn: readonly string[] }

/**
 * The way from one of `dependsOn` back to the dependent, as names in their order; null if there is none. It is walked in steps: what all
 * that was reached depends on is one statement, however many there are.
 */
export const findCircle = async (
  trx: Db,
  { accountId, text, dependsOn }: Dependent,
): Promise<{ first: string; names: string[] } | null> => {
  const cameFrom = new Map<string, string | null>(dependsOn.map((one) => [one, null]))
  let reached = [...cameFrom.keys()]
  while (reached.length > 0) {
    const named = apart(reached)
    const checks = await checksAmong(trx, accountId, named)
    const back = reached.includes(text)
      ? text
      : checks.find(({ id, group_id }) => [subjectText({ checkId: id }), groupText(group_id)].includes(text))
    if (back !== undefined) {
      const last = typeof back === 'string' ? text : reachedAs(back, cameFrom)
      return nameWay(
        trx,
        accountId,
        wayTo(last, cameFrom).filter((one) => one !== text),
      )
    }
    const bearers = new Map<string, string>()
    for (const check of checks) {
      const as = reachedAs(check, cameFrom)
      bearers.set(subjectText({ checkId: check.id }), as)
      if (check.group_id !== null) bearers.set(subjectText({ groupId: check.group_id }), as)
    }
    const next = await trx.all(dependenciesOf, { texts: [...bearers.keys()] })
    reached = []
    for (const { dependent, depends_on: found } of next) {
      if (cameFrom.has(found)) continue
      cameFrom.set(found, bearers.get(dependent) ?? null)
      reached.push(found)
    }
  }
  return null
}

type Reached = { id: string; group_id: number | null }

const groupText = (groupId: number | null): string | null =>
  groupId === null ? null : subjectText({ groupId })

/** By itself, or with its group. */
const reachedAs = ({ id, group_id }: Reached, cameFrom: ReadonlyMap<string, string | null>): string => {
  const own = subjectText({ checkId: id })
  return cameFrom.has(own) ? own : (groupText(group_id) ?? own)
}

const wayTo = (last: string, cameFrom: ReadonlyMap<string, string | null>): string[] => {
  const way: string[] = []
  for (let at: string | null = last; at !== null; at = cameFrom.get(at) ?? null) way.unshift(at)
  return way
}

const nameWay = async (trx: Db, accountId: string, way: readonly string[]) => {
  const { checkIds, groupIds } = apart(way)
  const names = new Map<string, string>()
  for (const { id, name } of await checksAmong(trx, accountId, { checkIds, groupIds: [] }))
    names.set(subjectText({ checkId: id }), name)
  for (const { id, name } of await groupsById(trx, [accountId], groupIds))
    names.set(subjectText({ groupId: id }), name)
  return { first: way[0] ?? '', names: way.map((text) => names.get(text) ?? text) }
}
