/** A run as attributes of metrics and spans. Pure. The names are explained in docs/monitoring/opentelemetry.md. */
import type { Attributes } from '@opentelemetry/api'
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_NETWORK_PEER_ADDRESS,
  ATTR_SERVER_ADDRESS,
  ATTR_URL_FULL,
} from '@opentelemetry/semantic-conventions'
import { type CheckType, protocolOf } from '../../../protocol/check-type.ts'
import { HttpCheckResult } from '../../../protocol/checks/http-result.ts'
import type { FinalResult } from '../../monitoring/outcomes/consequences.ts'
import { sessionRunStateOf } from '../../monitoring/outcomes/verdict.ts'

/** Of each series: they grow with checks and locations, never with runs. */
export const seriesAttributes = (run: FinalResult): Attributes => ({
  'watchpost.account.id': run.accountId,
  'watchpost.check.id': run.checkId,
  'watchpost.check.name': run.checkName,
  'watchpost.check.type': run.checkType,
  'watchpost.location': run.location,
  'watchpost.run.status': sessionRunStateOf(run.verdict),
})

/** Of the span of one run. */
export const spanAttributes = (run: FinalResult, resultUrl: string): Attributes => ({
  ...seriesAttributes(run),
  'watchpost.result.id': run.resultId,
  'watchpost.result.url': resultUrl,
  [ATTR_ERROR_TYPE]: errorTypeOf(run),
  ...requestAttributes(httpDetailOf(run)),
})

/** What a run of HTTP saw; null for all others, and where nothing is known of it. */
export const httpDetailOf = ({ checkType, detail }: FinalResult): HttpCheckResult | null =>
  protocolOf(checkType as CheckType).detail === HttpCheckResult ? (detail as HttpCheckResult | null) : null

const errorTypeOf = (run: FinalResult): string => {
  const status = httpDetailOf(run)?.response?.status
  if (run.verdict.hasErrors) return 'could_not_run'
  return status !== undefined && status >= 400 ? String(status) : '_OTHER'
}

/** A detail that was shortened has lost most of its parts. */
const requestAttributes = (detail: Partial<HttpCheckResult> | null): Attributes => {
  const { request, response } = detail ?? {}
  return {
    ...(request ? { [ATTR_HTTP_REQUEST_METHOD]: request.method, ...addressAttributes(request.url) } : {}),
    ...(response ? { [ATTR_HTTP_RESPONSE_STATUS_CODE]: response.status } : {}),
    ...(response?.remoteAddress ? { [ATTR_NETWORK_PEER_ADDRESS]: response.remoteAddress } : {}),
  }
}

const addressAttributes = (url: string): Attributes => ({
  [ATTR_URL_FULL]: url,
  [ATTR_SERVER_ADDRESS]: URL.parse(url)?.hostname,
})
