import { isIP } from 'node:net'
import type { Failure } from '../../../protocol/result.ts'
import {
  type ConnectionState,
  codeOf,
  describeFailure,
  isFamilyOff,
  isMachineError,
  policyOn,
} from '../connect/failures.ts'
import type { Address, Family } from '../connect/lookup.ts'
import { failureOfAbort, whenAborted } from '../connect/when-aborted.ts'
import type { Io } from '../io.ts'
import { isRouteError, type OpenPing, type PingSocket } from './ping-socket.ts'

type PingTarget = { host: string; ipFamily: 'IPv4' | 'IPv6' }

/** A socket to the address that was chosen, or the failure that left none. `dnsMs`: how long the name took. */
export type PingConnection = Address & { socket: PingSocket }
type OpenResult = PingConnection | { failure: Failure }

type PingFailure = { failure: Failure; error: Error | null }
export type PingIo = Io & { openPing: OpenPing }

type PingAttempt = { host: string; dnsMs: number; io: PingIo; signal: AbortSignal }

/**
 * Name, policy, socket. Addresses are tried in the resolver's order while there is no way to them; IPv4 takes over when
 * this machine cannot speak IPv6. Throws for errors of this machine, and the signal's reason when the run is cancelled.
 */
export const openPing = async (
  { host, ipFamily }: PingTarget,
  io: PingIo,
  signal: AbortSignal,
): Promise<OpenResult & { dnsMs: number }> => {
  const attempt: PingAttempt = { host, dnsMs: 0, io, signal }
  return { ...(await openByName(ipFamily, attempt)), dnsMs: attempt.dnsMs }
}

const openByName = async (ipFamily: 'IPv4' | 'IPv6', attempt: PingAttempt): Promise<OpenResult> => {
  const { host, io } = attempt
  const literal = isIP(host)
  if (literal !== 0) return tryAddresses([{ address: host, family: literal === 6 ? 6 : 4 }], attempt)
  if (ipFamily === 'IPv4') return tryFamily(4, attempt)
  const opened = await tryFamily(6, attempt)
  if (!('failure' in opened)) return opened
  const isOff = opened.error === null ? false : isFamilyOff(opened.error) || !io.hasIpv6()
  if (!isOff || attempt.signal.aborted) return opened
  const fallback = await tryFamily(4, attempt)
  return 'failure' in fallback ? opened : fallback
}

const tryFamily = async (family: Family, attempt: PingAttempt): Promise<PingConnection | PingFailure> => {
  const started = attempt.io.clock.monotonic()
  const found = await ask(family, attempt)
  attempt.dnsMs += attempt.io.clock.monotonic() - started
  return 'failure' in found ? found : tryAddresses(found.addresses, attempt)
}

const ask = async (
  family: Family,
  { host, io, signal }: PingAttempt,
): Promise<{ addresses: Address[] } | PingFailure> => {
  const started = io.clock.monotonic()
  const state = (): ConnectionState => {
    const elapsedMs = io.clock.monotonic() - started
    return { host, address: null, port: 0, elapsedMs, phase: 'lookup' }
  }
  const ended = whenAborted(signal)
  try {
    const addresses = await Promise.race([io.lookup(host, family), ended.promise])
    if (addresses === 'aborted') return { failure: failureOfAbort(signal, state()), error: null }
    if (addresses.length > 0) return { addresses }
    throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
  } catch (error) {
    if (!(error instanceof Error) || error === signal.reason || isMachineError(error)) throw error
    return { failure: describeFailure(error, state()), error }
  } finally {
    ended.forget()
  }
}

const tryAddresses = async (
  addresses: readonly Address[],
  { host, io }: PingAttempt,
): Promise<PingConnection | PingFailure> => {
  let last: PingFailure = { failure: notReached('ENOTFOUND', host), error: null }
  for (const { address, family } of addresses.slice(0, 8)) {
    const shown = address === host ? host : `${host} (${address})`
    if (!io.egress.allows(address)) {
      last = { failure: refused(shown, address), error: null }
      continue
    }
    try {
      return { address, family, socket: await io.openPing({ address, family }) }
    } catch (error) {
      if (!isRouteError(error)) throw error
      last = { failure: notReached(codeOf(error), shown), error }
    }
  }
  return last
}

const refused = (shown: string, address: string): Failure => ({
  code: 'BLOCKED_BY_POLICY',
  message: `${shown} may not be reached: ${policyOn(address)}`,
  network: false,
})

/** Why a packet cannot even leave this machine. */
export const notReached = (code: string, shown: string): Failure => ({
  code,
  message: sentences[code]?.(shown) ?? `A ping of ${shown} cannot be sent: ${code}`,
  network: true,
})

const sentences: Record<string, (shown: string) => string> = {
  EHOSTUNREACH: (shown) => `There is no route to ${shown}`,
  ENETUNREACH: (shown) => `The network of ${shown} cannot be reached`,
  EADDRNOTAVAIL: (shown) => `This machine has no address from which ${shown} can be reached`,
  EAFNOSUPPORT: (shown) => `This machine has no address from which ${shown} can be reached`,
  EACCES: (shown) => `A route of this machine prohibits ${shown}, or it is a broadcast address`,
  EPERM: (shown) => `The firewall of this machine refuses to send to ${shown}`,
  EINVAL: (shown) =>
    /^fe[89ab]/i.test(shown)
      ? `The link-local address ${shown} needs the name of an interface of this machine, as in fe80::1%eth0`
      : `A route of this machine drops what is for ${shown}`,
}
