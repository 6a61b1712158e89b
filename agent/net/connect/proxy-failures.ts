import type { Failure } from '../../../protocol/result.ts'
import { type ProxyServer, proxyName } from './proxy-server.ts'

/** The failure of a request for which the proxy wants other credentials. */
export const authenticationRequired = (proxy: ProxyServer, status: number): Failure => ({
  code: 'PROXY_AUTHENTICATION_REQUIRED',
  message: `${proxyName(proxy)}, the proxy of this location, refused ${
    proxy.authorization === null ? 'a request without credentials' : 'the credentials in its address'
  } (status ${status})`,
  network: false,
})

/** What a proxy answered in place of connecting to `target`. */
type ProxyRefusal = { status: number; said: string; target: string }

/** A proxy that tried and failed answers 5xx: the target, or the proxy's own network. Others are rules of the proxy. */
export const refusedByProxy = (proxy: ProxyServer, { status, said, target }: ProxyRefusal): Failure => ({
  code: 'PROXY_REFUSED',
  message: `${proxyName(proxy)}, the proxy of this location, did not connect to ${target}: it answered ${said}`,
  network: status >= 500,
})
