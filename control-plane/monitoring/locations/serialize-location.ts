import type { LocationProblem } from '../../alerting/messages/location-problem.ts'
import type { Cipher } from '../../platform/services/secrets/cipher.ts'
import { controlPlaneVersion } from '../../platform/settings/config.ts'
import type {
  AgentsTable,
  LocationKeysTable,
  PrivateLocationsTable,
} from '../../platform/store/database/tables/runs.ts'
import { toIso, toIsoOrNull } from '../../platform/words/shapes/instants.ts'
import { offeredNames } from './agents/agent-docs.ts'
import { compareVersions, skewOf, versionSkews } from './agents/versions.ts'
import { maskProxyUrl, openProxyUrl } from './proxy-url.ts'
import { locationDoc } from './queries.ts'
import type { PrivateLocation } from './schema.ts'

/** An agent that was seen this recently is connected. */
export const connectedMs = 10 * 60_000

export type ShownKey = Pick<LocationKeysTable, 'id' | 'masked' | 'created_at' | 'updated_at'>
type ShownAgent = Pick<AgentsTable, 'agent_id' | 'version' | 'last_seen_at' | 'isolation'>

type LocationContext = {
  keys: ShownKey[]
  agents: ShownAgent[]
  /** What was told and is not over. */
  problems: Array<{ problem: string; since: number }>
  cipher: Cipher
  now: number
  /** Whether the answer tells the agents by version. */
  versions: boolean
}

export const serializeLocation = (row: PrivateLocationsTable, around: LocationContext): PrivateLocation => {
  const { keys, agents, problems, cipher, now, versions } = around
  const { icon, sealedProxyUrl, scalesToZero } = locationDoc.read(row.doc)
  const proxyUrl = openProxyUrl(cipher, row.id, sealedProxyUrl)
  const connected = agents.filter(({ last_seen_at }) => last_seen_at > now - connectedMs)
  const seen = agents.map(({ last_seen_at }) => last_seen_at)
  const running = byVersion(connected)
  return {
    id: row.id,
    name: row.name,
    slugName: row.slug,
    icon,
    keys: keys.map(serializeKey),
    proxyUrl: proxyUrl === null ? null : maskProxyUrl(proxyUrl),
    scalesToZero,
    lastSeen: seen.length === 0 ? null : toIso(Math.max(...seen)),
    agentCount: connected.length,
    minAgentVersion: running[0]?.version ?? null,
    versionSkew: versionSkews.find((skew) => running.some(({ versionSkew }) => versionSkew === skew)) ?? null,
    unavailableSince: toIsoOrNull(problems.find(({ problem }) => problem === 'NO_AGENT')?.since ?? null),
    problems: problems.map(({ problem, since }) => ({
      problem: problem as LocationProblem,
      since: toIso(since),
    })),
    ...(versions ? { runningAgents: running } : {}),
    created_at: toIso(row.created_at),
    updated_at: toIsoOrNull(row.updated_at),
  }
}

export const serializeKey = (key: ShownKey) => ({
  id: key.id,
  maskedKey: `...${key.masked.slice(-4)}`,
  created_at: toIso(key.created_at),
  updated_at: toIsoOrNull(key.updated_at),
})

const byVersion = (agents: ShownAgent[]): NonNullable<PrivateLocation['runningAgents']> => {
  const groups = Map.groupBy(agents, ({ version }) => version)
  return [...groups]
    .sort(([a], [b]) => compareVersions(a, b))
    .map(([version, members]) => ({
      version,
      isOutdated: compareVersions(version, controlPlaneVersion) < 0,
      versionSkew: skewOf(version, controlPlaneVersion),
      count: members.length,
      agents: members.map(({ agent_id, last_seen_at, isolation }) => ({
        id: agent_id,
        lastSeenAt: toIso(last_seen_at),
        isolation: isolation === null ? null : offeredNames.read(isolation),
      })),
    }))
}
