import dgram from 'node:dgram'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import tls from 'node:tls'
import { createEgress, isMetadataAddress } from '../../net/connect/egress.ts'
import type { ChildTask } from '../task.ts'
import type { Events } from './events.ts'
import { settleNames } from './settle-names.ts'

/** libuv's number for EACCES. */
const refused = -13

/** Whether the policy on networks refuses an address. */
export type IsRefused = (address: string) => boolean

type Handle = Record<'connect' | 'connect6' | 'bind' | 'bind6' | 'listen', (...args: unknown[]) => number>

/**
 * Holds the agent's egress policy where every connection of Node passes with its resolved address: the handle under the
 * sockets of http, https, tls and fetch. Nobody listens, and there are no local sockets such as a container engine's.
 * Returns whether the policy refuses an address, which it also tells the log.
 */
export const guardNetwork = (task: ChildTask, { log }: Pick<Events, 'log'>): IsRefused => {
  const egress = createEgress(task)
  const told = new Set<string>()
  const isRefused: IsRefused = (address) => {
    if (egress.allows(address)) return false
    if (told.size < told.add(address).size)
      log('WARN', `${address} may not be reached: ${reasonFor(address)}`)
    return true
  }
  const handle = tcpHandle()
  for (const name of ['connect', 'connect6'] as const) {
    const connect = handle[name]
    handle[name] = function (this: Handle, request, address, ...rest) {
      return isRefused(String(address)) ? refused : connect.call(this, request, address, ...rest)
    }
  }
  for (const name of ['bind', 'bind6', 'listen'] as const) handle[name] = () => refused
  forbidLocalSockets()
  forbidDatagrams()
  settleNames(task)
  if (task.extraCaCerts !== null)
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), task.extraCaCerts])
  syncBuiltinESMExports()
  return isRefused
}

const reasonFor = (address: string): string =>
  isMetadataAddress(address)
    ? "it belongs to the metadata service of the agent's machine, and ALLOWED_NETWORKS does not name it"
    : "the agent's BLOCKED_NETWORKS and ALLOWED_NETWORKS forbid it"

/** Of a socket that is destroyed before it would connect, on the next tick. */
const tcpHandle = (): Handle => {
  const socket = net.connect({ host: '127.0.0.1', port: 1 })
  const { _handle } = socket as unknown as { _handle: Handle }
  socket.destroy()
  return Object.getPrototypeOf(_handle)
}

const forbidLocalSockets = (): void => {
  const { connect } = net.Socket.prototype
  net.Socket.prototype.connect = function (this: net.Socket, ...args: unknown[]) {
    const [first] = args.flat() as (string | { path?: unknown })[]
    // As Node reads it: a text that is no port is a path.
    if (typeof first === 'string' ? !(Number(first) >= 0) : first?.path)
      throw new Error('Scripts cannot connect to local sockets')
    return Reflect.apply(connect, this, args)
  } as typeof connect
  net.Server.prototype.listen = (): never => {
    throw new Error('EACCES: scripts cannot listen')
  }
}

/** Packages of a runtime may load the module, and datagrams would pass by the policy. */
const forbidDatagrams = (): void => {
  const forbid = (): never => {
    throw new Error('Scripts cannot send datagrams')
  }
  Object.assign(dgram, { createSocket: forbid, Socket: forbid })
}
