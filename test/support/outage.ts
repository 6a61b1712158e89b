/** An outage as the control plane meets it on its return: checks that were well, agents that had standing orders, and what they bring. */

import { aliveTick } from '../../control-plane/monitoring/runs/recover.ts'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import { settleTick } from '../../control-plane/monitoring/watches/late-judging/settle-tick.ts'
import { agentPaths } from '../../protocol/agent-api.ts'
import { orderPaths, type ToldMeanwhile } from '../../protocol/standing-order.ts'
import type { TestApp } from './app.ts'
import { claimRequest } from './engine-room.ts'
import { lateReport } from './late-reports.ts'
import { dueTimes } from './ledger.ts'
import { work } from './work.ts'

/** One that everybody is told through, also of certificates. */
const hookOf = async (plane: TestApp): Promise<number> => {
  const { body } = await plane.call('GET', '/v1/alert-channels')
  if (body.length > 0) return body[0].id
  const config = { name: 'hook', url: 'http://127.0.0.1/', method: 'POST' }
  const made = await plane.call('POST', '/v1/alert-channels', {
    body: { type: 'WEBHOOK', config, sslExpiry: true, sslExpiryThreshold: 30 },
  })
  return made.body.id
}

/** A URL monitor of the test's location, each minute, that a webhook is told of at its first failure. */
export const watchedCheck = async (plane: TestApp, more: object = {}): Promise<string> => {
  const alertChannelId = await hookOf(plane)
  const { status, text, body } = await plane.call('POST', '/v1/checks/url', {
    body: {
      name: 'site',
      privateLocations: ['local'],
      locations: [],
      frequency: 1,
      doubleCheck: false,
      request: { url: 'https://shop.example/' },
      alertChannelSubscriptions: [{ alertChannelId, activated: true }],
      ...more,
    },
  })
  if (status !== 201) throw new Error(text)
  return String(body.id)
}

/** An agent says what it has: `late` reports of runs that it made by itself. */
export const saysHello = async (
  plane: TestApp,
  { agentId = 'agent-1', late = 0, key = plane.agentKey } = {},
): Promise<number> => {
  const orders = {
    revision: '1.0.0.0',
    ...(late === 0 ? {} : { late: { reports: late, firstDueAt: 0, lastDueAt: 1 } }),
  }
  const body = { ...claimRequest({ agentId, maxUptime: 0, maxMain: 0 }), orders }
  return (await plane.call('POST', agentPaths.claim, { key, body })).status
}

type OutageOptions = { minutes?: number; agents?: readonly string[]; meanwhile?: () => Promise<unknown> }

/** Everything that is due has been run and was well; then nobody is there for `minutes`, and the due times are planned. */
export const passOutage = async (
  plane: TestApp,
  { minutes = 30, agents = ['agent-1'], meanwhile }: OutageOptions = {},
): Promise<{ from: number; to: number }> => {
  const { app } = plane
  await aliveTick(app)
  await work(plane, 'passing')
  for (const agentId of agents) await saysHello(plane, { agentId })
  const from = app.clock.now()
  plane.advance(minutes * 60_000)
  await aliveTick(app)
  await meanwhile?.()
  await scheduleTick(app)
  return { from, to: app.clock.now() }
}

/** The due times of a check in between, worked out from its plan. */
export const duesBetween = async (
  { app }: TestApp,
  checkId: string,
  { from, to }: { from: number; to: number },
): Promise<number[]> => {
  const [plan] = await app.db.select((k) =>
    k
      .selectFrom('checks')
      .innerJoin('schedules', 'schedules.check_id', 'checks.id')
      .select(['checks.created_at', 'schedules.period_ms', 'schedules.phase_ms'])
      .where('checks.id', '=', checkId),
  )
  if (plan === undefined) throw new Error(`There is no ${checkId}`)
  return dueTimes(plan, to).filter((due) => due > from)
}

export const lateOf = (
  { locationId }: TestApp,
  checkId: string,
  dueAt: number,
  more: Parameters<typeof lateReport>[2] = {},
) => lateReport(checkId, dueAt, { location: locationId, ...more })

type Bringing = { agentId?: string; told?: ToldMeanwhile[]; key?: string }

/** Reports reach the control plane; what becomes of each. */
export const bring = async (
  plane: TestApp,
  reports: readonly object[],
  { agentId = 'agent-1', key = plane.agentKey, ...more }: Bringing = {},
): Promise<string[]> => {
  const body = { agentId, reports, remaining: 0, ...more }
  const answer = await plane.call('POST', orderPaths.lateReport, { key, body })
  if (answer.status !== 200) return [`${answer.status}`]
  return answer.body.outcomes.map(({ outcome }: { outcome: string }) => outcome)
}

/** All agents are back and have brought everything. */
export const settleAll = async (plane: TestApp, agents: readonly string[] = ['agent-1']): Promise<void> => {
  plane.advance(4000)
  for (const agentId of agents) await saysHello(plane, { agentId })
  await settleTick(plane.app)
}

/** What channels are to be told, in its order. */
export const alertEvents = async ({ app }: TestApp): Promise<Record<string, unknown>[]> =>
  (
    await app.db.select((k) =>
      k.selectFrom('alert_notifications').select('event').orderBy('created_at').orderBy('id'),
    )
  ).map(({ event }) => JSON.parse(event ?? '{}'))
