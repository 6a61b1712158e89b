/**
 * The one way out for code of users: a proxy on a port of the loopback, one port for each run, which resolves names, judges
 * addresses and connects as checks do (`agent/net/connect`). Clients speak SOCKS5 or HTTP to it; which, their first byte tells.
 *
 * Words: a *client* is one connection to the port, a *connection* what was dialled for it.
 *
 * Invariants: a connection goes to the address that was judged; what a client sends costs no more than its run's limits allow; with the
 * egress proxy everything ends that was opened through it. Whoever can reach the port may use it: other runs are kept from it by the
 * kernel, or by the program in their process where the kernel cannot isolate it so far.
 *
 * TLS is the client's own from end to end, so client certificates of the location have no place here: a script presents its own.
 */
import net, { type AddressInfo, type Socket } from 'node:net'
import { createSemaphore } from '../../protocol/semaphore.ts'
import { CannotRun } from '../base/cannot-run.ts'
import { codeOf } from '../net/connect/failures.ts'
import type { Io } from '../net/io.ts'
import { type Allowance, createAllowances, type EgressProxyLimits, egressProxyLimits } from './allowance.ts'
import type { Session } from './dial.ts'
import { limitLookups } from './limit-lookups.ts'
import { type Say, sayOnce } from './say-once.ts'
import { serveClient } from './serve-client.ts'
import { createHttpSide } from './serve-http.ts'

/** `io` has the route of the run; `say` writes to its log; `onSpent`: all bytes that it may send and receive have passed. */
type EgressProxyUser = { io: Io; say: Say; onSpent?: () => void }

/** The way out of one run. */
export type EgressProxy = {
  port: number
  /** From now on clients are served, for this run and no other. Those that come before are cut off. */
  serve(user: EgressProxyUser): void
  /** Resolves once nothing is left of it. */
  close(): Promise<void>
}

const telling = (allowance: Allowance, onSpent: EgressProxyUser['onSpent']): Allowance => ({
  ...allowance,
  spend: (bytes) => {
    const refusal = allowance.spend(bytes)
    if (refusal !== null) onSpent?.()
    return refusal
  },
})

/** @throws CannotRun when this machine has no port left. */
export type OpenEgressProxy = () => Promise<EgressProxy>

/** All egress proxies of an agent, which share its allowance. */
export const createEgressProxies = (limits: EgressProxyLimits = egressProxyLimits): OpenEgressProxy => {
  const allowances = createAllowances(limits)
  const lookupsOfAgent = createSemaphore({ total: limits.lookupsOfAgent })
  const ports = new Set<number>()
  return async () => {
    const sockets = new Set<Socket>()
    const ended = new AbortController()
    let session: Session | null = null
    const server = net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      socket.on('error', () => socket.destroy())
      if (session === null) socket.destroy()
      else serveClient(socket, session)
    })
    const port = await listen(server)
    // Such as too many open files: the one that came has to come again.
    server.on('error', (error) => session?.tell('WARN', `A connection could not be taken: ${codeOf(error)}`))
    ports.add(port)
    return {
      port,
      serve: ({ io, say, onSpent }) => {
        const semaphores = [createSemaphore({ total: limits.lookups }), lookupsOfAgent]
        session = {
          io: { ...io, lookup: limitLookups(io.lookup, semaphores, ended.signal) },
          tell: sayOnce(say),
          allowance: telling(allowances.ofRun(), onSpent),
          http: createHttpSide(limits),
          ...{ limits, ports, sockets },
        }
      },
      close: async () => {
        session = null
        ended.abort()
        const closed = new Promise((resolve) => server.close(resolve))
        for (const socket of sockets) socket.destroy()
        await closed
        ports.delete(port)
      },
    }
  }
}

const listen = (server: net.Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(new CannotRun(`This agent cannot open a port for a script: ${error.message}`)),
    )
    server.listen(0, '127.0.0.1', () => {
      server.removeAllListeners('error')
      resolve((server.address() as AddressInfo).port)
    })
  })
