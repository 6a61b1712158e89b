/** The registry of check types: a line each. The closed list of types and all that is said of them follow from it. */
import { agenticProtocol } from './agentic.ts'
import { apiProtocol } from './api.ts'
import { browserProtocol } from './browser.ts'
import { type CheckProtocol, heartbeatProtocol } from './check-protocol.ts'
import { dnsProtocol } from './dns.ts'
import { icmpProtocol } from './icmp.ts'
import { multiStepProtocol } from './multi-step.ts'
import { playwrightProtocol } from './playwright.ts'
import { sslProtocol } from './ssl.ts'
import { tcpProtocol } from './tcp.ts'
import { urlProtocol } from './url.ts'

export const checkProtocols = {
  AGENTIC: agenticProtocol,
  API: apiProtocol,
  BROWSER: browserProtocol,
  HEARTBEAT: heartbeatProtocol,
  ICMP: icmpProtocol,
  MULTI_STEP: multiStepProtocol,
  TCP: tcpProtocol,
  PLAYWRIGHT: playwrightProtocol,
  URL: urlProtocol,
  DNS: dnsProtocol,
  SSL: sslProtocol,
} satisfies Record<string, CheckProtocol>
