/** What traceroute checks have of the world beside what all have: room for traces, and names of routers. */
import { Resolver } from 'node:dns/promises'
import type { Clock } from '../../protocol/clock.ts'
import { createSemaphore } from '../../protocol/semaphore.ts'
import type { TracerouteIo } from '../checks/traceroute.ts'
import { traceroute } from '../net/evidence/traceroute/traceroute.ts'
import type { Libc } from '../net/ping/libc.ts'

/** Each polls a few sockets, and more at once would make the times of all of them wrong. */
const tracesAtOnce = 8

export const routeTracer = (libc: () => Promise<Libc>, clock: Clock): TracerouteIo['traceRoute'] => {
  const room = createSemaphore({ total: tracesAtOnce })
  return async (target, options, signal) => {
    const release = await room.acquire({ signal })
    if (release === null) return null
    try {
      return await traceroute(target, { ...options, libc: await libc(), clock })
    } finally {
      release()
    }
  }
}

/** A router without a name has none that is worth waiting for. */
const once = { timeout: 1000, tries: 1 }

/** By the name servers of the agent's settings, or by those of the machine. */
export const namesBy = (servers: readonly string[]): TracerouteIo['namesOf'] => {
  const resolver = new Resolver(once)
  if (servers.length > 0) resolver.setServers(servers)
  return async (addresses) => {
    const found = await Promise.allSettled(
      [...new Set(addresses)].map(async (address) => [address, await resolver.reverse(address)] as const),
    )
    return new Map(
      found.flatMap((one): [string, string][] => {
        if (one.status === 'rejected') return []
        const [address, [name]] = one.value
        return name === undefined ? [] : [[address, name]]
      }),
    )
  }
}
