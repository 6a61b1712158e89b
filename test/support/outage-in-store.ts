import { keptBackRows } from '../../control-plane/alerting/check-alerts/kept-back-queries.ts'
import { writeLateAgents } from '../../control-plane/monitoring/schedule/late-agents.ts'
import { scheduleTick } from '../../control-plane/monitoring/schedule/schedule.ts'
import { pastOutageRows } from '../../control-plane/monitoring/watches/late-judging/past-outages.ts'
import { agentPaths } from '../../protocol/agent-api.ts'
import type { TestApp } from './app.ts'
import { claimRequest } from './engine-room.ts'

const minuteMs = 60_000

/** Agents had standing orders, and have not said yet what they did with them; and a router was down, because of which a failure was not told. */
export const addOutage = async (plane: TestApp): Promise<void> => {
  const { app, accountId, agentKey, locationId } = plane
  const orders = { revision: '1.0.0.0' }
  await plane.call('POST', agentPaths.claim, { key: agentKey, body: { ...claimRequest(), orders } })
  plane.advance(45 * minuteMs)
  await scheduleTick(app)
  const now = app.clock.now()
  await writeLateAgents(app, [{ locationId, agentId: 'agent-1', reports: 3, at: now }])
  const outage = { level: 'failing', from: now - minuteMs, to: now }
  const [check] = await app.db.select((k) => k.selectFrom('checks').select(['id', 'name']).limit(1))
  if (check === undefined) throw new Error('there is no check')
  await app.db.run(pastOutageRows.one, {
    id: app.newId(),
    accountId,
    checkId: check.id,
    name: check.name,
    ...outage,
  })
  await app.db.run(keptBackRows.one, {
    ...{ id: app.newId(), account_id: accountId, check_id: check.id, because: `check:${app.newId()}` },
    ...{ because_name: 'router', began_at: now - minuteMs, ended_at: now },
  })
}
