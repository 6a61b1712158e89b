export type Family = 4 | 6
export type Address = { address: string; family: Family }
/** Somebody at an address, whom a connection is meant for. */
export type PeerAddress = Address & { port: number }

/** Addresses of a host in one family; rejects with the resolver's error (`code` ENOTFOUND, EAI_AGAIN …). */
export type Lookup = (host: string, family: Family) => Promise<Address[]>

/** A name without an address of the family that was asked for, which has one of the other. */
export class OnlyOtherFamily extends Error {
  readonly code = 'ENOTFOUND'
  /** Which it has. */
  readonly family: Family
  constructor(family: Family, options: ErrorOptions) {
    super(`only addresses of IPv${family}`, options)
    this.name = 'OnlyOtherFamily'
    this.family = family
  }
}

/**
 * Lets runs that ask for the same name at the same time share one question: the machine's resolver has few threads,
 * and a hundred checks of one dead name must not keep them from everybody else. Nothing outlives its question.
 */
export const shareLookups = (lookup: Lookup): Lookup => {
  const asking = new Map<string, Promise<Address[]>>()
  return (host, family) => {
    const key = `${family} ${host}`
    const shared = asking.get(key)
    if (shared !== undefined) return shared
    const question = lookup(host, family).finally(() => asking.delete(key))
    asking.set(key, question)
    return question
  }
}
