import { Type } from 'typebox'
import { type ChannelType, closed, PhoneNumber, Text } from './channel-type.ts'

export const call: ChannelType = {
  type: 'CALL',
  config: Type.Object(
    { name: Type.Optional(Text), number: PhoneNumber },
    { ...closed, title: 'CallChannelConfig' },
  ),
  secretsOf: () => [],
}
