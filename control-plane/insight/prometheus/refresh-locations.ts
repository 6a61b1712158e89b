import { labelText } from '../../../protocol/exposition.ts'
import { agentGoneMs } from '../../monitoring/locations/agents/agent-presence.ts'
import type { App } from '../../platform/app/app.ts'
import type { AccountMemory } from './account-memory.ts'
import { agentCounts, locationLevels } from './queries.ts'

export const refreshLocations = async (app: App, memory: AccountMemory): Promise<void> => {
  const { accountId } = memory
  const now = app.clock.now()
  const agents = await app.db.all(agentCounts, { accountId, since: now - agentGoneMs })
  const agentsById = new Map(agents.map(({ id, agents: count }) => [id, Number(count)]))
  const levels = await app.db.all(locationLevels, { accountId, now })
  memory.locations = new Map(
    levels.map(({ id, slug, name, queued, inflight, oldest_due_at: oldest }) => [
      slug,
      {
        labels: labelText([
          ['private_location_name', name],
          ['private_location_slug_name', slug],
          ['private_location_id', id],
        ]),
        queued: Number(queued),
        inflight: Number(inflight),
        oldestAgeMs: oldest === null ? 0 : Math.max(0, now - Number(oldest)),
        agents: agentsById.get(id) ?? 0,
      },
    ]),
  )
}
