import { Type } from 'typebox'
import { type ChannelType, closed, PhoneNumber, Text } from './channel-type.ts'
import { missingTelephone, sendByTelephone, spoken } from './telephone.ts'

export const call: ChannelType = {
  type: 'CALL',
  config: Type.Object(
    { name: Type.Optional(Text), number: PhoneNumber },
    { ...closed, title: 'CallChannelConfig' },
  ),
  secretsOf: () => [],
  missingSetting: missingTelephone,
  send: (message, config, deps) => {
    const { number } = config as { number: string }
    return sendByTelephone(deps, 'Calls', { To: number, Twiml: spoken(message) })
  },
}
