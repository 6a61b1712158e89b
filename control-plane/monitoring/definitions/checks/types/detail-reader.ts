import type { Html } from '../../../../platform/web/html/html.ts'
import type { HttpFacts } from './http-facts.ts'

/** What alerts and statuses tell of an answer, where there was one. */
export type AnswerFacts = {
  status: { code: number; text: string } | null
  /** That the run saw; `host` is the one it was shown for. */
  certificate: { host: string | null; daysRemaining: number } | null
}

export type ResultFile = { type: string; name: string; url: string }

/** How others read what a run of the type saw (`detail` of its observation, which has the shape of protocol/checks). */
export type DetailReader<D> = {
  /** What the page of a result shows of it. `isBad`: the run failed or was degraded. */
  sections(detail: D, isBad: boolean): Array<Html | null>
  answer?(detail: D): AnswerFacts
  /** What an analysis is given of HTTP; null when no answer arrived. */
  http?(detail: D): HttpFacts | null
  /** The detail with the addresses of the run's files, where it names them. */
  withFiles?(detail: D, files: readonly ResultFile[]): D
}
