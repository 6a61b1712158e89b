/** Writing what a check or group depends on, in the transaction of its own row and after the account was locked: no two writes make a circle together. */
import type { Violation } from '../../../../protocol/validate.ts'
import { holdChecks, holdGroups } from '../../../alerting/alert-channels/subscription-queries.ts'
import { subjectText } from '../../../alerting/alert-channels/subscriptions.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { runForRows } from '../../../platform/store/database/row-statement.ts'
import { violation } from '../../../platform/words/errors.ts'
import { findCircle } from './find-circle.ts'
import {
  deleteDependenciesOf,
  deleteDependentsOn,
  dependenciesOf,
  dependencyRows,
  newVersionOfChecks,
} from './queries.ts'
import { apart, type DependsOn, dependencyText } from './schema.ts'

/** `groupId`: of a check, its group. `dependsOn`: undefined where it stays as it is. */
type Dependent = {
  accountId: string
  text: string
  groupId: number | null
  dependsOn: DependsOn | undefined
}

/** What is wrong with it, circles included. */
export const dependencyViolations = async (
  trx: Db,
  { accountId, text, groupId, dependsOn: sent }: Dependent,
): Promise<Violation[]> => {
  const dependsOn = sent ?? []
  const texts = dependsOn.map(dependencyText)
  const wrong = await wrongItems(trx, { accountId, text, dependsOn })
  if (wrong.length > 0) return wrong
  const others = [
    ...(sent === undefined ? [text] : []),
    ...(groupId === null ? [] : [subjectText({ groupId })]),
  ]
  const kept = others.length === 0 ? [] : await trx.all(dependenciesOf, { texts: others })
  const all = [...texts.filter((one) => one !== undefined), ...kept.map(({ depends_on }) => depends_on)]
  const circle = await findCircle(trx, { accountId, text, dependsOn: all })
  if (circle === null) return []
  const position = texts.indexOf(circle.first)
  const field = position === -1 ? 'groupId' : `dependsOn.${position}`
  const way = circle.names.map((name) => `"${name}"`).join(', which depends on ')
  return [violation(field, 'circle', `makes a circle: it would depend on ${way}, which depends on it`)]
}

type Items = { accountId: string; text: string; dependsOn: DependsOn }

const wrongItems = async (trx: Db, { accountId, text, dependsOn }: Items): Promise<Violation[]> => {
  if (dependsOn.length === 0) return []
  const { checkIds, groupIds } = apart(dependsOn.map(dependencyText).filter((one) => one !== undefined))
  const known = new Set([
    ...(await trx.all(holdChecks, { accountId, ids: checkIds })).map(({ id }) =>
      subjectText({ checkId: id }),
    ),
    ...(await holdGroups(trx, accountId, groupIds)).map(({ id }) => subjectText({ groupId: id })),
  ])
  return dependsOn.flatMap((one, position) => problemOf(one, { position, text, known }))
}

type Item = { position: number; text: string; known: ReadonlySet<string> }

const problemOf = (one: DependsOn[number], { position, text, known }: Item): Violation[] => {
  const at = `dependsOn.${position}`
  if ((one.checkId === undefined) === (one.groupId === undefined))
    return [violation(`${at}.checkId`, 'one', 'or "groupId": exactly one of them is needed')]
  const named = dependencyText(one)
  if (named === text) return [violation(at, 'circle', 'names itself')]
  if (named !== undefined && known.has(named)) return []
  return one.checkId === undefined
    ? [violation(`${at}.groupId`, 'exists', `names a check group that does not exist: ${one.groupId}`)]
    : [violation(`${at}.checkId`, 'exists', `names a check that does not exist: ${one.checkId}`)]
}

type Written = { accountId: string; text: string; dependsOn: DependsOn }

/** Replaces what it depends on; what `dependencyViolations` found nothing against. */
export const writeDependencies = async (trx: Db, { accountId, text, dependsOn }: Written): Promise<void> => {
  await trx.run(deleteDependenciesOf, { text })
  const rows = dependsOn
    .map(dependencyText)
    .filter((one) => one !== undefined)
    .map((one) => ({ account_id: accountId, dependent: text, depends_on: one }))
  await runForRows(trx, dependencyRows, rows)
}

/** For the removal of a check or group: nothing depends on it any more. */
export const dropDependencies = async (trx: Db, text: string): Promise<void> => {
  await trx.run(deleteDependenciesOf, { text })
  const freed = await trx.all(deleteDependentsOn, { text })
  const { checkIds } = apart(freed.map(({ dependent }) => dependent))
  if (checkIds.length > 0) await trx.run(newVersionOfChecks, { ids: checkIds })
}
