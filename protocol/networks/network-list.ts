/** Networks as operators write them: `10.0.0.0/8`, `fd00::/8`, or a single address. Pure. */
import { BlockList, isIP } from 'node:net'

export const parseNetwork = (text: string): { address: string; prefix: number } | null => {
  const [address = '', length, ...rest] = text.split('/')
  const version = isIP(address)
  const longest = version === 4 ? 32 : 128
  const prefix = length === undefined ? longest : Number(length)
  const isNetwork = version !== 0 && rest.length === 0 && /^\d{1,3}$/.test(length ?? '0') && prefix <= longest
  return isNetwork ? { address, prefix } : null
}

/** An IPv4-mapped address (`::ffff:0:0/96`) is held as the IPv4 address it is. */
export type NetworkList = { has(address: string): boolean }

/** @throws Error when a text is no network */
export const networkList = (networks: readonly string[]): NetworkList => {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (network === null) throw new Error(`${text} is not a network`)
    list.addSubnet(network.address, network.prefix, familyOf(network.address))
  }
  return { has: (address) => list.check(address, familyOf(address)) }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
