/** What a type of alert channel declares: its config, what of it is secret, and how it sends. */
import { type TSchema, Type } from 'typebox'
import type { Message } from '../messages/message.ts'
import type { Deps, TemplateValues } from './delivery.ts'
import type { Providers } from './providers.ts'

export const channelTypes = [
  'EMAIL',
  'SLACK',
  'SLACK_APP',
  'WEBHOOK',
  'SMS',
  'PAGERDUTY',
  'OPSGENIE',
  'CALL',
] as const
export type ChannelTypeName = (typeof channelTypes)[number]

export type ChannelConfig = Record<string, unknown>

/**
 * What a value is. `address`: whoever has it can post there; behind its host it is shown to who may write the channel, and
 * to nobody else. `key`: shown to nobody. `plain`: it would be a key under another setting.
 */
export type SecretKind = 'address' | 'key' | 'plain'

/** A value of a config that is, or under another setting could be, a secret. */
export type SecretField = {
  /** The same for the same value before and after a change, wherever it stands in a list. */
  id: string
  path: ReadonlyArray<string | number>
  kind: SecretKind
}

/** A template of a config that cannot be filled in. */
export type TemplateFault = {
  /** `headers.0.value` */
  field: string
  /** For people: `the header x-team` */
  name: string
  message: string
}

export type ChannelType = {
  type: ChannelTypeName
  config: TSchema
  secretsOf: (config: ChannelConfig) => SecretField[]
  /** The operator's setting without which nothing of this type is sent; null: it is set. */
  missingSetting?: (providers: Providers) => string | null
  /** Where its messages go to one address of mail: they are in the language of who reads them there. */
  addressOf?: (config: ChannelConfig) => string
  /** Whether its messages are read by the people of an account together: they are in the language that all of them have chosen. */
  isReadByAll?: (config: ChannelConfig) => boolean
  /** Its messages show the probable cause, where it is known when they are sent. */
  showsCause?: true
  /** Templates of a config that cannot be filled in for this message; without it only secrets may be templates. */
  templateFaults?: (
    message: Message,
    config: ChannelConfig,
    filling: TemplateValues,
  ) => Promise<TemplateFault[]>
  /** Resolves with what the receiver answered. @throws DeliveryError, TemplateError */
  send: (message: Message, config: ChannelConfig, deps: Deps) => Promise<string>
}

export const closed = { additionalProperties: false } as const

/** E.164, at most fifteen characters. */
export const PhoneNumber = Type.String({
  pattern: '^\\+[1-9]\\d{1,13}$',
  description: 'E.164: a leading +, no blanks, at most 15 characters',
})

export const Text = Type.String({ minLength: 1, maxLength: 255 })
