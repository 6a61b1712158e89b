import { Type } from 'typebox'
import { type ChannelType, closed, Text } from './channel-type.ts'
import { maskPath } from './masks.ts'

/** A Slack incoming webhook: who has its address may post. */
export const slack: ChannelType = {
  type: 'SLACK',
  config: Type.Object(
    {
      url: Type.String({ maxLength: 2048, pattern: '^https?://[^\\s/?#]+[^\\s]*$' }),
      channel: Type.Optional(Text),
    },
    { ...closed, title: 'SlackChannelConfig' },
  ),
  secretsOf: () => [{ id: 'url', path: ['url'], mask: maskPath }],
}
