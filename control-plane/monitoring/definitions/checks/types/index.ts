/** The registry of check types: a line each. Everything else about checks follows from the entries. */
import type { CheckType } from '../../../../../protocol/check-type.ts'
import { agentic } from './agentic.ts'
import { api } from './api.ts'
import { browser } from './browser.ts'
import type { CheckKind } from './check-kind.ts'
import type { AnswerFacts } from './detail-reader.ts'
import { dns } from './dns.ts'
import { heartbeat } from './heartbeat.ts'
import { icmp } from './icmp.ts'
import { multiStep } from './multi-step.ts'
import { playwright } from './playwright.ts'
import { ssl } from './ssl.ts'
import { tcp } from './tcp.ts'
import { url } from './url.ts'

export const checkKinds: Readonly<Record<CheckType, CheckKind>> = {
  URL: url,
  API: api,
  BROWSER: browser,
  MULTI_STEP: multiStep,
  PLAYWRIGHT: playwright,
  TCP: tcp,
  SSL: ssl,
  DNS: dns,
  ICMP: icmp,
  HEARTBEAT: heartbeat,
  AGENTIC: agentic,
}

/** Of a type as the store has it. */
export const kindOf = (type: string): CheckKind => checkKinds[type as CheckType]

const nothing: AnswerFacts = { status: null, certificate: null }

/** What alerts and statuses tell of a run's answer; `detail` is null where nothing was observed. */
export const answerOf = (type: string, detail: unknown): AnswerFacts =>
  (detail === null ? undefined : kindOf(type).detail?.answer?.(detail)) ?? nothing
