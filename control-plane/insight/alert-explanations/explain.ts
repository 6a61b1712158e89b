/**
 * Why a check did alert, or did not: read from what alerting itself goes by (its state, the settings, the windows, the
 * notifications), so that the explanation cannot differ from what happened.
 */

import { alertLevelOf } from '../../../protocol/verdict.ts'
import type { HasProviders } from '../../alerting/channels/providers.ts'
import { shownResponse } from '../../alerting/check-alerts/schema.ts'
import { type AlertState, allWell, nextTransition } from '../../alerting/engine/advance.ts'
import { alertStateDoc } from '../../alerting/engine/alert-state-doc.ts'
import type { AlertSubject } from '../../alerting/engine/alert-subject.ts'
import { changesIn, percentOf } from '../../alerting/engine/flapping.ts'
import { findAlertState } from '../../alerting/engine/state-queries.ts'
import { flagsOfRow } from '../../monitoring/outcomes/verdict.ts'
import { alertSubject } from '../../monitoring/watches/alert-states/read-alert-subject.ts'
import { findStatus } from '../../monitoring/watches/check-statuses/queries.ts'
import type { App } from '../../platform/app/app.ts'
import { toIso } from '../../platform/words/shapes/instants.ts'
import { allInEnglish, inEnglish, type Told, tell } from '../../platform/words/told.ts'
import { channelOutcomes, type Outcome } from './channel-outcomes.ts'
import { dependenciesOfCheck } from './dependencies-of-check.ts'
import {
  type KeptBack,
  type Reach,
  ruleInWords,
  summaryOf,
  type Unserved,
  whyKeptBack,
} from './explain-rule.ts'
import { latestAlert, latestFinals } from './queries.ts'
import type { AlertExplanation } from './schema.ts'
import { windowsInForce } from './windows-in-force.ts'

const shownResults = 20

/** Why, as sentences that each reader has in their own language. */
type ToldExplanation = {
  summary: readonly Told[]
  rule: Told
  /** What keeps a failure back; null where nothing does. */
  keptBack: Told | null
  /** By the id of the channel. */
  reasons: ReadonlyMap<number, Told>
}

export type Explained = { explanation: AlertExplanation; told: ToldExplanation }

/** States that say nothing of the target. */
const unservedStates: Readonly<Record<string, Unserved>> = { unknown: 'unable', stale: 'silent' }

/** Undefined when the account has no such check. */
export const explainAlert = async (
  app: App & HasProviders,
  check: { accountId: string; checkId: string },
): Promise<AlertExplanation | undefined> => (await explainInWords(app, check))?.explanation

/** The same with its sentences. */
export const explainInWords = async (
  app: App & HasProviders,
  { accountId, checkId }: { accountId: string; checkId: string },
): Promise<Explained | undefined> => {
  const { db } = app
  const now = app.clock.now()
  const subject = await alertSubject(db, checkId)
  if (!subject || subject.accountId !== accountId) return undefined
  const row = await db.get(findAlertState, { checkId })
  const { state, heldBack } = row ? alertStateDoc.read(row.doc) : { state: allWell, heldBack: null }
  const alert = await db.get(latestAlert, { accountId, checkId })
  const { silencedBy, pausedBy } = await windowsInForce(db, subject, now)
  const { keptBack, ...dependencies } = await dependenciesOfCheck(db, subject, heldBack)
  const finals = await latestFinals(db, { checkId, limit: shownResults })
  const channels = await channelOutcomes(app, { ...subject, checkId }, alert)
  const status = await db.get(findStatus, { accountId, checkId })
  const unserved = unservedStates[status?.state ?? ''] ?? null
  const judged = finals.some((final) => alertLevelOf(flagsOfRow(final)) !== 'none')
  const reached = alert ? reachedBy(channels) : 'some'
  const words = inWords(subject, state, {
    silencedBy,
    pausedBy,
    now,
    judged,
    unserved,
    reached,
    keptBack,
  })
  const told = {
    summary: words.summary,
    rule: words.rule.text,
    keptBack: keptBack === null ? null : whyKeptBack(keptBack),
    reasons: new Map(channels.map(({ alertChannelId, reason }) => [alertChannelId, reason])),
  }
  const explanation: AlertExplanation = {
    checkId,
    summary: allInEnglish(words.summary),
    rule: { ...words.rule, text: inEnglish(words.rule.text) },
    state: state.level === 'passing' && (unserved !== null || !judged) ? 'unknown' : state.level,
    since: state.level === 'passing' ? null : toIso(state.changedAt),
    told: state.told,
    response: state.response === null ? null : shownResponse(state.response),
    reminders: remindersOf(subject, state),
    settings: settingsOf(subject),
    mutedBy: subject.mutedBy,
    deactivatedBy: subject.stoppedBy,
    silencedBy,
    pausedBy,
    ...dependencies,
    toldBy: tellingGroup(subject),
    flapping: flappingNow(subject, state),
    latestAlert: shownAlert(alert),
    channels: channels.map((channel) => ({ ...channel, reason: inEnglish(channel.reason) })),
    sequence: finals.map(shownFinal),
  }
  return { explanation, told }
}

const tellingGroup = ({ groupTells, groupId, groupName }: AlertSubject): AlertExplanation['toldBy'] =>
  groupTells === 'GROUP' && groupId !== null ? { groupId, name: groupName ?? '' } : null

const remindersOf = ({ rules: { reminders } }: AlertSubject, { reminders: sent }: AlertState) => ({
  sent,
  amount: reminders.amount,
  intervalMinutes: reminders.intervalMs / 60_000,
})

const settingsOf = (subject: AlertSubject): AlertExplanation['settings'] => ({
  alertSettings: subject.settings as AlertExplanation['settings']['alertSettings'],
  from: subject.origin,
  parallelLocations: subject.expected,
  failurePercentage: subject.share,
})

type AlertRow = { id: string; alert_type: string; created_at: number }
type FinalRow = Awaited<ReturnType<typeof latestFinals>>[number]

const shownAlert = (alert: AlertRow | undefined): AlertExplanation['latestAlert'] =>
  alert === undefined
    ? null
    : {
        id: alert.id,
        alertType: alert.alert_type as NonNullable<AlertExplanation['latestAlert']>['alertType'],
        created_at: toIso(alert.created_at),
      }

const shownFinal = (final: FinalRow): AlertExplanation['sequence'][number] => ({
  checkResultId: final.id,
  startedAt: toIso(final.started_at),
  runLocation: final.location,
  verdict: alertLevelOf(flagsOfRow(final)),
  retries: final.attempts,
})

const flappingNow = ({ rules }: AlertSubject, { flaps }: AlertState): AlertExplanation['flapping'] =>
  !rules.flapping || !flaps.isOn
    ? null
    : {
        since: toIso(flaps.since),
        changes: changesIn(flaps),
        percent: Math.round(percentOf(flaps) * 10) / 10,
        endsBelow: Math.min(rules.flapping.low, rules.flapping.high),
      }

type AlertSurroundings = Pick<AlertExplanation, 'silencedBy' | 'pausedBy'> & {
  now: number
  judged: boolean
  /** No agent could run it when it was last due. */
  unserved: Unserved
  reached: Reach
  keptBack: KeptBack
}

const inWords = (
  subject: AlertSubject,
  state: AlertState,
  { silencedBy, pausedBy, now, judged, unserved, reached, keptBack }: AlertSurroundings,
): {
  summary: Told[]
  rule: { text: Told; met: boolean; nextAlertAt: string | null }
} => {
  const { expected, share } = subject
  const flapping = flappingNow(subject, state)
  const rule = ruleInWords(state, { ...subject.rules, judged, expected, share, flapping }, now)
  // What came due before now was kept back as well, by these windows or by those before them.
  const silences = silencedBy.map(({ until }) => ({
    from: 0,
    to: until === null ? now + 86_400_000 : Date.parse(until),
  }))
  const next = nextTransition(state, { ...subject.rules, silences })
  const summary = summaryOf({
    state,
    keptBack,
    flapping,
    judged,
    unserved,
    reached,
    rule,
    mutedBy: subject.mutedBy,
    stoppedBy: subject.stoppedBy,
    toldBy: tellingGroup(subject)?.name ?? null,
    windows: silencedBy.map(({ name }) => name),
  })
  const byTimeAlone = next !== null && !next.quiet && next.at > now
  const paused = pausedBy.map(({ name }) => name).join(', ')
  const pause = paused === '' ? [] : [tell`Maintenance pauses its runs: ${paused}.`]
  return { summary: [summary, ...pause], rule: { ...rule, nextAlertAt: byTimeAlone ? toIso(next.at) : null } }
}

const reachedBy = (channels: readonly Pick<Outcome, 'status'>[]): Reach => {
  const sent = channels.filter(({ status }) => status !== null)
  if (sent.length === 0) return 'nobody'
  return sent.every(({ status }) => status === 'FAILURE') ? 'failed' : 'some'
}
