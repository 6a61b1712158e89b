/** Keys and addresses of other types than webhooks may name a variable instead of holding the secret. Pure. */
import { render, TemplateError, type World } from '../templates/template.ts'
import type { ChannelConfig, ChannelTypeName, TemplateFault } from './channel-type.ts'
import { channels } from './index.ts'

type Channel = { type: ChannelTypeName; config: ChannelConfig }
type FillingSecrets = World & { variables: ReadonlyMap<string, string> }

/** @throws TemplateError */
export const fillSecrets = (channel: Channel, filling: FillingSecrets): ChannelConfig => {
  const filled = { ...channel.config }
  for (const [field, text] of secretTexts(channel)) filled[field] = fill(text, filling)
  return filled
}

export const secretFaults = (channel: Channel, filling: FillingSecrets): TemplateFault[] =>
  secretTexts(channel).flatMap(([field, text]) => {
    try {
      fill(text, filling)
      return []
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      return [{ field, name: field, message: error.message }]
    }
  })

const secretTexts = ({ type, config }: Channel): Array<[field: string, text: string]> =>
  channels[type].secretsOf(config).flatMap(({ path: [field] }) => {
    const text = field === undefined ? undefined : config[field]
    return typeof text === 'string' ? [[String(field), text] as [string, string]] : []
  })

const fill = (text: string, { variables, ...world }: FillingSecrets): string =>
  render(text, Object.fromEntries(variables), { encode: (value) => value, world })
