/** An operator's HTTP proxy: who leaves by it, with which credentials, and which answers are its own. Pure. */
import { isWithoutProxy } from './no-proxy.ts'

/** What HTTP_PROXY, HTTPS_PROXY and NO_PROXY say. */
export type ProxySettings = Readonly<{ http: string | null; https: string | null; none: string | null }>

export const noProxies: ProxySettings = Object.freeze({ http: null, https: null, none: null })

/** The proxy by which an address is reached; null: none. */
export const proxyFor = (url: URL, { http, https, none }: ProxySettings): string | null => {
  const uri = url.protocol === 'https:' ? https : http
  return uri === null || isWithoutProxy(url, none) ? null : uri
}

/** For agents of Node's own client, which SDKs bring; NO_PROXY is decided here all the same. */
export const proxyEnvFor = (url: URL, settings: ProxySettings): Record<string, string> => {
  const uri = proxyFor(url, settings)
  return uri === null ? {} : { [url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY']: uri }
}

/** Those in a proxy's address; both are empty where it has none. */
export const proxyCredentials = (url: URL): { user: string; password: string } => ({
  user: decoded(url.username),
  password: decoded(url.password),
})

/** The value of Proxy-Authorization. */
export const proxyAuthorization = (url: URL): string | null => {
  const { user, password } = proxyCredentials(url)
  if (user === '' && password === '') return null
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** A percent sign that encodes nothing is itself. */
const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })

/** tinyproxy says 401 where RFC 9110 section 15.5.8 wants 407. */
export const asksForCredentials = (status: number): boolean => status === 407 || status === 401

/** By which a proxy says that an answer is its own and not what it forwarded: Squid, RFC 9209 (an error), tinyproxy. */
export const markOfProxy = (headers: Readonly<Record<string, unknown>>): string | null => {
  const text = (name: string): string => String(headers[name] ?? '').slice(0, 100)
  if (text('x-squid-error') !== '') return text('x-squid-error')
  if (/;\s*error\s*=/.test(text('proxy-status'))) return text('proxy-status')
  return /^tinyproxy\//.test(text('server')) ? text('server') : null
}
