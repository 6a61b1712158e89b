import { Type } from 'typebox'
import { type ChannelType, closed, Text } from './channel-type.ts'
import { maskTail } from './masks.ts'

export const pagerduty: ChannelType = {
  type: 'PAGERDUTY',
  config: Type.Object(
    { serviceKey: Text, account: Type.Optional(Text), serviceName: Type.Optional(Text) },
    { ...closed, title: 'PagerdutyChannelConfig' },
  ),
  secretsOf: () => [{ id: 'serviceKey', path: ['serviceKey'], mask: maskTail }],
}
