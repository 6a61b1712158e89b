/** Masking a config for an answer, and putting stored secrets back where a change sends their masks. Pure. */
import type { Violation } from '../../../protocol/validate.ts'
import { looksMasked, maskAddress, maskTail } from '../../platform/services/secrets/masks.ts'
import type { ChannelConfig, ChannelTypeName, SecretField, SecretKind } from './channel-type.ts'
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
    stored?.type === type ? channels[type].secretsOf(known).map((field) => [field.id, field]) : [],
  )
  for (const field of channels[type].secretsOf(sent)) {
    const text = textAt(sent, field.path)
    const earlier = before.get(field.id)
    const secret = earlier === undefined ? null : textAt(known, earlier.path)
    if (text === secret) continue
    const isMask = earlier !== undefined && secret !== null && masks[earlier.kind]?.(secret) === text
    if (isMask && field.kind === 'plain') violations.push(unlocked(field))
    else if (isMask) setText(config, field.path, secret)
    else if (field.kind !== 'plain' && looksMasked(text)) violations.push(unknownMask(field))
  }
  return { config, violations }
}

const at = ({ path }: SecretField): string => ['config', ...path].join('.')

const unlocked = (field: SecretField): Violation => ({
  path: at(field),
  rule: 'locked',
  message: `"${at(field)}" is a secret and shown masked: send the value itself to have it shown`,
})

const unknownMask = (field: SecretField): Violation => ({
  path: at(field),
  rule: 'masked',
  message: `"${at(field)}" is a mask, and no secret is stored for it: send the value itself`,
})
