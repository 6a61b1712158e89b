/** Templates of a config that cannot be filled in, found before anything depends on them: by filling them in. */
import type { Violation } from '../../../protocol/validate.ts'
import { violation } from '../../platform/words/errors.ts'
import type { ChannelConfig, ChannelTypeName, TemplateFault } from '../channels/channel-type.ts'
import { channels } from '../channels/index.ts'
import { secretFaults } from '../channels/secret-templates.ts'
import { messageOf } from '../messages/message.ts'
import type { FillTexts } from '../templates/fill-texts.ts'
import { testAlertTypes, testEvent } from './test-event.ts'

type Channel = { type: ChannelTypeName; config: ChannelConfig }
type Trial = {
  accountId: string
  now: number
  variables: ReadonlyMap<string, string>
  fillTexts: FillTexts
}

export const templateViolations = async (channel: Channel, trial: Trial): Promise<Violation[]> => {
  // A template is told once, whichever alerts it fails for.
  const faults = new Map((await faultsOf(channel, trial)).map((fault) => [fault.field, fault]))
  return [...faults.values()].map(({ field, message }) =>
    violation(`config.${field}`, 'template', `is no template that can be filled in: ${message}`),
  )
}

const faultsOf = async ({ type, config }: Channel, trial: Trial): Promise<TemplateFault[]> => {
  const { templateFaults } = channels[type]
  if (templateFaults === undefined) return secretFaults({ type, config }, trial)
  const faults: TemplateFault[] = []
  // One after the other: others have their turns in between.
  for (const message of exampleMessages(trial))
    faults.push(...(await templateFaults(message, config, { ...trial, analysis: {} })))
  return faults
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
