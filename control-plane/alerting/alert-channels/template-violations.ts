/** Templates of a config that cannot be filled in, found before anything depends on them: by filling them in. Pure. */
import type { Violation } from '../../../protocol/validate.ts'
import { violation } from '../../platform/http/errors.ts'
import type { ChannelConfig, ChannelTypeName, TemplateFault } from '../channels/channel-type.ts'
import { channels } from '../channels/index.ts'
import { secretFaults } from '../channels/secret-templates.ts'
import { messageOf } from '../engine/message.ts'
import type { World } from '../templates/template.ts'
import { testAlertTypes, testEvent } from './test-event.ts'

type Channel = { type: ChannelTypeName; config: ChannelConfig }
type Trial = World & { accountId: string; variables: ReadonlyMap<string, string> }

export const templateViolations = (channel: Channel, trial: Trial): Violation[] => {
  // A template is told once, whichever alerts it fails for.
  const faults = new Map(faultsOf(channel, trial).map((fault) => [fault.field, fault]))
  return [...faults.values()].map(({ field, message }) =>
    violation(`config.${field}`, 'template', `is no template that can be filled in: ${message}`),
  )
}

const faultsOf = ({ type, config }: Channel, trial: Trial): TemplateFault[] => {
  const { templateFaults } = channels[type]
  if (templateFaults === undefined) return secretFaults({ type, config }, trial)
  return exampleMessages(trial).flatMap((message) =>
    templateFaults(message, config, { ...trial, analysis: {} }),
  )
}

/** One of every kind, since templates choose their words by it, and a reminder. */
const exampleMessages = ({ accountId, now }: Trial) => {
  const events = testAlertTypes.map((alertType) => testEvent(alertType, { accountId, channelId: 0, now }))
  const reminders = events.slice(0, 1).map((event) => ({ ...event, reminder: 1 }))
  const shown = {
    id: '00000000-0000-4000-8000-000000000000',
    link: 'https://watchpost.example/results/example',
  }
  return [...events, ...reminders].map((event) => messageOf(event, shown))
}
