/** Masking a config for an answer, and putting stored secrets back where a change sends their masks. Pure. */
import type { Violation } from '../../../protocol/validate.ts'
import { looksMasked, maskAddress, maskTail } from '../../platform/doors/secrets/masks.ts'
import type { ChannelConfig, ChannelTypeName, SecretKind, SecretPlace } from './channel-type.ts'
import { channels } from './index.ts'
import { setText, textAt } from './secret-texts.ts'

const masks: Record<SecretKind, ((value: string) => string) | null> = {
  address: maskAddress,
  key: maskTail,
  plain: null,
}

/** With every secret masked, as who may only read sees it, and as logs and lists of notifications keep it. */
export const maskConfig = (type: ChannelTypeName, config: ChannelConfig): ChannelConfig =>
  masked(type, config, ['address', 'key'])

/** As who may write the channel sees it: what was read can be sent back. */
export const writersConfig = (type: ChannelTypeName, config: ChannelConfig): ChannelConfig =>
  masked(type, config, ['key'])

const masked = (
  type: ChannelTypeName,
  config: ChannelConfig,
  kinds: readonly SecretKind[],
): ChannelConfig => {
  const copy = structuredClone(config)
  for (const { path, kind } of channels[type].secretsOf(config)) {
    const mask = masks[kind]
    if (mask && kinds.includes(kind)) setText(copy, path, mask(textAt(config, path)))
  }
  return copy
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
    const earlier = before.get(place.id)
    const secret = earlier === undefined ? null : textAt(known, earlier.path)
    if (text === secret) continue
    const isMask = earlier !== undefined && secret !== null && masks[earlier.kind]?.(secret) === text
    if (isMask && place.kind === 'plain') violations.push(unlocked(place))
    else if (isMask) setText(config, place.path, secret)
    else if (place.kind !== 'plain' && looksMasked(text)) violations.push(unknownMask(place))
  }
  return { config, violations }
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
