/** Keys and addresses of other types than webhooks may name a variable instead of holding the secret. */
import type { FilledText } from '../templates/fill.ts'
import type { FillTexts } from '../templates/fill-texts.ts'
import { TemplateError } from '../templates/template-error.ts'
import { notificationBudget } from '../templates/template-meter.ts'
import type { ChannelConfig, ChannelTypeName, TemplateFault } from './channel-type.ts'
import { channels } from './index.ts'

type Channel = { type: ChannelTypeName; config: ChannelConfig }
type FillingSecrets = { fillTexts: FillTexts; variables: ReadonlyMap<string, string> }

/** @throws TemplateError */
export const fillSecrets = async (channel: Channel, filling: FillingSecrets): Promise<ChannelConfig> => {
  const config = { ...channel.config }
  for (const [field, filled] of await filledSecrets(channel, filling)) {
    if ('fault' in filled) throw new TemplateError(filled.fault)
    config[field] = filled.text
  }
  return config
}

export const secretFaults = async (channel: Channel, filling: FillingSecrets): Promise<TemplateFault[]> =>
  (await filledSecrets(channel, filling)).flatMap(([field, filled]) =>
    'fault' in filled ? [{ field, name: field, message: filled.fault }] : [],
  )

const filledSecrets = async (
  { type, config }: Channel,
  { fillTexts, variables }: FillingSecrets,
): Promise<Array<[field: string, filled: FilledText]>> => {
  const fields = channels[type].secretsOf(config).flatMap(({ path: [field] }) => {
    const text = field === undefined ? undefined : config[field]
    return typeof text === 'string' ? [{ field: String(field), text }] : []
  })
  const filled = await fillTexts({
    texts: fields.map(({ text }) => ({ text, encoding: 'plain' })),
    context: Object.fromEntries(variables),
    budget: notificationBudget,
  })
  return fields.map(({ field }, position) => [field, filled[position] ?? { fault: 'it was not filled in' }])
}
