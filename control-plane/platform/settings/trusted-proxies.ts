/** `TRUSTED_PROXIES`: addresses, networks, or a word for those that everybody has. Pure. */
import { parseNetwork } from '../../../protocol/networks/network-list.ts'

/** RFC 1122, RFC 4291; RFC 1918, RFC 4193. */
const networksByName: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** The items of a list as operators write it: by commas, blanks or both. */
export const listedIn = (list: string | null): string[] =>
  (list ?? '').split(/[\s,]+/).filter((item) => item !== '')

/** As networks; what is wrong with them is added to the problems. */
export const readProxies = (list: string | null, problems: string[]): readonly string[] =>
  Object.freeze(listedIn(list).flatMap((item) => networksOf(item, problems)))

const networksOf = (item: string, problems: string[]): readonly string[] => {
  const named = networksByName[item.toLowerCase()]
  if (named !== undefined) return named
  const network = parseNetwork(item)
  if (network === null)
    problems.push(`TRUSTED_PROXIES: ${item} is not an address, a network (CIDR), loopback or private`)
  else if (network.prefix === 0)
    problems.push(`TRUSTED_PROXIES: ${item} would let every client name any address as its own`)
  return [item]
}
