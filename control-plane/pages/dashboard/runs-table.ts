/** Runs as a list, each with a link to its page and its attempts folded. Pure. */
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { verdictOf } from '../../insight/result-pages/verdict.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { milliseconds } from '../../platform/web/html/words.ts'
import type { LocationNames } from './check-links.ts'
import { clock, table } from './parts.ts'

export type ShownRun = {
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
  sequenceId: string
}

type Look = {
  /** The attempts before the one that counts, as far as they are known. */
  attemptsOf?: (run: ShownRun) => readonly ShownRun[]
  names: LocationNames
  empty?: Content
}

export const runsTable = (
  runs: readonly ShownRun[],
  { attemptsOf = () => [], names, empty = 'No runs yet.' }: Look,
): Html =>
  table<ShownRun>(
    'Runs',
    [
      {
        label: 'Run',
        kind: 'main',
        cell: (run) =>
          html`${runLink(run)}${reason(run)}${earlier(
            run,
            attemptsOf(run).toSorted((a, b) => a.attempts - b.attempts),
          )}`,
      },
      {
        label: 'When',
        isTime: true,
        cell: ({ startedAt }) => clock(Date.parse(startedAt), true),
      },
      { label: 'Location', cell: ({ runLocation }) => names(runLocation) },
      { label: 'Took', kind: 'num', cell: took },
    ],
    runs,
    empty,
  )

const runLink = (run: ShownRun): Html => {
  const { word, sign, tone } = verdictOf(run)
  return html`<a href="/app/runs/${run.checkId}/${run.id}"><span class="state ${tone}"><i aria-hidden="true">${sign}</i>${say(word)}</span></a>`
}

const reason = ({ error }: ShownRun): Html | null =>
  error === null ? null : html`<p class="why" dir="auto">${saidReason(error, 200)}</p>`

const took = ({ responseTime, hasErrors, isCancelled }: ShownRun): Content =>
  responseTime === null || hasErrors || isCancelled ? '–' : milliseconds(responseTime)

const earlier = ({ attempts }: ShownRun, before: readonly ShownRun[]): Html | null => {
  if (attempts === 0) return null
  const all = count(attempts + 1, { one: '# attempt', other: '# attempts' })
  if (before.length === 0) return html` <span class="quiet">${all}</span>`
  return html`<details class="attempts-of"><summary>${all}</summary><ol>${before.map(
    (attempt) =>
      html`<li>${runLink(attempt)} <span class="quiet">${clock(Date.parse(attempt.startedAt), true)}, ${took(attempt)}</span>${reason(attempt)}</li>`,
  )}</ol></details>`
}
