/**
 * The registry of check types that an agent can run: a line each. `spec` is what the job carries, `detail` what the
 * observation carries, and `resultProperty` the property of a check result (contract: "Check result") that shows it.
 */
import type { TSchema } from 'typebox'
import type { CheckType } from '../check-type.ts'
import { ApiSpec } from './api.ts'
import { DnsSpec } from './dns.ts'
import { DnsCheckResult } from './dns-result.ts'
import { HttpCheckResult } from './http-result.ts'
import { IcmpSpec } from './icmp.ts'
import { IcmpCheckResult } from './icmp-result.ts'
import { TcpSpec } from './tcp.ts'
import { TcpCheckResult } from './tcp-result.ts'
import { UrlSpec } from './url.ts'

export type CheckProtocol = { spec: TSchema; detail: TSchema; resultProperty: string }

export const checkProtocols: Partial<Record<CheckType, CheckProtocol>> = {
  URL: { spec: UrlSpec, detail: HttpCheckResult, resultProperty: 'apiCheckResult' },
  TCP: { spec: TcpSpec, detail: TcpCheckResult, resultProperty: 'tcpCheckResult' },
  DNS: { spec: DnsSpec, detail: DnsCheckResult, resultProperty: 'dnsCheckResult' },
  API: { spec: ApiSpec, detail: HttpCheckResult, resultProperty: 'apiCheckResult' },
  ICMP: { spec: IcmpSpec, detail: IcmpCheckResult, resultProperty: 'icmpCheckResult' },
}
