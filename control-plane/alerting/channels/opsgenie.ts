import { Type } from 'typebox'
import type { Severity } from '../messages/alert-types.ts'
import { causeFacts, incidentKey, type Message, shortened } from '../messages/message.ts'
import { type ChannelType, closed, Text } from './channel-type.ts'
import { deliver, providerJudgement } from './delivery.ts'

export const opsgenie: ChannelType = {
  type: 'OPSGENIE',
  config: Type.Object(
    {
      name: Text,
      apiKey: Text,
      region: Type.Enum(['EU', 'US']),
      priority: Type.Enum(['P1', 'P2', 'P3', 'P4', 'P5']),
    },
    { ...closed, title: 'OpsgenieChannelConfig' },
  ),
  showsCause: true,
  isReadByAll: () => true,
  secretsOf: () => [{ id: 'apiKey', path: ['apiKey'], kind: 'key' }],
  send: async (message, config, deps) => {
    const { apiKey, region, priority } = config as Config
    const base = deps.providers.opsgenieBaseUrl ?? hosts[region]
    const { path, body } = requestOf(message, priority)
    const { text } = await deliver(
      deps,
      {
        method: 'POST',
        url: `${base}${path}`,
        headers: { 'content-type': 'application/json', authorization: `GenieKey ${apiKey}` },
        body: JSON.stringify(body),
      },
      providerJudgement,
    )
    return text
  },
}

type Config = { apiKey: string; region: 'EU' | 'US'; priority: string }

const hosts = { US: 'https://api.opsgenie.com', EU: 'https://api.eu.opsgenie.com' }

/** Alert API: an alert per check, found again by its alias and closed by the recovery. */
const requestOf = (message: Message, priority: string): { path: string; body: object } => {
  const { event, kind, title, link, facts } = message
  const alias = incidentKey(message)
  if (kind === 'recovery')
    return {
      path: `/v2/alerts/${encodeURIComponent(alias)}/close?identifierType=alias`,
      body: { source: 'Watchpost', note: `${title}: ${link}` },
    }
  const lines = [
    title,
    ...(message.reason === null ? [] : [shortened(message.reason, 4000)]),
    ...[...causeFacts(message), ...facts].map(({ label, value }) => `${label}: ${value}`),
    link,
  ]
  return {
    path: '/v2/alerts',
    body: {
      message: shortened(title, 130),
      alias,
      description: shortened(lines.join('\n'), 15_000),
      tags: event.tags.slice(0, 20).map((tag) => shortened(tag, 50)),
      details: {
        alertType: event.alertType,
        ...subjectOf(event),
        link,
      },
      entity: shortened(event.checkName, 512),
      source: 'Watchpost',
      priority: priorityOf(event.severity, priority),
    },
  }
}

const subjectOf = ({ checkId, checkType, location, group }: Message['event']) => {
  if (group !== null)
    return {
      groupId: String(group.id),
      failingChecks: String(group.failing),
      countedChecks: String(group.counted),
    }
  return location === null ? { checkId, checkType } : { locationId: location.id, problem: location.problem }
}

/** What the channel says is for what is normal; a critical check is one step more urgent, a low one a step less. */
const priorityOf = (severity: Severity, ofChannel: string): string => {
  const step = { LOW: 1, NORMAL: 0, CRITICAL: -1 }[severity]
  return `P${Math.min(5, Math.max(1, Number(ofChannel.slice(1)) + step))}`
}
