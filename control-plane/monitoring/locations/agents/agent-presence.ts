/**
 * When each agent was last seen. A new agent, or one that offers something else than before, is written at once; that it
 * is still there is only noted, and written with everybody else's by the next `presenceTick`: a thousand idle agents must
 * not cost a commit each.
 */
import type { ClaimRequest } from '../../../../protocol/agent-api.ts'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import { offeredNames, writeRuntimes } from './agent-docs.ts'
import { type AgentSighting, recordAgentSeen } from './queries.ts'

/** What this process has noted: the latest sign of life by agent, and which of them are not written yet. */
type Presence = { latest: Map<string, AgentSighting>; unwritten: Set<string> }

export const agentPresence = perApp((): Presence => ({ latest: new Map(), unwritten: new Set() }))

/** An agent polls at least every minute and is noted at most 20 seconds later; one not seen for longer is gone. */
export const agentGoneMs = 120_000

const forgetAfterMs = 10 * 60_000

export const noteAgent = async (app: App, location: string, agent: ClaimRequest): Promise<void> => {
  const seen = seenOf(location, agent, app.clock.now())
  const key = `${location} ${agent.agentId}`
  const { latest, unwritten } = agentPresence(app)
  const before = latest.get(key)
  latest.set(key, seen)
  if (before && offer(before) === offer(seen)) unwritten.add(key)
  else await app.db.run(recordAgentSeen, seen)
}

export const presenceTick = async (app: App): Promise<void> => {
  const { latest, unwritten } = agentPresence(app)
  const noted = [...unwritten].flatMap((key) => latest.get(key) ?? [])
  unwritten.clear()
  const forgetBefore = app.clock.now() - forgetAfterMs
  for (const [key, { now }] of latest) if (now < forgetBefore) latest.delete(key)
  if (noted.length === 0) return
  await app.db.transaction(async (trx) => {
    for (const seen of noted) await trx.run(recordAgentSeen, seen)
  })
}

const seenOf = (location: string, agent: ClaimRequest, now: number): AgentSighting => ({
  location,
  agentId: agent.agentId,
  version: agent.version,
  platform: agent.platform,
  checkTypes: offeredNames.write(agent.checkTypes),
  runtimeIds: writeRuntimes(agent),
  isolation: agent.isolation === undefined ? null : offeredNames.write(agent.isolation),
  now,
})

const offer = ({ version, platform, checkTypes, runtimeIds, isolation }: AgentSighting): string =>
  [version, platform, checkTypes, runtimeIds, isolation].join('\n')
