/** The registry of runners: a line for each check type that this agent can run. */
import type { CheckType } from '../../protocol/check-type.ts'
import type { BrowserStatus } from '../browser/try-browser.ts'
import { type AgenticIo, agenticRunner } from './agentic.ts'
import { type ApiIo, apiRunner } from './api.ts'
import { browserRunner, multiStepRunner } from './browser.ts'
import { dnsRunner } from './dns.ts'
import { grpcRunner } from './grpc.ts'
import { icmpRunner } from './icmp.ts'
import { playwrightRunner, type SuiteIo } from './playwright.ts'
import type { Runner } from './runner.ts'
import { type SslIo, sslRunner } from './ssl.ts'
import { tcpRunner } from './tcp.ts'
import { type TracerouteIo, tracerouteRunner } from './traceroute.ts'
import { urlRunner } from './url.ts'

/** What the runners need together. */
export type CheckIo = ApiIo & SslIo & TracerouteIo & SuiteIo & AgenticIo

export const runners: Partial<Record<CheckType, Runner<CheckIo>>> = {
  URL: urlRunner,
  API: apiRunner,
  TCP: tcpRunner,
  SSL: sslRunner,
  GRPC: grpcRunner,
  ICMP: icmpRunner,
  TRACEROUTE: tracerouteRunner,
  DNS: dnsRunner,
  BROWSER: browserRunner,
  MULTI_STEP: multiStepRunner,
  PLAYWRIGHT: playwrightRunner,
  AGENTIC: agenticRunner,
}

/** What this agent can run as far as it knows by now. */
export const offeredTypes = (io: CheckIo): CheckType[] =>
  (Object.keys(runners) as CheckType[]).filter((type) => runners[type]?.isAvailable?.(io) ?? true)

const startedBrowser: BrowserStatus = {
  ...{
    runtimes: [],
    library: true,
    kind: '',
    version: null,
    problem: null,
    videoError: null,
    wasLate: false,
  },
  chromium: { path: '', sandbox: false, videos: false, args: [] },
}

/** What it could run as well if its browser started: one is there that does not, or has not been tried yet. */
export const typesWithoutBrowser = (io: CheckIo): CheckType[] => {
  const known = io.browsers.known()
  if (known !== null && (known.kind === null || known.chromium !== null)) return []
  const offered = offeredTypes(io)
  const browsers = { ...io.browsers, known: () => startedBrowser }
  return offeredTypes({ ...io, browsers }).filter((type) => !offered.includes(type))
}
