/** The rule that decides about the next alert, in words and numbers. Pure. */
import type { AlertRules, AlertState } from '../../alerting/engine/advance.ts'
import { responseInWords } from '../../alerting/messages/alert-response.ts'

type RuleInWords = { text: string; met: boolean }

/** `judged`: whether any recent run was judged. `expected`: locations whose runs count once; `share`: percent that must fail. */
type Situation = Pick<AlertRules, 'escalation'> & {
  judged: boolean
  expected: number
  share: number | null
}

const minuteMs = 60_000

export const ruleInWords = (state: AlertState, situation: Situation, now: number): RuleInWords => {
  const { level, told, changedFrom, streak } = state
  const { escalation } = situation
  if (level === 'passing')
    return told === null
      ? { text: `nothing to alert: ${whyWell(situation)}`, met: false }
      : { text: `a recovery is told as soon as alerts may be: ${told} was told`, met: true }
  if (told === level) return { text: `${level} was told already; ${mayFollow(state)}`, met: true }
  if (told !== null || changedFrom !== 'passing')
    return { text: 'a change between degraded and failing is always told', met: true }
  if ('runs' in escalation)
    return {
      text: `${Math.min(streak, escalation.runs)} of ${escalation.runs} ${level} runs in a row`,
      met: streak >= escalation.runs,
    }
  const minutes = Math.floor((now - state.changedAt) / minuteMs)
  const needed = escalation.afterMs / minuteMs
  return {
    text: `${level} for ${Math.min(minutes, needed)} of ${needed} minutes`,
    met: now >= state.changedAt + escalation.afterMs,
  }
}

const mayFollow = ({ response }: AlertState): string => {
  if (response === null) return 'only reminders may follow'
  return response.until === null
    ? 'no reminders follow: it is acknowledged'
    : 'it is told again when its snooze is over'
}

const whyWell = ({ judged, expected, share }: Situation): string => {
  if (!judged) return 'no run has been judged'
  if (expected < 2 || share === null) return 'the last judged run passed'
  return `the last parallel run passed, because fewer than ${share} % of its ${expected} locations failed`
}

/** What became of the latest alert: no channel was to get it, none could be given it, or it is known by some (or too old to tell). */
export type Reach = 'nobody' | 'failed' | 'some'

/** `unable`: no agent could run it when it was last due; `silent`: results stay away. */
export type Unserved = 'unable' | 'silent' | null

type Reasons = {
  state: AlertState
  judged: boolean
  unserved: Unserved
  reached: Reach
  rule: RuleInWords
  mutedBy: 'check' | 'group' | null
  stoppedBy: 'check' | 'group' | null
  windows: readonly string[]
}

/** Why nothing more is told at the moment, the strongest reason first. */
export const summaryOf = (reasons: Reasons): string => {
  const { state, rule, mutedBy, stoppedBy, windows } = reasons
  const { level, told } = state
  if (mutedBy !== null) return `The check is ${level} and alerts nobody: ${whose(mutedBy)} is muted.`
  if (stoppedBy !== null)
    return `The check is ${level} and alerts nobody: ${whose(stoppedBy)} is deactivated.`
  if (level === (told ?? 'passing')) return nothingUntold(reasons)
  if (windows.length > 0)
    return `The check is ${level}; maintenance keeps this back until it ends: ${windows.join(', ')}.`
  if (!rule.met) return `The check is ${level}, which is not told yet: ${rule.text}.`
  return `The check is ${level}; that is told with its next run.`
}

const nothingUntold = ({ state: { level, response }, judged, unserved, reached }: Reasons): string => {
  if (level !== 'passing') return `The check is ${level}, and ${toldOf[reached]}${answered(response)}.`
  if (judged && unserved === 'silent')
    return 'Nothing is known of the check now: no result has come for longer than three of its periods and a minute. GET /v1/missed-runs says why.'
  if (judged && unserved === 'unable')
    return 'Nothing is known of the check now: no agent could run it when it was last due. GET /v1/missed-runs says why.'
  return judged
    ? 'All is well, and nothing was left untold.'
    : 'Nothing is known of the check: no run has been judged. GET /v1/missed-runs lists those that could not be run.'
}

const answered = (response: AlertState['response']): string =>
  response === null ? '' : `; it is ${responseInWords(response)}`

const toldOf: Record<Reach, string> = {
  some: 'that was told',
  failed: 'that could be told to no channel: each delivery failed',
  nobody: 'that was alerted, but no channel was to be told',
}

const whose = (origin: 'check' | 'group'): string => (origin === 'group' ? 'its group' : 'it')
