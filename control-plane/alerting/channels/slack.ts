import { Type } from 'typebox'
import { type ChannelType, closed, Text } from './channel-type.ts'
import { deliver, providerJudgement } from './delivery.ts'
import { slackMessage } from './slack-message.ts'

/** A Slack incoming webhook: whoever has its address may post. */
export const slack: ChannelType = {
  type: 'SLACK',
  config: Type.Object(
    {
      url: Type.String({ maxLength: 2048, pattern: '^https?://[^\\s/?#]+[^\\s]*$' }),
      channel: Type.Optional(Text),
    },
    { ...closed, title: 'SlackChannelConfig' },
  ),
  showsCause: true,
  isReadByAll: () => true,
  secretsOf: () => [{ id: 'url', path: ['url'], kind: 'address' }],
  send: async (message, config, deps) => {
    const { url, channel } = config as { url: string; channel?: string }
    const body = JSON.stringify({ ...slackMessage(message), ...(channel ? { channel } : {}) })
    const { text } = await deliver(
      deps,
      { method: 'POST', url, headers: { 'content-type': 'application/json' }, body },
      providerJudgement,
    )
    return text
  },
}
