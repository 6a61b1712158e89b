import { Type } from 'typebox'
import { type ChannelType, closed, PhoneNumber, Text } from './channel-type.ts'

export const sms: ChannelType = {
  type: 'SMS',
  config: Type.Object(
    { name: Type.Optional(Text), number: PhoneNumber },
    { ...closed, title: 'SmsChannelConfig' },
  ),
  secretsOf: () => [],
}
