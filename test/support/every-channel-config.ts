/** A config of each type of alert channel: the least that it takes, and one with every field. */
import type { ChannelTypeName } from '../../control-plane/alerting/channels/channel-type.ts'

type Configs = { least: object; most: object }

const item = (key: string, locked: boolean) => ({ key, value: `value of ${key}`, locked })

const configs: Record<ChannelTypeName, Configs> = {
  EMAIL: { least: { address: 'ops@example.com' }, most: { address: 'on-call@example.com' } },
  SLACK: {
    least: { url: 'https://hooks.example.com/services/T0/B0/abcdef' },
    most: { url: 'https://hooks.example.com/services/T0/B0/abcdef', channel: '#ops' },
  },
  SLACK_APP: { least: { slackChannels: ['#ops'] }, most: { slackChannels: ['#ops', '@ada'] } },
  WEBHOOK: {
    least: { name: 'hook', url: 'https://example.com/hook' },
    most: {
      name: 'hook',
      url: 'https://example.com/hook',
      method: 'PUT',
      template: '{"title": "{{ALERT_TITLE}}"}',
      webhookType: 'WEBHOOK_DISCORD',
      webhookSecret: 'a secret of some length',
      headers: [item('x-team', false), item('authorization', true)],
      queryParameters: [item('from', false), item('token', true)],
    },
  },
  SMS: { least: { number: '+4915112345678' }, most: { name: 'Ada', number: '+4915112345678' } },
  CALL: { least: { number: '+4915112345678' }, most: { name: 'Ada', number: '+4915112345678' } },
  PAGERDUTY: {
    least: { serviceKey: 'a key of some length' },
    most: { serviceKey: 'a key of some length', account: 'acme', serviceName: 'shop' },
  },
  OPSGENIE: {
    least: { name: 'genie', apiKey: 'a key of some length', region: 'EU', priority: 'P2' },
    most: { name: 'genie', apiKey: 'a key of some length', region: 'US', priority: 'P5' },
  },
}

export const everyChannelConfig = (type: ChannelTypeName): Configs => structuredClone(configs[type])
