import { Type } from 'typebox'
import { type ChannelType, closed } from './channel-type.ts'

export const email: ChannelType = {
  type: 'EMAIL',
  config: Type.Object(
    { address: Type.String({ format: 'email', maxLength: 254 }) },
    { ...closed, title: 'EmailChannelConfig' },
  ),
  secretsOf: () => [],
}
