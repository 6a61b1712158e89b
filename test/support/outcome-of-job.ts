import { exampleOf } from '../../control-plane/platform/web/http/openapi/example-of.ts'
import { checkProtocols } from '../../protocol/checks/index.ts'
import type { Job } from '../../protocol/job.ts'
import type { Outcome } from '../../protocol/result.ts'

/** What an agent might say of a job, as far as its type declares it. */
export const outcomeOfJob = ({ checkType }: Job, end: 'passing' | 'failing'): Outcome => {
  const { detail } = checkProtocols[checkType]
  if (detail === null) return { kind: 'could-not-run', reason: 'There is no browser here' }
  const failure = { code: 'ECONNREFUSED', message: 'The connection was refused', network: true }
  return {
    kind: 'observed',
    observation: {
      responseTime: 12.5,
      failure: end === 'failing' ? failure : null,
      assertions: [],
      degraded: false,
      metrics: { total: 12.5 },
      detail: detailOf(exampleOf(detail)),
    },
  }
}

type HttpDetail = { response?: { certificate?: object } & Record<string, unknown> }

/** A certificate that soon expires, where the type sees one. */
const detailOf = (detail: unknown): unknown => {
  const { response } = detail as HttpDetail
  if (!response?.certificate) return detail
  const certificate = { ...response.certificate, daysRemaining: 10 }
  return { ...(detail as object), response: { ...response, href: 'https://shop.example/', certificate } }
}
