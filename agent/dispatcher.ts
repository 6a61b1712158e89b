import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import type { Config } from './config.ts'
import { trusted } from './io.ts'

const connectTimeoutMs = 10_000
const maxAnswerBytes = 64 * 1024 * 1024

/** Kept-alive connections for management traffic, through the operator's proxy where there is one. */
export const createDispatcher = ({
  proxy,
  extraCaCerts,
}: Pick<Config, 'proxy' | 'extraCaCerts'>): Dispatcher => {
  const tls = extraCaCerts === null ? {} : { ca: trusted(extraCaCerts) }
  const options: Agent.Options = {
    connect: { ...tls, timeout: connectTimeoutMs },
    maxResponseSize: maxAnswerBytes,
    keepAliveTimeout: 30_000,
    // Every call has a deadline of its own.
    headersTimeout: 0,
    bodyTimeout: 0,
  }
  if (proxy.http === null && proxy.https === null) return new Agent(options)
  return new EnvHttpProxyAgent({
    ...options,
    httpProxy: proxy.http ?? '',
    httpsProxy: proxy.https ?? '',
    noProxy: proxy.none ?? '',
    requestTls: tls,
    proxyTls: tls,
  })
}
