/** The values of a config that its type calls secret: reading and replacing them where they stand. Pure. */
import type { ChannelConfig, SecretField } from './channel-type.ts'

/** All of them, in clear. */
export const secretTexts = (config: ChannelConfig, fields: readonly SecretField[]): string[] =>
  fields.filter(({ kind }) => kind !== 'plain').map(({ path }) => textAt(config, path))

export const textAt = (config: ChannelConfig, path: SecretField['path']): string =>
  holderOf(config, path)[path.at(-1) ?? ''] as string

export const setText = (config: ChannelConfig, path: SecretField['path'], text: string): void => {
  holderOf(config, path)[path.at(-1) ?? ''] = text
}

type Node = Record<string | number, unknown>

const holderOf = (config: ChannelConfig, path: SecretField['path']): Node =>
  path.slice(0, -1).reduce<Node>((node, key) => node[key] as Node, config)
