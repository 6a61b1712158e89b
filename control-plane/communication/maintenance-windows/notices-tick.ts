/**
 * The loop that tells subscribers of maintenances ahead of time, at their start and at their end, as the window wishes.
 * A notice is a row: of several control planes one announces it, and a restart announces it neither twice nor never.
 */
import type { App } from '../../platform/app/app.ts'
import type { MaintenanceWindowsTable } from '../../platform/store/database/tables/maintenance-windows.ts'
import { announce } from '../status-page-subscriptions/announce.ts'
import { lifetimeOf, type WindowPlan } from './active-windows.ts'
import { deleteOldNotices, insertNotice, windowsToAnnounce } from './notice-queries.ts'
import {
  lastStartedBy,
  type Occurrence,
  occurrenceAt,
  occurrenceOn,
  occurrencesBetween,
} from './occurrences.ts'
import { phasesOf, statusAt } from './phases.ts'
import type { StatusPageVisibility } from './schema.ts'
import { windowDoc } from './window-doc.ts'
import { planOf, touchedOf } from './window-plans.ts'

const minuteMs = 60_000
/** What became due while no control plane was running is still told this much later. */
const lateMs = 60 * minuteMs
/** The longest time ahead that a window may ask for. */
const longestReminderMs = 10_080 * minuteMs
const retainedMs = 30 * 24 * 60 * minuteMs

export const maintenanceNoticesTick = async (app: App): Promise<void> => {
  const now = app.clock.now()
  for (const window of await app.db.all(windowsToAnnounce, { after: now - lateMs })) {
    const { statusPageVisibility: wishes } = windowDoc.read(window.doc)
    if (!wishes.enabled || wishes.statusPageIds.length === 0) continue
    if (!wishes.notifyOnStart && !wishes.notifyOnEnd && wishes.reminderMinutesBefore.length === 0) continue
    const plan = planOf(window, await touchedOf(app.db, window.id))
    for (const { date, notice } of dueNotices(plan, wishes, now))
      await tell(app, window, { date, notice, now })
  }
  await app.db.run(deleteOldNotices, { before: now - retainedMs })
}

type DueNotice = { date: string; notice: string }

/** What is to be told at `now`, and was not long ago. Pure. */
const dueNotices = (plan: WindowPlan, wishes: StatusPageVisibility, now: number): DueNotice[] =>
  nearby(plan, now).flatMap((occurrence) => {
    const life = lifetimeOf(plan, occurrence)
    const phases = phasesOf(life)
    const isDue = (at: number): boolean => at <= now && now - at < lateMs
    const since = (...statuses: string[]): number =>
      phases.find(({ status }) => statuses.includes(status))?.at ?? Number.POSITIVE_INFINITY
    const notices: string[] = []
    if (now < life.startsAt && statusAt(phases, now) === 'SCHEDULED')
      for (const minutes of wishes.reminderMinutesBefore)
        if (isDue(life.startsAt - minutes * minuteMs)) notices.push(`reminder-${minutes}`)
    if (wishes.notifyOnStart && isDue(since('IN_PROGRESS', 'VERIFYING'))) notices.push('start')
    if (wishes.notifyOnEnd && isDue(since('COMPLETED'))) notices.push('end')
    return notices.map((notice) => ({ date: occurrence.date, notice }))
  })

/** Occurrences that can have something to tell: soon, now, lately, open since longer, or touched by hand. */
const nearby = (plan: WindowPlan, now: number): Occurrence[] => {
  const found = new Map<string, Occurrence>()
  const from = now - lateMs - longestReminderMs
  for (const occurrence of occurrencesBetween(plan, from, now + longestReminderMs + minuteMs))
    found.set(occurrence.date, occurrence)
  for (const date of plan.exceptions.keys()) {
    const occurrence = occurrenceOn(plan, date)
    if (occurrence) found.set(date, occurrence)
  }
  const last = occurrenceAt(plan, lastStartedBy(plan, now))
  if (last) found.set(last.date, last)
  return [...found.values()].filter(({ date }) => !plan.exceptions.get(date)?.deleted)
}

const tell = (
  app: App,
  window: MaintenanceWindowsTable,
  { date, notice, now }: DueNotice & { now: number },
): Promise<void> =>
  app.db.transaction(async (trx) => {
    if ((await trx.run(insertNotice, { windowId: window.id, date, notice, now })) === 0) return
    const subject = `${window.id}/${date}`
    await announce(trx, { kind: 'MAINTENANCE', subject, accountId: window.account_id, now })
  })
