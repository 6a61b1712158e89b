import { Type } from 'typebox'
import { causeFacts, incidentKey, type Message, shortened } from '../messages/message.ts'
import { type ChannelType, closed, Text } from './channel-type.ts'
import { deliver, providerJudgement } from './delivery.ts'

export const pagerduty: ChannelType = {
  type: 'PAGERDUTY',
  config: Type.Object(
    { serviceKey: Text, account: Type.Optional(Text), serviceName: Type.Optional(Text) },
    { ...closed, title: 'PagerdutyChannelConfig' },
  ),
  showsCause: true,
  secretsOf: () => [{ id: 'serviceKey', path: ['serviceKey'], kind: 'key' }],
  send: async (message, config, deps) => {
    const { serviceKey } = config as { serviceKey: string }
    const { text } = await deliver(
      deps,
      {
        method: 'POST',
        url: `${deps.providers.pagerdutyBaseUrl}/v2/enqueue`,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(eventOf(message, serviceKey)),
      },
      providerJudgement,
    )
    return text
  },
}

/** Events API v2: one incident per check, resolved by its recovery. */
const eventOf = (message: Message, routingKey: string): object => {
  const { event, kind, title, link, facts } = message
  const key = { routing_key: routingKey, dedup_key: incidentKey(message) }
  if (kind === 'recovery') return { ...key, event_action: 'resolve' }
  return {
    ...key,
    event_action: 'trigger',
    payload: {
      summary: shortened(title, 1024),
      source: event.ssl?.domain ?? event.checkName,
      severity: severityOf(message),
      timestamp: new Date(event.startedAt).toISOString(),
      component: event.checkName,
      ...(event.groupName === null ? {} : { group: event.groupName }),
      class: event.location?.problem ?? (event.group === null ? event.checkType : 'GROUP'),
      custom_details: {
        alert_type: event.alertType,
        ...subjectOf(event),
        error: event.errorMessage === null ? null : shortened(event.errorMessage, 4000),
        ...Object.fromEntries(
          [...causeFacts(message), ...facts].map(({ label, value }) => [
            label.toLowerCase().replaceAll(' ', '_'),
            value,
          ]),
        ),
      },
    },
    links: [{ href: link, text: 'Result' }],
    client: 'Watchpost',
    client_url: link,
  }
}

const subjectOf = ({ checkId, location, group }: Message['event']) => {
  if (group !== null)
    return { group_id: group.id, failing_checks: group.failing, counted_checks: group.counted }
  return location === null ? { check_id: checkId } : { location_id: location.id }
}

/** A failure is one step above a degradation of the same check. */
const severityOf = ({ kind, event }: Message): 'critical' | 'error' | 'warning' | 'info' => {
  if (event.severity === 'LOW') return kind === 'failure' ? 'warning' : 'info'
  if (kind === 'failure') return 'critical'
  return event.severity === 'CRITICAL' ? 'error' : 'warning'
}
