/** Runs as a list, each with a link to its page. Pure. */
import { verdictOf } from '../../insight/result-pages/verdict.ts'
import { type Html, html } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { milliseconds } from '../../platform/web/html/words.ts'
import { agoOf, table } from './parts.ts'

type Shown = {
  id: string
  checkId: string
  hasFailures: boolean
  hasErrors: boolean
  isDegraded: boolean
  isCancelled: boolean
  runLocation: string
  startedAt: string
  responseTime: number | null
  attempts: number
  error: string | null
  resultType: string | null
}

export const runsTable = (runs: readonly Shown[], now: number): Html =>
  table<Shown>(
    'Runs',
    [
      {
        label: 'Run',
        kind: 'main',
        cell: (run) => {
          const { word, sign, tone } = verdictOf(run)
          return html`<a href="/app/runs/${run.checkId}/${run.id}"><span class="state ${tone}"><i aria-hidden="true">${sign}</i>${word}</span></a>${
            run.resultType === 'ATTEMPT'
              ? html` <span class="quiet">attempt ${run.attempts + 1}, tried again</span>`
              : run.attempts > 0
                ? html` <span class="quiet">attempt ${run.attempts + 1}</span>`
                : null
          }${run.error === null ? null : html`<p class="why">${cut(withoutCredentials(run.error), 200)}</p>`}`
        },
      },
      { label: 'When', cell: ({ startedAt }) => agoOf(startedAt, now) },
      { label: 'Location', cell: ({ runLocation }) => runLocation },
      {
        label: 'Took',
        kind: 'num',
        cell: ({ responseTime }) => (responseTime === null ? '–' : milliseconds(responseTime)),
      },
    ],
    runs,
    'No runs yet.',
  )
