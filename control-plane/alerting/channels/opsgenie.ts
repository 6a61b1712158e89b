import { Type } from 'typebox'
import { type ChannelType, closed, Text } from './channel-type.ts'
import { maskTail } from './masks.ts'

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
  secretsOf: () => [{ id: 'apiKey', path: ['apiKey'], mask: maskTail }],
}
