/**
 * The registry of alert channels: a line per type. Validation, the API's enum and OpenAPI follow from it.
 *
 * A channel's *config* is what its type needs to send. Its secrets are sealed at rest and masked in answers; what is
 * secret, and how it is masked, is the type's to say.
 */
import { call } from './call.ts'
import type { ChannelType, ChannelTypeName } from './channel-type.ts'
import { email } from './email.ts'
import { opsgenie } from './opsgenie.ts'
import { pagerduty } from './pagerduty.ts'
import { slack } from './slack.ts'
import { slackApp } from './slack-app.ts'
import { sms } from './sms.ts'
import { webhook } from './webhook.ts'

export const channels: Record<ChannelTypeName, ChannelType> = {
  EMAIL: email,
  SLACK: slack,
  SLACK_APP: slackApp,
  WEBHOOK: webhook,
  SMS: sms,
  PAGERDUTY: pagerduty,
  OPSGENIE: opsgenie,
  CALL: call,
}
