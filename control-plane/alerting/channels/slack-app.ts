import { Type } from 'typebox'
import { type ChannelType, closed } from './channel-type.ts'
import { DeliveryError, type Deps, deliver, providerJudgement, requireProvider } from './delivery.ts'
import { slackMessage } from './slack-message.ts'

const tokenSetting = 'SLACK_APP_TOKEN'

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
  showsCause: true,
  isReadByAll: () => true,
  secretsOf: () => [],
  missingSetting: ({ slackAppToken }) => (slackAppToken === null ? tokenSetting : null),
  send: async (message, config, deps) => {
    const { slackChannels } = config as { slackChannels: string[] }
    const token = requireProvider(deps.providers.slackAppToken, tokenSetting)
    const interactive = deps.providers.slackSigningSecret !== null
    const delivered = [...deps.delivered]
    for (const channel of slackChannels.filter((name) => !deps.delivered.includes(name))) {
      try {
        await post({ ...slackMessage(message, { interactive }), channel }, token, deps)
      } catch (error) {
        if (!(error instanceof DeliveryError)) throw error
        const { permanent, retryAfterMs } = error
        const text = `${channel}: ${error.message}`
        throw new DeliveryError(text, { permanent, retryAfterMs, delivered, cause: error })
      }
      delivered.push(channel)
    }
    return `Posted to ${slackChannels.join(', ')}`
  },
}

/** Of the web API's errors, what passes by itself; everything else is a setting that somebody must change. */
const passing = ['ratelimited', 'internal_error', 'fatal_error', 'service_unavailable', 'request_timeout']

const post = async (body: object, token: string, deps: Deps): Promise<void> => {
  const answered = await deliver(
    deps,
    {
      method: 'POST',
      url: `${deps.providers.slackBaseUrl}/chat.postMessage`,
      headers: { 'content-type': 'application/json; charset=utf-8', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    },
    providerJudgement,
  )
  const { ok, error = 'no answer of the web API' } = parsed(answered.body)
  if (ok !== true) throw new DeliveryError(`Slack says ${error}`, { permanent: !passing.includes(error) })
}

/** An answer that is no JSON comes from something that is not Slack: a proxy, a portal. */
const parsed = (body: string): { ok?: boolean; error?: string } => {
  try {
    return (JSON.parse(body) ?? {}) as { ok?: boolean; error?: string }
  } catch {
    return {}
  }
}
