import { Type } from 'typebox'
import { type ChannelType, closed, PhoneNumber, Text } from './channel-type.ts'
import { missingTelephone, sendByTelephone, shortMessage } from './telephone.ts'

export const sms: ChannelType = {
  type: 'SMS',
  config: Type.Object(
    { name: Type.Optional(Text), number: PhoneNumber },
    { ...closed, title: 'SmsChannelConfig' },
  ),
  secretsOf: () => [],
  missingSetting: missingTelephone,
  send: (message, config, deps) => {
    const { number } = config as { number: string }
    return sendByTelephone(deps, 'Messages', { To: number, Body: shortMessage(message) })
  },
}
