import { Agent, type Dispatcher, ProxyAgent } from 'undici'
import { proxyFor } from '../../protocol/networks/proxy.ts'
import { trustedAuthorities } from '../net/connect/certificate.ts'
import type { Config } from './config.ts'

const connectTimeoutMs = 10_000
const maxAnswerBytes = 64 * 1024 * 1024

type Settings = Pick<Config, 'controlPlaneUrl' | 'proxy' | 'extraCaCerts'>

/**
 * Kept-alive connections for all management traffic, through the operator's proxy where there is one: an https control
 * plane through a tunnel (CONNECT), an http one by asking the proxy for the whole address, as proxies without tunnels to
 * other ports than 443 expect. Credentials in the proxy's address are sent as Basic. Both families of an address are
 * tried at nearly the same time (RFC 8305).
 */
export const createDispatcher = ({ controlPlaneUrl, proxy, extraCaCerts }: Settings): Dispatcher => {
  const tls = extraCaCerts === null ? {} : { ca: trustedAuthorities(extraCaCerts) }
  const options: Agent.Options = {
    connect: { ...tls, timeout: connectTimeoutMs, autoSelectFamily: true },
    maxResponseSize: maxAnswerBytes,
    keepAliveTimeout: 30_000,
    // Every call has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  const uri = proxyFor(new URL(controlPlaneUrl), proxy)
  if (uri === null) return new Agent(options)
  return new ProxyAgent({ ...options, uri, proxyTunnel: false, requestTls: tls, proxyTls: tls })
}

/** Whom those connections are opened to. */
export const firstHop = ({
  controlPlaneUrl,
  proxy,
}: Omit<Settings, 'extraCaCerts'>): { host: string; port: number } => {
  const { protocol, hostname, port } = new URL(proxyFor(new URL(controlPlaneUrl), proxy) ?? controlPlaneUrl)
  const usual = protocol === 'https:' ? 443 : 80
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) }
}
