/** Why nobody would be told if a check failed now; null: somebody would be. Pure. */
import type { Severity } from '../../alerting/messages/alert-types.ts'
import type { SilentCheck } from './silent-schema.ts'

/** `opensAt`: when it is told of what waits; `null`: it never waits. */
export type Receiver = {
  id: number
  sendFailure: boolean
  /** Null: what is sent there arrives, as far as is known. */
  broken: { since: number | null } | null
  opensAt: (severity: Severity) => number
}

export type CheckToTell = {
  stoppedBy: 'check' | 'group' | null
  mutedBy: 'check' | 'group' | null
  severity: Severity
  subscriptions: ReadonlyArray<{ receiver: Receiver; activated: boolean }>
  /** The name of its group, which tells instead of it, and not of one check alone. */
  tellingGroup: string | null
  /** A window that keeps its alerts back. */
  maintenance: { name: string; until: number | null } | null
  /** The name of what it depends on and is down. */
  downDependency: string | null
  now: number
}

type Silence = Pick<SilentCheck, 'reason' | 'by' | 'because' | 'alertChannelIds'> & {
  since: number | null
  until: number | null
}

const nothing = { by: null, because: null, since: null, until: null }

export const silenceOf = (check: CheckToTell): Silence | null => {
  const { subscriptions, tellingGroup, maintenance, downDependency, severity, now } = check
  const active = subscriptions.filter(({ activated }) => activated).map(({ receiver }) => receiver)
  const wanting = active.filter(({ sendFailure }) => sendFailure)
  const working = wanting.filter(({ broken }) => broken === null)
  const idsOf = (receivers: readonly Receiver[]): number[] => receivers.map(({ id }) => id)
  const alertChannelIds = idsOf(wanting)
  if (check.stoppedBy !== null)
    return { ...nothing, reason: 'DEACTIVATED', by: check.stoppedBy, alertChannelIds }
  if (check.mutedBy !== null) return { ...nothing, reason: 'MUTED', by: check.mutedBy, alertChannelIds }
  if (subscriptions.length === 0) return { ...nothing, reason: 'NO_SUBSCRIPTION', alertChannelIds }
  if (active.length === 0)
    return {
      ...nothing,
      reason: 'SUBSCRIPTIONS_OFF',
      alertChannelIds: idsOf(subscriptions.map(({ receiver }) => receiver)),
    }
  if (wanting.length === 0) return { ...nothing, reason: 'NO_FAILURES', alertChannelIds: idsOf(active) }
  if (working.length === 0) {
    const since = wanting.map(({ broken }) => broken?.since ?? null).filter((at) => at !== null)
    const latest = since.length === 0 ? null : Math.max(...since)
    return { ...nothing, reason: 'CANNOT_DELIVER', since: latest, alertChannelIds }
  }
  if (tellingGroup !== null)
    return { ...nothing, reason: 'GROUP_TELLS', because: tellingGroup, alertChannelIds }
  if (maintenance !== null)
    return {
      ...nothing,
      reason: 'MAINTENANCE',
      because: maintenance.name,
      until: maintenance.until,
      alertChannelIds,
    }
  if (downDependency !== null)
    return { ...nothing, reason: 'DEPENDENCY', because: downDependency, alertChannelIds }
  const until = Math.min(...working.map(({ opensAt }) => opensAt(severity)))
  return until > now ? { ...nothing, reason: 'QUIET_HOURS', until, alertChannelIds: idsOf(working) } : null
}
