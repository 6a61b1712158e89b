import { asksForCredentials, markOfProxy } from '../../../protocol/networks/proxy.ts'
import type { Failure } from '../../../protocol/result.ts'
import { authenticationRequired, refusedByProxy } from '../connect/proxy-failures.ts'
import type { ProxyServer } from '../connect/proxy-server.ts'
import type { ResponseHead } from './http1-head.ts'

/**
 * An answer that is the proxy's own and not what it forwarded: 407, or what Squid, tinyproxy and RFC 9209 (Proxy-Status
 * with an error) mark as such. An error page without a mark cannot be told from the target's.
 */
export const proxyFailureIn = (
  { status, statusText, headers }: Pick<ResponseHead, 'status' | 'statusText' | 'headers'>,
  proxy: ProxyServer,
  target: string,
): Failure | null => {
  const said = markOfProxy(headers)
  if (status === 407 || (said !== null && asksForCredentials(status)))
    return authenticationRequired(proxy, status)
  if (said === null || status < 400) return null
  return refusedByProxy(proxy, { status, said: `${status} ${statusText} (${said})`, target })
}
