/**
 * Who watches the watcher: a heartbeat address of another Watchpost is pinged as long as this one plans, stores and delivers. It stays away when
 * this one is down, and when it is up and does not do its work.
 */
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { HasOutgoing } from '../../platform/services/outgoing/outgoing.ts'
import { OutgoingError } from '../../platform/services/outgoing/outgoing-error.ts'
import type { Reader, Variable } from '../../platform/settings/reading.ts'
import { query } from '../../platform/store/database/query.ts'
import { nextPlannedAt } from '../locations/queue-queries.ts'

type HasWatchdog = { config: { watchdogUrl: string | null } }

export const watchdogVariables: readonly Variable[] = [
  {
    name: 'WATCHDOG_URL',
    secret: true,
    default: 'unset',
    meaning:
      'address that is asked every 20 seconds as long as this control plane plans, stores and delivers: the ping address of a heartbeat check in another Watchpost',
  },
]

export const readWatchdog = ({ text, problems }: Reader): string | null => {
  const value = text('WATCHDOG_URL')
  const url = value === null ? null : URL.parse(value)
  if (value !== null && url?.protocol !== 'http:' && url?.protocol !== 'https:')
    problems.push('WATCHDOG_URL must be an http or https address')
  return value
}

/** A loop that turns does its work within seconds. */
const behindMs = 60_000

/** A notification that is due and was not even tried in that time. */
const undelivered = query('any-undelivered-notification', (k, p: { dueBefore: number }) =>
  k.selectFrom('alert_notifications').select('id').where('due_at', '<=', p.dueBefore).limit(1),
)

/** Changes nothing: signs of life are outages.ts's. */
const write = query('write-for-watchdog', (k, _: Record<string, never>) =>
  k
    .updateTable('liveness')
    .set((set) => ({ alive_at: set.ref('alive_at') }))
    .where('id', '=', 1),
)

/** What is not done, in words; null: all of it is. */
const whatIsNotDone = async ({ db, clock }: App): Promise<string | null> => {
  const now = clock.now()
  // Only a write shows that the store takes any.
  await db.run(write, {})
  const next = await db.get(nextPlannedAt, {})
  if (next !== undefined && next.next_at < now - behindMs) return 'due times are not planned'
  const waiting = await db.get(undelivered, { dueBefore: now - behindMs })
  return waiting === undefined ? null : 'notifications are not sent'
}

/** Said when it changes, not each time. */
const lastSaid = perApp((): { problem: string | null } => ({ problem: null }))

export const watchdogTick = async (app: App & HasOutgoing & HasWatchdog): Promise<void> => {
  const { watchdogUrl } = app.config
  if (watchdogUrl === null) return
  const problem = (await whatIsNotDone(app)) ?? (await ping(app, watchdogUrl))
  const said = lastSaid(app)
  if (problem === said.problem) return
  said.problem = problem
  if (problem === null) app.log.info('The watchdog is told again that this control plane works')
  else app.log.warn({ problem }, 'The watchdog is not told that this control plane works')
}

const ping = async (app: App & HasOutgoing, url: string): Promise<string | null> => {
  try {
    const { status } = await app.outgoing.request({ method: 'POST', url, partialBody: true })
    return status < 400 ? null : `WATCHDOG_URL answered ${status}`
  } catch (error) {
    if (error instanceof OutgoingError) return `WATCHDOG_URL cannot be reached: ${error.message}`
    throw error
  }
}
