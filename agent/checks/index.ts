/** The registry of runners: a line for each check type that this agent can run. */
import type { CheckType } from '../../protocol/check-type.ts'
import type { PingIo } from '../net/ping/open-ping.ts'
import { type AgenticIo, agenticRunner } from './agentic.ts'
import { type ApiIo, apiRunner } from './api.ts'
import { browserRunner, multiStepRunner } from './browser.ts'
import { dnsRunner } from './dns.ts'
import { icmpRunner } from './icmp.ts'
import { playwrightRunner, type SuiteIo } from './playwright.ts'
import type { Runner } from './runner.ts'
import { type SslIo, sslRunner } from './ssl.ts'
import { tcpRunner } from './tcp.ts'
import { urlRunner } from './url.ts'

/** What the runners need together. */
export type CheckIo = ApiIo & PingIo & SslIo & SuiteIo & AgenticIo

export const runners: Partial<Record<CheckType, Runner<CheckIo>>> = {
  URL: urlRunner,
  API: apiRunner,
  TCP: tcpRunner,
  SSL: sslRunner,
  ICMP: icmpRunner,
  DNS: dnsRunner,
  BROWSER: browserRunner,
  MULTI_STEP: multiStepRunner,
  PLAYWRIGHT: playwrightRunner,
  AGENTIC: agenticRunner,
}

/** What this agent can run as far as it knows by now. */
export const offeredTypes = (io: CheckIo): CheckType[] =>
  (Object.keys(runners) as CheckType[]).filter((type) => runners[type]?.isAvailable?.(io) ?? true)
