/**
 * Incidents that rules of pages open: one of each rule at a time, for all checks that fit it. A check that fails while it is open comes to it; it is
 * resolved with the last of them (open-or-resolve.ts). For a while after it none is opened: a check that is still failing then opens the next one.
 */
import type { Stamp } from '../../platform/services/clock/stamp.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { StatusPageRulesTable } from '../../platform/store/database/tables/incident-automation.ts'
import { cardServicesOfPages } from '../stored-pages/card-queries.ts'
import { findAutomaticIncident, insertAutomaticIncident } from './automatic-queries.ts'
import { type RuleDoc, ruleDoc } from './automation-rule.ts'
import { impactsDoc, type StoredImpact, severityOf } from './impacts.ts'
import { openAutomatic } from './open-or-resolve.ts'
import { lockIncident } from './queries.ts'
import { lockRule, rulesOfAccounts, updateRule } from './rule-queries.ts'
import { incidentsSuppressed } from './suppressed.ts'

/** A check that people were told is failing, `at`: since when. `tags`: also those of its group. */
type FailingByTags = { accountId: string; checkId: string; tags: readonly string[]; at: number }

export type Rules = readonly (Pick<StatusPageRulesTable, 'id' | 'account_id'> & {
  tags: ReadonlySet<string>
})[]

/** Those that open something. */
export const rulesFor = async (trx: Db, accountIds: readonly string[]): Promise<Rules> => {
  if (accountIds.length === 0) return []
  const rows = await trx.all(rulesOfAccounts, { accountIds: [...new Set(accountIds)] })
  return rows.flatMap(({ doc, ...row }) => {
    const { enabled, tags } = ruleDoc.read(doc)
    return enabled ? [{ ...row, tags: new Set(tags) }] : []
  })
}

/** Belongs in the transaction that records the failure. `isQuiet`: nobody is mailed. */
export const openByRules = async (
  trx: Db,
  { rules, isQuiet = false, ...failing }: FailingByTags & { rules: Rules; isQuiet?: boolean },
  stamp: Stamp,
): Promise<void> => {
  const { accountId, checkId, tags } = failing
  for (const rule of rules) {
    if (rule.account_id !== accountId || !tags.some((tag) => rule.tags.has(tag))) continue
    if (await trx.get(findAutomaticIncident, { checkId, causeId: rule.id })) continue
    const row = await trx.get(lockRule, { id: rule.id, accountId })
    if (row !== undefined) await openByRule(trx, { row, failing, isQuiet }, stamp)
  }
}

type Opening = { row: StatusPageRulesTable; failing: FailingByTags; isQuiet: boolean }

const openByRule = async (trx: Db, { row, failing, isQuiet }: Opening, stamp: Stamp): Promise<void> => {
  const doc = ruleDoc.read(row.doc)
  const { account_id, id: cause_id, incident_id: latest } = row
  const notify = doc.notifySubscribers && !isQuiet
  const episode = { check_id: failing.checkId, cause_id, account_id, notify_subscribers: notify }
  const before = latest && (await trx.get(lockIncident, { id: latest, accountId: account_id }))
  if (before && before.status !== 'RESOLVED') {
    await trx.run(insertAutomaticIncident, { ...episode, incident_id: before.id })
    return
  }
  const over = before ? before.resolved_at : null
  if (over !== null && stamp.now < over + doc.coolDownWindowMinutes * 60_000) return
  const impacts = await impactsOn(trx, row, { components: doc.components, at: failing.at })
  if (impacts === null) return
  const incident_id = await openAutomatic(
    trx,
    {
      ...{ episode, at: failing.at, serviceIds: impacts.map(({ serviceId }) => serviceId) },
      incident: {
        ...{ status_page_id: row.status_page_id, name: doc.name, translations: '{}' },
        ...{ impacts: impactsDoc.write(impacts), severity: severityOf(impacts) },
      },
      update: { description: doc.firstUpdate, translations: '{}' },
    },
    stamp,
  )
  if (incident_id !== null) await trx.run(updateRule, { ...row, incident_id })
}

/** On what stands on the page still; null: on nothing, as maintenance covers it all. */
const impactsOn = async (
  trx: Db,
  { account_id: accountId, status_page_id: pageId }: StatusPageRulesTable,
  { components, at }: Pick<RuleDoc, 'components'> & { at: number },
): Promise<StoredImpact[] | null> => {
  const services = await trx.all(cardServicesOfPages, { pageIds: [pageId] })
  const shown = new Set(services.map(({ id }) => id))
  const named = components.filter(({ componentId }) => shown.has(componentId))
  const impacts: StoredImpact[] = []
  for (const { componentId: serviceId, targetImpact: impact } of named)
    if (!(await incidentsSuppressed(trx, { accountId, serviceId, now: at })))
      impacts.push({ serviceId, impact, from: at, to: null })
  return named.length > 0 && impacts.length === 0 ? null : impacts
}
