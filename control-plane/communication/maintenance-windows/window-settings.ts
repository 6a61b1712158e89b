/**
 * From what a caller sends to a window's settings, and the rules that no schema can say. Pure.
 *
 * Dates without a time are midnight in the window's time zone. `repeatUnit: null` switches the repetition off together
 * with its interval and end; a unit without an interval repeats every 1.
 */
import type { Violation } from '../../../protocol/validate.ts'
import { violation } from '../../platform/words/errors.ts'
import { isDateOnly, readInstant } from '../../platform/words/shapes/instants.ts'
import { localDate, startOfDate, timeZoneName } from './occurrences.ts'
import type { MaintenanceWindowChanges, StatusPageVisibility } from './schema.ts'
import { type WindowDoc, windowDoc } from './window-doc.ts'

/** Instants in epoch milliseconds. */
export type WindowSettings = WindowDoc & { name: string; startsAt: number; endsAt: number }

export const newSettings: WindowSettings = { ...windowDoc.read('{}'), name: '', startsAt: 0, endsAt: 0 }

type SettingsChange = { settings: WindowSettings; violations: Violation[] }

/** `before` with what was sent; the settings count only when there are no violations. */
export const withChanges = (before: WindowSettings, changes: MaintenanceWindowChanges): SettingsChange => {
  const violations: Violation[] = []
  const { startsAt, endsAt, timezone, repeatEndsAt, statusPageVisibility, ...plain } = changes
  const zone = timezone === undefined ? before.timezone : timeZoneName(timezone ?? 'UTC')
  if (zone === null) violations.push(violation('timezone', 'timezone', 'is not an IANA time zone'))
  const read = instantReader(zone ?? 'UTC', violations)
  const settings: WindowSettings = {
    ...before,
    ...defined(plain),
    timezone: zone ?? 'UTC',
    startsAt: read('startsAt', startsAt) ?? before.startsAt,
    endsAt: read('endsAt', endsAt) ?? before.endsAt,
    ...(repeatEndsAt === undefined ? {} : { repeatEndsAt: null, repeatEndsAtAsSent: repeatEndsAt }),
    statusPageVisibility: { ...before.statusPageVisibility, ...defined(statusPageVisibility ?? {}) },
  }
  const lastDay = read('repeatEndsAt', repeatEndsAt ?? undefined)
  if (lastDay !== null) settings.repeatEndsAt = localDate(lastDay, settings.timezone)
  if (settings.repeatUnit === null) {
    if (changes.repeatInterval === undefined) settings.repeatInterval = null
    if (changes.repeatEndsAt === undefined) settings.repeatEndsAt = null
  } else settings.repeatInterval ??= 1
  if (violations.length === 0) violations.push(...timeViolations(settings))
  if (statusPageVisibility !== undefined)
    violations.push(...visibilityViolations(settings.statusPageVisibility))
  return { settings, violations }
}

const instantReader =
  (timezone: string, violations: Violation[]) =>
  (path: string, text: string | undefined): number | null => {
    if (text === undefined) return null
    const instant = readInstant(text)
    if (instant === null) violations.push(violation(path, 'instant', 'is not a moment from 1970 to 2999'))
    return instant === null || !isDateOnly(text) ? instant : startOfDate(text, timezone)
  }

const maxRepeatedMs = 366 * 24 * 3_600_000

const timeViolations = (settings: WindowSettings): Violation[] => {
  const { startsAt, endsAt, timezone, repeatUnit, repeatInterval, repeatEndsAt } = settings
  const problems: Violation[] = []
  if (endsAt < startsAt) problems.push(violation('endsAt', 'order', 'must not be before "startsAt"'))
  if (repeatUnit === null) {
    if (repeatInterval !== null)
      problems.push(violation('repeatInterval', 'repeat', 'must be null without "repeatUnit"'))
    if (repeatEndsAt !== null)
      problems.push(violation('repeatEndsAt', 'repeat', 'must be null without "repeatUnit"'))
    return problems
  }
  if (repeatEndsAt !== null && repeatEndsAt < localDate(startsAt, timezone))
    problems.push(violation('repeatEndsAt', 'order', 'must not be before the date of "startsAt"'))
  if (endsAt - startsAt > maxRepeatedMs)
    problems.push(violation('endsAt', 'length', 'must be within 366 days of "startsAt" when it repeats'))
  return problems
}

const visibilityViolations = (visibility: StatusPageVisibility): Violation[] => {
  const { affectAllServices, serviceIds, statusPageIds } = visibility
  const at = (field: string, rule: string, problem: string) =>
    violation(`statusPageVisibility.${field}`, rule, problem)
  if (affectAllServices && serviceIds.length > 0)
    return [at('serviceIds', 'exclusive', 'must be empty with "affectAllServices"')]
  if (statusPageIds.length > 0 && serviceIds.length === 0 && !affectAllServices)
    return [at('serviceIds', 'required', 'or "affectAllServices" is required with "statusPageIds"')]
  if (statusPageIds.length === 0 && serviceIds.length > 0)
    return [at('serviceIds', 'linked', 'must be on a page of "statusPageIds"')]
  return []
}

/** Fields that were really sent. `fromEntries` forgets which they are. */
const defined = <T extends object>(fields: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never
