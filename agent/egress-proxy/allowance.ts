/** What a run may use of the network, and what all runs together may. */
export type EgressProxyLimits = {
  /** Connections that are open together: of one run, and of all that this agent runs. */
  atOnce: number
  atOnceOfAgent: number
  /** Lookups that go on together, counted in the same way. */
  lookups: number
  lookupsOfAgent: number
  /** Connections of a run from its beginning to its end. */
  inAll: number
  /** Bytes of a run, both ways together. */
  bytes: number
  /** How long a client may take to say what it wants. */
  greetingMs: number
  /** How long dialling may take. */
  connectMs: number
  /** How long nothing may pass before a connection is given up. */
  idleMs: number
  /** Of a request's head. */
  headBytes: number
}

export const egressProxyLimits: EgressProxyLimits = {
  atOnce: 128,
  atOnceOfAgent: 1024,
  lookups: 4,
  lookupsOfAgent: 12,
  inAll: 5000,
  bytes: 256 * 1024 * 1024,
  greetingMs: 5000,
  connectMs: 30_000,
  idleMs: 120_000,
  headBytes: 32 * 1024,
}

/** What a run may still use. */
export type Allowance = {
  /** Takes a connection, which `giveBack` ends; or says why there is none. */
  take(): string | null
  giveBack(): void
  /** Why no more may pass, or null. */
  spend(bytes: number): string | null
}

export const createAllowances = (limits: EgressProxyLimits): { ofRun(): Allowance } => {
  let openOfAgent = 0
  return {
    ofRun: () => {
      let open = 0
      let taken = 0
      let spent = 0
      const refusal = (): string | null => {
        if (taken >= limits.inAll) return `A run may open ${limits.inAll} connections: no more are made`
        if (open >= limits.atOnce) return `A run may have ${limits.atOnce} connections at once`
        return openOfAgent >= limits.atOnceOfAgent
          ? `All runs of this agent together may have ${limits.atOnceOfAgent} connections at once`
          : null
      }
      return {
        take: () => {
          const reason = refusal()
          if (reason !== null) return reason
          taken += 1
          open += 1
          openOfAgent += 1
          return null
        },
        giveBack: () => {
          open -= 1
          openOfAgent -= 1
        },
        spend: (bytes) => {
          spent += bytes
          return spent <= limits.bytes
            ? null
            : `A run may send and receive ${limits.bytes / (1024 * 1024)} MB: its connections are closed`
        },
      }
    },
  }
}
