/**
 * Why a check did alert, or did not: read from what alerting itself goes by (its state, the settings, the windows, the
 * notifications), so that the explanation cannot differ from what happened.
 */
import { type AlertState, allWell, nextNotice } from '../alerting/advance.ts'
import { type AlertSubject, alertSubject } from '../alerting/alert-subject.ts'
import type { StoredState } from '../alerting/apply-step.ts'
import { findAlertState } from '../alerting/state-queries.ts'
import type { App } from '../app.ts'
import { toIso, toIsoOrNull } from '../instant.ts'
import { channelOutcomes } from './channel-outcomes.ts'
import { ruleInWords, summaryOf } from './explain-rule.ts'
import { latestAlert, latestFinals } from './queries.ts'
import type { AlertExplanation } from './schema.ts'
import { silencingWindows } from './silencing-windows.ts'

const shownResults = 20

/** Undefined when the account has no such check. */
export const explainAlert = async (
  app: App,
  { accountId, checkId }: { accountId: string; checkId: string },
): Promise<AlertExplanation | undefined> => {
  const { db } = app
  const now = app.clock.now()
  const subject = await alertSubject(db, checkId)
  if (!subject || subject.accountId !== accountId) return undefined
  const row = await db.get(findAlertState, { checkId })
  const state = row ? (JSON.parse(row.doc) as StoredState).state : allWell
  const alert = await db.get(latestAlert, { accountId, checkId })
  const windows = await silencingWindows(db, subject, now)
  const finals = await db.all(latestFinals, { accountId, checkId, limit: shownResults })
  return {
    checkId,
    ...inWords(subject, state, { windows, now }),
    state: state.level,
    since: state.level === 'passing' ? null : toIso(state.changedAt),
    told: state.told,
    reminders: {
      sent: state.reminders,
      amount: subject.rules.reminders.amount,
      intervalMinutes: subject.rules.reminders.intervalMs / 60_000,
    },
    settings: {
      alertSettings: subject.settings as AlertExplanation['settings']['alertSettings'],
      from: subject.origin,
      parallelLocations: subject.expected,
      failurePercentage: subject.share,
    },
    mutedBy: subject.mutedBy,
    deactivatedBy: subject.stoppedBy,
    silencedBy: windows,
    latestAlert: alert
      ? {
          id: alert.id,
          alertType: alert.alert_type as NonNullable<AlertExplanation['latestAlert']>['alertType'],
          created_at: toIso(alert.created_at),
        }
      : null,
    channels: await channelOutcomes(db, { accountId, checkId, groupId: subject.groupId }, alert),
    sequence: finals.map((final) => ({
      checkResultId: final.id,
      startedAt: toIso(final.started_at),
      runLocation: final.location,
      verdict: verdictOf(final),
      retries: final.attempts,
    })),
  }
}

type Around = { windows: AlertExplanation['silencedBy']; now: number }

const inWords = (
  subject: AlertSubject,
  state: AlertState,
  { windows, now }: Around,
): Pick<AlertExplanation, 'summary' | 'rule'> => {
  const rule = ruleInWords(state, subject.rules, now)
  const silences = windows.map(({ until }) => ({
    from: now,
    to: until === null ? now + 86_400_000 : Date.parse(until),
  }))
  const next = nextNotice(state, { ...subject.rules, silences })
  const summary = summaryOf({
    state,
    rule,
    mutedBy: subject.mutedBy,
    stoppedBy: subject.stoppedBy,
    windows: windows.map(({ name }) => name),
  })
  return { summary, rule: { ...rule, nextAlertAt: toIsoOrNull(next?.at ?? null) } }
}

type Final = { has_failures: number; has_errors: number; is_degraded: number; is_cancelled: number }

const verdictOf = (row: Final) => {
  if (row.is_cancelled === 1 || row.has_errors === 1) return 'none'
  if (row.has_failures === 1) return 'failing'
  return row.is_degraded === 1 ? 'degraded' : 'passing'
}
