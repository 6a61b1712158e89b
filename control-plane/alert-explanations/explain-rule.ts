/** The rule that decides about the next alert, in words and numbers. Pure. */
import type { AlertRules, AlertState } from '../alerting/advance.ts'

export type RuleInWords = { text: string; met: boolean }

const minuteMs = 60_000

export const ruleInWords = (
  state: AlertState,
  { escalation }: Pick<AlertRules, 'escalation'>,
  now: number,
): RuleInWords => {
  const { level, told, changedFrom, streak } = state
  if (level === 'passing')
    return told === null
      ? { text: 'nothing to alert: the last judged run passed', met: false }
      : { text: `a recovery is told as soon as alerts may be: ${told} was told`, met: true }
  if (told === level) return { text: `${level} was told already; only reminders follow`, met: true }
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

export type Reasons = {
  state: AlertState
  rule: RuleInWords
  mutedBy: 'check' | 'group' | null
  stoppedBy: 'check' | 'group' | null
  windows: readonly string[]
}

/** Why nothing more is told at the moment, the strongest reason first. */
export const summaryOf = ({ state, rule, mutedBy, stoppedBy, windows }: Reasons): string => {
  const { level, told } = state
  if (mutedBy !== null) return `The check is ${level} and alerts nobody: ${whose(mutedBy)} is muted.`
  if (stoppedBy !== null)
    return `The check is ${level} and alerts nobody: ${whose(stoppedBy)} is deactivated.`
  if (level === (told ?? 'passing'))
    return level === 'passing'
      ? 'All is well, and nothing was left untold.'
      : `The check is ${level}, and that was told.`
  if (windows.length > 0)
    return `The check is ${level}; maintenance keeps this back until it ends: ${windows.join(', ')}.`
  if (!rule.met) return `The check is ${level}, which is not told yet: ${rule.text}.`
  return `The check is ${level}; that is told with its next run.`
}

const whose = (origin: 'check' | 'group'): string => (origin === 'group' ? 'its group' : 'it')
