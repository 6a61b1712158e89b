/** The rule that decides about the next alert, in words and numbers. Pure. */

import type { AlertRules, AlertState } from '../../alerting/engine/advance.ts'
import type { HeldBack } from '../../alerting/engine/held-back.ts'
import { responderInWords } from '../../alerting/messages/alert-response.ts'
import { type Told, tell } from '../../platform/words/told.ts'

type RuleInWords = { text: Told; met: boolean }

/** `judged`: whether any recent run was judged. `expected`: locations whose runs count once; `share`: percent that must fail. */
type Situation = Pick<AlertRules, 'escalation'> & {
  flapping: FlappingNow
  judged: boolean
  expected: number
  share: number | null
}

/** How much its level changes; null: it does not flap. */
type FlappingNow = { changes: number; percent: number; endsBelow: number } | null

const minuteMs = 60_000

const stateWords = { failing: tell`failing`, degraded: tell`degraded`, passing: tell`passing` }

export const ruleInWords = (state: AlertState, situation: Situation, now: number): RuleInWords => {
  const { level, told, changedFrom, streak } = state
  const { escalation, flapping } = situation
  if (flapping !== null && state.flaps.isTold)
    return {
      text: tell`its level changed ${flapping.changes} times in its last 21 runs (${flapping.percent} %); it is told how it is when that is less than ${flapping.endsBelow} %`,
      met: false,
    }
  if (level === 'passing')
    return told === null
      ? { text: tell`nothing to alert: ${whyWell(situation)}`, met: false }
      : { text: tell`a recovery is told as soon as alerts may be: ${stateWords[told]} was told`, met: true }
  if (told === level)
    return { text: tell`${stateWords[level]} was told already; ${mayFollow(state)}`, met: true }
  if (told !== null || changedFrom !== 'passing')
    return { text: tell`a change between degraded and failing is always told`, met: true }
  if ('runs' in escalation)
    return {
      text: tell`${Math.min(streak, escalation.runs)} of ${escalation.runs} ${stateWords[level]} runs in a row`,
      met: streak >= escalation.runs,
    }
  const minutes = Math.floor((now - state.changedAt) / minuteMs)
  const needed = escalation.afterMs / minuteMs
  return {
    text: tell`${stateWords[level]} for ${Math.min(minutes, needed)} of ${needed} minutes`,
    met: now >= state.changedAt + escalation.afterMs,
  }
}

const mayFollow = ({ response }: AlertState): Told => {
  if (response === null) return tell`only reminders may follow`
  return response.until === null
    ? tell`no reminders follow: it is acknowledged`
    : tell`it is told again when its snooze is over`
}

const whyWell = ({ judged, expected, share }: Situation): Told => {
  if (!judged) return tell`no run has been judged`
  if (expected < 2 || share === null) return tell`the last judged run passed`
  return tell`the last parallel run passed, because fewer than ${share} % of its ${expected} locations failed`
}

/** What became of the latest alert: no channel was to get it, none could be given it, or it is known by some (or too old to tell). */
export type Reach = 'nobody' | 'failed' | 'some'

/** `unable`: no agent could run it when it was last due; `silent`: results stay away. */
export type Unserved = 'unable' | 'silent' | null

/** What keeps a failure back, by its name; null where nothing does. */
export type KeptBack = { name: string; phase: HeldBack['phase'] } | null

type Reasons = {
  state: AlertState
  keptBack: KeptBack
  flapping: FlappingNow
  judged: boolean
  unserved: Unserved
  reached: Reach
  rule: RuleInWords
  mutedBy: 'check' | 'group' | null
  stoppedBy: 'check' | 'group' | null
  /** The name of the group that tells instead of it. */
  toldBy: string | null
  windows: readonly string[]
}

/** Why nothing more is told at the moment, the strongest reason first. */
export const summaryOf = (reasons: Reasons): Told => {
  const { state, rule, mutedBy, stoppedBy, windows } = reasons
  const { level, told } = state
  if (mutedBy !== null)
    return tell`The check is ${stateWords[level]} and alerts nobody: ${whose(mutedBy)} is muted.`
  if (stoppedBy !== null)
    return tell`The check is ${stateWords[level]} and alerts nobody: ${whose(stoppedBy)} is deactivated.`
  if (reasons.flapping !== null && state.flaps.isTold)
    return tell`The check is ${stateWords[level]} and flaps, which was told; nothing more is told until it holds still: ${rule.text}.`
  if (reasons.toldBy !== null && level === told)
    return tell`The check is ${stateWords[level]}, which is not told by itself: its group “${reasons.toldBy}” tells.`
  if (level === (told ?? 'passing')) return nothingUntold(reasons)
  if (windows.length > 0)
    return tell`The check is ${stateWords[level]}; maintenance keeps this back until it ends: ${windows.join(', ')}.`
  if (reasons.keptBack !== null)
    return tell`The check is ${stateWords[level]}; that is not told, because ${whyKeptBack(reasons.keptBack)}.`
  if (!rule.met) return tell`The check is ${stateWords[level]}, which is not told yet: ${rule.text}.`
  return tell`The check is ${stateWords[level]}; that is told with its next run.`
}

export const whyKeptBack = ({ name, phase }: NonNullable<KeptBack>): Told => {
  if (phase === 'down') return tell`“${name}” is down, which it depends on`
  return phase === 'asked'
    ? tell`“${name}”, which it depends on, is being run first`
    : tell`“${name}”, which it depends on, has just come back, and it is being run again`
}

const nothingUntold = ({ state: { level, response }, judged, unserved, reached }: Reasons): Told => {
  if (level !== 'passing')
    return response === null
      ? tell`The check is ${stateWords[level]}, and ${toldOf[reached]}.`
      : response.until === null
        ? tell`The check is ${stateWords[level]}, and ${toldOf[reached]}; it is acknowledged by ${responderInWords(response.by)}.`
        : tell`The check is ${stateWords[level]}, and ${toldOf[reached]}; it is snoozed until ${{ at: response.until }} by ${responderInWords(response.by)}.`
  if (judged && unserved === 'silent')
    return tell`Nothing is known of the check now: no result has come for longer than three of its periods and a minute. GET /v1/missed-runs says why.`
  if (judged && unserved === 'unable')
    return tell`Nothing is known of the check now: no agent could run it when it was last due. GET /v1/missed-runs says why.`
  return judged
    ? tell`All is well, and nothing was left untold.`
    : tell`Nothing is known of the check: no run has been judged. GET /v1/missed-runs lists those that could not be run.`
}

const toldOf: Record<Reach, Told> = {
  some: tell`that was told`,
  failed: tell`that could be told to no channel: each delivery failed`,
  nobody: tell`that was alerted, but no channel was to be told`,
}

const whose = (origin: 'check' | 'group'): Told => (origin === 'group' ? tell`its group` : tell`it`)
