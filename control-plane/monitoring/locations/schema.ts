/**
 * Private locations: pools of agents in a customer's environment, the keys their agents use, and the history of their
 * queues. Words: an agent is *connected* when it was seen within the last ten minutes; a key is *live* until it is
 * deleted, and a location has two at most, so that keys can be changed without a gap.
 */
import { type Static, Type } from 'typebox'
import { locationProblemNames } from '../../alerting/messages/location-problem.ts'
import { searchParameter } from '../../platform/web/http/answers/offset-page.ts'
import { InstantParameter } from '../../platform/words/shapes/instants.ts'
import { nullable } from '../../platform/words/shapes/nullable.ts'
import { versionSkews } from './agents/versions.ts'

const DateTime = Type.String({ format: 'date-time' })
const closed = { additionalProperties: false }

const Name = Type.String({ minLength: 1, maxLength: 255 })
const SlugName = Type.String({
  pattern: '^[A-Za-z0-9-]{1,30}$',
  description:
    'What `privateLocations` of checks take. Not like a cloud region (`eu-west-1`); cannot be changed',
})
const Icon = Type.String({ minLength: 1, maxLength: 64 })
const ProxyUrl = nullable(
  Type.String({
    minLength: 1,
    maxLength: 2048,
    pattern: '^(https?://[^\\s/]+|\\{\\{)[^\\s]*$',
  }),
  {
    description:
      'Proxy of the checks that run here; may hold `{{VARIABLE}}`s of the account. A password is encrypted at rest and ' +
      'shown as `***`; sending that back keeps it',
  },
)

const ScalesToZero = Type.Boolean({
  description:
    'An autoscaler takes all agents away while nothing waits: that is no problem of the location until runs have waited for one',
})

export const NewPrivateLocation = Type.Object(
  {
    name: Name,
    slugName: SlugName,
    icon: Type.Optional({ ...Icon, default: 'location' }),
    proxyUrl: Type.Optional({ ...ProxyUrl, default: null }),
    scalesToZero: Type.Optional({ ...ScalesToZero, default: false }),
  },
  { ...closed, title: 'NewPrivateLocation' },
)

export const PrivateLocationChanges = Type.Object(
  {
    name: Name,
    slugName: Type.Optional({ ...SlugName, description: 'The one that it has: it cannot be changed' }),
    icon: Type.Optional(Icon),
    proxyUrl: Type.Optional(ProxyUrl),
    scalesToZero: Type.Optional(ScalesToZero),
  },
  { ...closed, title: 'PrivateLocationChanges' },
)

const keyFields = {
  id: Type.String({ format: 'uuid' }),
  maskedKey: Type.String({ description: '`...` and the last four characters' }),
  created_at: DateTime,
  updated_at: nullable(DateTime),
}

const rawKey = Type.String({ description: '`pl_` and 32 hex digits; shown only in the answer that made it' })

const PrivateLocationKey = Type.Object(
  { ...keyFields, rawKey: Type.Optional(rawKey) },
  { title: 'PrivateLocationKey' },
)

export const NewPrivateLocationKey = Type.Object({ ...keyFields, rawKey }, { title: 'NewPrivateLocationKey' })

const skewWords =
  'TOO_OLD: more than two minor versions behind the control plane; NEWER: of a later minor version than it. Null: they work together'
const skewOf = (description: string) => nullable(Type.Enum([...versionSkews]), { description })

const RunningAgents = Type.Array(
  Type.Object({
    version: Type.String(),
    isOutdated: Type.Boolean({ description: 'Older than the control plane' }),
    versionSkew: skewOf(skewWords),
    count: Type.Integer(),
    agents: Type.Array(
      Type.Object({
        id: Type.String(),
        lastSeenAt: DateTime,
        isolation: nullable(Type.Array(Type.String()), {
          description:
            'Layers by which the kernel of its machine isolates code of users: `files`, `tcp`, `scopes`, `seccomp`, `own-uid`, `subreaper`, `processes`, `disk`, `memory`; null until it has said',
        }),
      }),
    ),
  }),
  { description: 'Connected agents by version, oldest first; only with `versions`' },
)

export const PrivateLocation = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    slugName: Type.String(),
    icon: Type.String(),
    keys: Type.Array(PrivateLocationKey),
    proxyUrl: nullable(Type.String()),
    scalesToZero: ScalesToZero,
    lastSeen: nullable(DateTime, { description: 'When any agent was last seen' }),
    agentCount: Type.Integer({ minimum: 0, description: 'Connected agents' }),
    minAgentVersion: nullable(Type.String(), { description: 'The lowest version connected now' }),
    versionSkew: skewOf(`Of the connected agents the one that matters most. ${skewWords}`),
    unavailableSince: nullable(DateTime, {
      description: 'Checks run here and no agent comes for them; it was told',
    }),
    problems: Type.Array(Type.Object({ problem: Type.Enum([...locationProblemNames]), since: DateTime }), {
      description: 'What is wrong with it and was told, as alerts of locations are',
    }),
    runningAgents: Type.Optional(RunningAgents),
    created_at: DateTime,
    updated_at: nullable(DateTime),
  },
  { title: 'PrivateLocation' },
)
export type PrivateLocation = Static<typeof PrivateLocation>

export const LocationId = Type.Object({ id: Type.String({ format: 'uuid' }) })

export const LocationList = Type.Object(
  {
    versions: Type.Boolean({ default: false, description: 'Adds `runningAgents`' }),
    ...searchParameter('the name or the slug'),
  },
  closed,
)

export const Versions = Type.Object(
  { versions: Type.Boolean({ default: false, description: 'Adds `runningAgents`' }) },
  closed,
)

export const MetricsWindow = Type.Object(
  {
    from: { ...InstantParameter, description: 'Not older than 15 days' } as typeof InstantParameter,
    to: InstantParameter,
  },
  closed,
)

export const LocationMetrics = Type.Object(
  {
    timestamps: Type.Array(DateTime, { description: 'A minute apart while the control plane runs' }),
    queueSize: Type.Array(Type.Integer(), { description: 'Due runs that waited for an agent' }),
    oldestScheduledCheckRun: Type.Array(Type.Number(), {
      description: 'How long the oldest of them had waited, in seconds; 0 when none did',
    }),
  },
  { title: 'PrivateLocationMetrics' },
)
