import { Type } from 'typebox'
import { type ChannelType, closed } from './channel-type.ts'

export const slackApp: ChannelType = {
  type: 'SLACK_APP',
  config: Type.Object(
    {
      slackChannels: Type.Array(
        Type.String({
          maxLength: 100,
          pattern: '^([#@][^\\s#@]+|[A-Z0-9]{2,})$',
          description: '`#channel`, `@user` or the id of a channel',
        }),
        { minItems: 1, maxItems: 100, uniqueItems: true },
      ),
    },
    { ...closed, title: 'SlackAppChannelConfig' },
  ),
  secretsOf: () => [],
}
