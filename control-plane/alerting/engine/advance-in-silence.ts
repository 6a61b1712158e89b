/**
 * A step of an alert state among all that keeps it silent: maintenance, and what the check depends on. Each is read only where something
 * would be told without it.
 */
import { activeIntervals, type WindowPlan } from '../../communication/maintenance-windows/active-windows.ts'
import { windowsOfAccount } from '../../communication/maintenance-windows/window-plans.ts'
import type { Db } from '../../platform/store/database/db.ts'
import type { RunDetails } from '../messages/alert-event.ts'
import {
  type AlertRules,
  advance,
  elapse,
  type JudgedRun,
  type NextState,
  type Silence,
  type Transition,
} from './advance.ts'
import { advancePast, type PastRuns } from './advance-past.ts'
import type { AlertStateDoc } from './alert-state-doc.ts'
import type { AlertSubject } from './alert-subject.ts'
import type { FailureToTell, HeldBack, Hold } from './held-back.ts'

/** While alerts are kept back it is looked so often whether the silence was ended by hand. */
const lookAgainMs = 60_000
/** Silences longer ago decide nothing any more. */
const longestLookBackMs = 7 * 24 * 60 * 60_000

/** What is asked of whoever knows what checks depend on (monitoring/watches/dependencies). */
export type Neighbours = {
  /** Null: nothing keeps this failure back. What is to be run first is on its way then. */
  holdOf(
    failure: Omit<FailureToTell, 'dependencies' | 'waitMs'> & { subject: AlertSubject },
  ): Promise<Hold | null>
  /** How many checks say nothing of their own while this one fails. */
  dependentsOf(subject: AlertSubject): Promise<number>
  /** It failed before and does not now, or the other way round; what is asked next is asked after that. */
  turned(subject: AlertSubject, isDown: boolean): void
  /** All of these are stored: what depends on them is to be looked at again. */
  changed(subjects: readonly AlertSubject[]): Promise<void>
  /** The names to wake after the commit. */
  wake: readonly string[]
}

type PlansOf = (accountId: string) => Promise<WindowPlan[]>

/** Each account's are read once, and only when something is due. */
export const plansOfAccounts = (trx: Db, now: number): PlansOf => {
  const known = new Map<string, WindowPlan[]>()
  return async (accountId) => {
    const plans = known.get(accountId) ?? (await windowsOfAccount(trx, accountId, now - longestLookBackMs))
    known.set(accountId, plans)
    return plans
  }
}

type Happened = { run: JudgedRun | null; past?: PastRuns | undefined; now: number }

type Around = { plansOf: PlansOf; neighbours: Neighbours }
type Change = { subject: AlertSubject; before: AlertStateDoc; details: RunDetails | null; happened: Happened }
type Advanced = { next: NextState; silences: Silence[]; heldBack: HeldBack | null; heldUntil: number | null }

/** Silences can only delay a transition: where none is due without them, they need not be read, and what is depended on neither. */
export const advanceInSilence = async (
  { plansOf, neighbours }: Around,
  change: Change,
): Promise<Advanced> => {
  const { subject, before, details, happened } = change
  const { next, silences } = await advanceWithSilences(plansOf, change)
  const failure = next.transitions.find((one) => !one.quiet && !isRecovery(one))
  const told = { next, silences, heldBack: null, heldUntil: null }
  if (failure === undefined) return told
  // It is well before it could be told: then it is not told at all.
  if (before.heldBack !== null && happened.run?.level === 'passing') {
    const held = heldOf(happened.now + 1)
    return { ...told, next: advanced(change, { ...subject.rules, silences, held }) }
  }
  const hold = await neighbours.holdOf({
    subject,
    dueAt: failure.at,
    startedAt: details?.startedAt ?? failure.at,
    isFirst: failure.reminder === 0,
    untoldSince: before.state.told === null ? failure.failingSince : null,
    before: before.heldBack,
    now: happened.now,
  })
  // What was kept back until now is told now.
  if (hold === null && before.heldBack !== null)
    return { ...told, next: advanced(change, { ...subject.rules, silences, held: heldOf(happened.now) }) }
  if (hold === null) return told
  const state = advanced(change, { ...subject.rules, silences, held: heldOf(hold.until) })
  return { next: state, silences, heldBack: hold.held, heldUntil: hold.until }
}

export const isRecovery = ({ alertType }: Pick<Transition, 'alertType'>): boolean =>
  alertType === 'ALERT_RECOVERY' || alertType === 'ALERT_DEGRADED_RECOVERY'

const advanced = (
  { before: { state }, happened: { run, past, now } }: Omit<Change, 'details'>,
  rules: AlertRules,
): NextState => {
  if (past !== undefined) return advancePast(state, { ...past, now, rules })
  return run === null ? elapse(state, now, rules) : advance(state, run, rules)
}

const advanceWithSilences = async (
  plansOf: PlansOf,
  change: Change,
): Promise<{ next: NextState; silences: Silence[] }> => {
  const { subject, happened } = change
  const next = advanced(change, { ...subject.rules, silences: [] })
  const earliest = next.transitions[0]
  if (earliest === undefined) return { next, silences: [] }
  const from = Math.max(Math.min(earliest.at, happened.now), happened.now - longestLookBackMs)
  const plans = await plansOf(subject.accountId)
  const silences = silencesIn(plans, subject.tags, { from, to: happened.now + lookAgainMs })
  return { next: silences.length === 0 ? next : advanced(change, { ...subject.rules, silences }), silences }
}

export const heldOf = (until: number | null): Silence[] =>
  until === null ? [] : [{ from: Number.NEGATIVE_INFINITY, to: until }]

type SilenceQuestion = { accountId: string; tags: readonly string[]; within: Silence }

/** When maintenance keeps back the alerts of a check with these tags (its own and its group's), within `within`. */
export const silencesOf = async (db: Db, { accountId, tags, within }: SilenceQuestion): Promise<Silence[]> =>
  silencesIn(await windowsOfAccount(db, accountId, within.from), tags, within)

export const silencesIn = (
  plans: readonly WindowPlan[],
  tags: readonly string[],
  within: Silence,
): Silence[] =>
  plans
    .filter((plan) => plan.silenceAllAlerts || plan.silenceAlertsTags.some((tag) => tags.includes(tag)))
    .flatMap((plan) => activeIntervals(plan, within))
