/**
 * What is said when a check is written that nobody could run right now. Writing it is allowed: an able agent may come.
 * Where no agent was seen in the whole installation nothing is said of the absence: it is being set up.
 */
import { type CheckType, isRunnable } from '../../../../protocol/check-type.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import type { ChecksTable } from '../../../platform/store/database/tables/runs.ts'
import { inEnglish, type Told, tell } from '../../../platform/words/told.ts'
import { agentGoneMs } from '../../locations/agents/agent-presence.ts'
import { anyAgent } from '../../locations/agents/queries.ts'
import { whyUnable } from '../../locations/agents/why-unable.ts'
import { findPrivateLocation, locationDoc } from '../../locations/queries.ts'
import { findSchedule, runLocations } from '../../schedule/schedule-queries.ts'
import { findGroup } from '../check-groups/queries.ts'
import { groupDoc } from '../check-groups/schema.ts'
import type { CheckWarning } from './shared-fields.ts'
import { kindOf } from './types/index.ts'

type ToldWarning = Pick<CheckWarning, 'location'> & { told: Told }

/** `shown`: as the API shows it. */
type WrittenCheck = Pick<ChecksTable, 'id' | 'account_id' | 'type' | 'activated' | 'group_id'> & {
  shown: object
}

/** In the order of the check's locations; none for a check that is switched off. */
export const runWarnings = async (db: Db, check: WrittenCheck, now: number): Promise<CheckWarning[]> =>
  (await toldWarnings(db, check, now)).map(({ location, told }) => ({ location, message: inEnglish(told) }))

/** The same for people, in their own language. */
export const toldWarnings = async (db: Db, check: WrittenCheck, now: number): Promise<ToldWarning[]> => {
  const { id, type } = check
  const schedule = await db.get(findSchedule, { checkId: id })
  if (!schedule) return neverDue(db, check)
  const someAgent = await db.get(anyAgent, { since: now - agentGoneMs })
  const { neededSettings, neededEngine } = kindOf(type)
  // To set an installation up does not help: an agent as it comes cannot run it.
  const needsMore = !isRunnable(type as CheckType) || neededSettings !== undefined
  const engine = neededEngine?.(check.shown) ?? null
  const warnings: ToldWarning[] = []
  for (const { id: location, name } of runLocations.read(schedule.locations)) {
    const typeName = kindOf(type).label
    const runtimeId = schedule.runtime_id
    const needed = { location, locationName: name, checkType: type, typeName, runtimeId, engine }
    const unable = await whyUnable(db, needed, now)
    if (unable === null || !(unable.isServed || someAgent || needsMore)) continue
    if (!unable.isServed && (await scalesToZero(db, { id: location, accountId: check.account_id }))) continue
    const detail = isRunnable(type as CheckType)
      ? withSettings(unable.detail, neededSettings)
      : tell`No agent can run checks of type ${{ text: typeName, values: [] }}.`
    warnings.push({ location: name, told: tell`${detail} ${tell`Until one can, runs here are missed.`}` })
  }
  return warnings
}

/** Where an agent starts when a run waits, none is needed before. */
const scalesToZero = async (db: Db, location: { id: string; accountId: string }): Promise<boolean> => {
  const row = await db.get(findPrivateLocation, location)
  return row !== undefined && locationDoc.read(row.doc).scalesToZero
}

const neverDue = async (db: Db, check: WrittenCheck): Promise<ToldWarning[]> => {
  const { account_id: accountId, type, activated, group_id: groupId } = check
  if (!activated || !kindOf(type).scheduled) return []
  const group = groupId === null ? undefined : await db.get(findGroup, { id: groupId, accountId })
  const isActive = group === undefined || groupDoc.read(group.doc).activated
  const told = isActive
    ? tell`It has no location, so it never runs.`
    : tell`Its group is switched off, so it does not run.`
  return [{ location: null, told }]
}

const withSettings = (detail: Told, names: readonly string[] | undefined): Told =>
  names === undefined ? detail : tell`${detail} ${tell`It needs an agent with ${names.join(', ')}.`}`
