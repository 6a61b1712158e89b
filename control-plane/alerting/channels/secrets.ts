/** Masking a config for an answer, and putting stored secrets back where a change sends their masks. Pure. */
import type { Violation } from '../../../protocol/validate.ts'
import { looksMasked } from '../../platform/secrets/masks.ts'
import type { ChannelConfig, ChannelTypeName, SecretPlace } from './channel-type.ts'
import { channels } from './index.ts'

export const maskConfig = (type: ChannelTypeName, config: ChannelConfig): ChannelConfig => {
  const masked = structuredClone(config)
  for (const { path, mask } of channels[type].secretsOf(config))
    if (mask) setText(masked, path, mask(textAt(config, path)))
  return masked
}

type StoredConfig = { type: ChannelTypeName; config: ChannelConfig }

/** The config to store: every mask replaced by the secret it stands for, or a violation where it stands for none. */
export const unmaskConfig = (
  type: ChannelTypeName,
  sent: ChannelConfig,
  stored: StoredConfig | null,
): { config: ChannelConfig; violations: Violation[] } => {
  const config = structuredClone(sent)
  const violations: Violation[] = []
  const known = stored?.type === type ? stored.config : {}
  const before = new Map(
    stored?.type === type ? channels[type].secretsOf(known).map((place) => [place.id, place]) : [],
  )
  for (const place of channels[type].secretsOf(sent)) {
    const text = textAt(sent, place.path)
    const secret = secretBehind(text, known, before.get(place.id))
    if (secret !== null && place.mask) setText(config, place.path, secret)
    else if (secret !== null) violations.push(unlocked(place))
    else if (place.mask && looksMasked(text)) violations.push(unknownMask(place))
  }
  return { config, violations }
}

const secretBehind = (text: string, known: ChannelConfig, place: SecretPlace | undefined): string | null => {
  if (!place?.mask) return null
  const secret = textAt(known, place.path)
  return text !== secret && text === place.mask(secret) ? secret : null
}

const at = ({ path }: SecretPlace): string => ['config', ...path].join('.')

const unlocked = (place: SecretPlace): Violation => ({
  path: at(place),
  rule: 'locked',
  message: `"${at(place)}" was locked: send the value itself to unlock it`,
})

const unknownMask = (place: SecretPlace): Violation => ({
  path: at(place),
  rule: 'masked',
  message: `"${at(place)}" is a mask, and no secret is stored for it: send the value itself`,
})

type Node = Record<string | number, unknown>

const holderOf = (config: ChannelConfig, path: SecretPlace['path']): Node =>
  path.slice(0, -1).reduce<Node>((node, key) => node[key] as Node, config)

const textAt = (config: ChannelConfig, path: SecretPlace['path']): string =>
  holderOf(config, path)[path.at(-1) ?? ''] as string

const setText = (config: ChannelConfig, path: SecretPlace['path'], text: string): void => {
  holderOf(config, path)[path.at(-1) ?? ''] = text
}
