/** The operator's HTTP proxy (HTTP_PROXY, HTTPS_PROXY): a tunnel through it, and what it says for itself. Its credentials are in no message. */
import { Socket } from 'node:net'
import { Client } from 'undici'
import {
  asksForCredentials,
  markOfProxy,
  type ProxySettings,
  proxyAuthorization,
  proxyFor,
} from '../../../../protocol/networks/proxy.ts'
import { OutgoingError, reasonOf } from './outgoing-error.ts'

/** `headers`: for requests to itself. */
export type OutgoingProxy = { origin: string; host: string; headers: Record<string, string> }

/** Null: the address is reached without one. */
export const proxyOf = (url: URL, settings: ProxySettings): OutgoingProxy | null => {
  const uri = proxyFor(url, settings)
  if (uri === null) return null
  const { origin, host } = new URL(uri)
  const authorization = proxyAuthorization(new URL(uri))
  return { origin, host, headers: authorization === null ? {} : { 'proxy-authorization': authorization } }
}

const openWithinMs = 10_000

/** A connection to `target`, a host and a port, by CONNECT. @throws OutgoingError */
export const openTunnel = async (proxy: OutgoingProxy, target: string): Promise<Socket> => {
  const client = new Client(proxy.origin, {
    connect: { timeout: openWithinMs, autoSelectFamily: true },
    headersTimeout: openWithinMs,
  })
  try {
    const { statusCode, socket } = await client.connect({
      path: target,
      headers: { ...proxy.headers, host: target },
    })
    if (statusCode >= 200 && statusCode < 300 && socket instanceof Socket) return socket
    socket.on('error', () => undefined).destroy()
    throw refusedBy(proxy, `${statusCode}`, asksForCredentials(statusCode))
  } catch (error) {
    throw error instanceof OutgoingError ? error : proxyError(proxy, error)
  } finally {
    // The tunnel is the client's no more.
    void client.close()
  }
}

/** The connection to the proxy failed. */
export const proxyError = (proxy: OutgoingProxy, error: unknown): OutgoingError => {
  const { code = 'UNKNOWN' } = error as NodeJS.ErrnoException
  return new OutgoingError(`PROXY_${code}`, `The proxy ${proxy.host} could not be used: ${reasonOf(error)}`, {
    cause: error,
  })
}

/** What a forwarded request got for an answer, if the proxy itself gave it. An error page without a mark cannot be told from the target's. */
export const proxyFailureIn = (
  { status, headers }: { status: number; headers: Readonly<Record<string, unknown>> },
  proxy: OutgoingProxy,
): OutgoingError | null => {
  const mark = markOfProxy(headers)
  if (status === 407 || (mark !== null && asksForCredentials(status)))
    return refusedBy(proxy, `${status}`, true)
  return mark === null || status < 400 ? null : refusedBy(proxy, `${status} (${mark})`, false)
}

const refusedBy = (proxy: OutgoingProxy, said: string, asksForOthers: boolean): OutgoingError =>
  asksForOthers
    ? new OutgoingError(
        'PROXY_AUTHENTICATION_REQUIRED',
        `The proxy ${proxy.host} answered ${said}: it wants ${proxy.headers['proxy-authorization'] === undefined ? 'credentials' : 'other credentials'}`,
      )
    : new OutgoingError('PROXY_REFUSED', `The proxy ${proxy.host} did not connect: it answered ${said}`)
