/** What the DNS says about a domain that users name: records that prove whose it is. */
import { Resolver } from 'node:dns/promises'

type DomainRecords = {
  /** The texts of a name; none where the DNS has none, or cannot be asked. */
  txt(name: string): Promise<string[]>
  cname(name: string): Promise<string[]>
}

const timeoutMs = 3000

/** `servers`: `address:port`; left out, those of the machine. */
export const createDomainRecords = (servers?: readonly string[]): DomainRecords => {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 })
  if (servers !== undefined) resolver.setServers(servers)
  return {
    txt: async (name) => (await orNone(resolver.resolveTxt(name))).map((parts) => parts.join('')),
    cname: (name) => orNone(resolver.resolveCname(name)),
  }
}

/** A name without such records, and a server that does not answer: either way nothing was seen. */
const orNone = async <T>(answer: Promise<T[]>): Promise<T[]> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
}

/** What the DNS says about domains that users name. */
export type HasDomainRecords = { domainRecords: DomainRecords }
