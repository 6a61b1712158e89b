import type { SecureContext } from 'node:tls'
import type { ProxyServer } from './proxy-server.ts'

/** Presented to this host and no other. `context` also trusts the authorities that came with it. */
type HostCertificate = { host: string; context: SecureContext }

/** How the traffic of a run leaves: through which proxy, and with which client certificate. */
export type EgressRoute = Readonly<{ proxy: ProxyServer | null; certificate: HostCertificate | null }>

/** No proxy and no client certificate. */
export const directRoute: EgressRoute = { proxy: null, certificate: null }

/** What a TLS connection to the host trusts and presents. */
export const secureContextFor = (
  { certificate }: EgressRoute,
  host: string,
  trust: SecureContext,
): SecureContext =>
  certificate !== null && host.toLowerCase().replace(/\.$/, '') === certificate.host
    ? certificate.context
    : trust
