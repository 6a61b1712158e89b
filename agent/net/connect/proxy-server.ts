import { proxyAuthorization, proxyCredentials } from '../../../protocol/networks/proxy.ts'
import { CannotRun } from '../../base/cannot-run.ts'
import { hostAndPort } from './failures.ts'

/** `authorization`: the value of Proxy-Authorization, if the proxy's address has credentials. */
export type ProxyServer = {
  protocol: 'http:' | 'https:'
  host: string
  port: number
  authorization: string | null
}

/** @throws CannotRun when it is none; the message quotes nothing but a variable's name. */
export const parseProxy = (text: string): ProxyServer => {
  const missing = /\{\{\{?\s*([^{}]*?)\s*\}/.exec(text)?.[1]
  if (missing !== undefined)
    throw new CannotRun(`the address of this location's proxy has a variable that is not set: ${missing}`)
  const url = URL.parse(text.trim())
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new CannotRun("the address of this location's proxy is not an http or https address")
  return {
    protocol: url.protocol,
    host: url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    authorization: proxyAuthorization(url),
  }
}

/** `proxy.example:3128`, as messages name it. */
export const proxyName = ({ host, port }: ProxyServer): string => hostAndPort(host, port)

/** What of its address nobody may read. */
export const proxySecrets = (text: string): string[] => {
  const url = URL.parse(text.trim())
  const { user, password } = url === null ? { user: '', password: '' } : proxyCredentials(url)
  // A user without a password may be a token.
  return password === '' ? [user] : [password, `${user}:${password}`]
}
