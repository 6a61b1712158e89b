import type { Failure } from '../../../protocol/result.ts'
import type { ResponseHead } from '../http/http1-head.ts'
import { type ProxyServer, proxyName } from './proxy-server.ts'

/** tinyproxy says 401 where RFC 9110 section 15.5.8 wants 407. */
export const asksForCredentials = (status: number): boolean => status === 407 || status === 401

export const authenticationRequired = (proxy: ProxyServer, status: number): Failure => ({
  code: 'PROXY_AUTHENTICATION_REQUIRED',
  message: `${proxyName(proxy)}, the proxy of this location, refused ${
    proxy.authorization === null ? 'a request without credentials' : 'the credentials in its address'
  } (status ${status})`,
  network: false,
})

type Refusal = { status: number; said: string; target: string }

/** A proxy that tried and failed answers 5xx: the target, or the proxy's own network. Others are rules of the proxy. */
export const refusedByProxy = (proxy: ProxyServer, { status, said, target }: Refusal): Failure => ({
  code: 'PROXY_REFUSED',
  message: `${proxyName(proxy)}, the proxy of this location, did not connect to ${target}: it answered ${said}`,
  network: status >= 500,
})

/**
 * An answer that is the proxy's own and not what it forwarded: 407, or what Squid, tinyproxy and RFC 9209 (Proxy-Status
 * with an error) mark as such. An error page without a mark cannot be told from the target's.
 */
export const answerOfProxy = (
  { status, statusText, headers }: ResponseHead,
  proxy: ProxyServer,
  target: string,
): Failure | null => {
  const said = markOf(headers)
  if (status === 407 || (said !== null && asksForCredentials(status)))
    return authenticationRequired(proxy, status)
  if (said === null || status < 400) return null
  return refusedByProxy(proxy, { status, said: `${status} ${statusText} (${said})`, target })
}

const markOf = (headers: ResponseHead['headers']): string | null => {
  const text = (name: string): string => String(headers[name] ?? '').slice(0, 100)
  if (text('x-squid-error') !== '') return text('x-squid-error')
  if (/;\s*error\s*=/.test(text('proxy-status'))) return text('proxy-status')
  return /^tinyproxy\//.test(text('server')) ? text('server') : null
}
