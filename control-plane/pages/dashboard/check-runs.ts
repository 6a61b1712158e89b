/** The runs of a check, by outcome, location and time: all of it in the address, so that it works without scripts and can be passed on. */
import { listMissedRuns } from '../../monitoring/results/missed/routes.ts'
import type { MissedRun } from '../../monitoring/results/missed/schema.ts'
import { listCheckResults } from '../../monitoring/results/routes.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import type { LocationNames } from './check-links.ts'
import { clock, table } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { runsTable, type ShownRun } from './runs-table.ts'

const outcomes = {
  all: { word: 'All', filter: {} },
  failed: { word: 'Failed', filter: { hasFailures: true } },
  degraded: { word: 'Degraded', filter: { isDegraded: true } },
  errors: { word: 'Could not run', filter: { hasErrors: true } },
  missed: { word: 'Missed', filter: {} },
} as const
type Outcome = keyof typeof outcomes

const perPage = 20
const mostAttempts = 100
/** Longer than all attempts of a run with the waits between them take (definitions/checks/retry-strategy.ts). */
const attemptsMs = 2 * 3_600_000
/** What no index finds is looked for in the latest days, unless a time is asked for. */
const searchedMs = 7 * 86_400_000

type Asked = { outcome: Outcome; location: string; from: string; to: string; nextId: string }

const askedOf = (context: RequestContext): Asked => {
  const outcome = textOf(context, 'outcome')
  return {
    outcome: Object.hasOwn(outcomes, outcome) ? (outcome as Outcome) : 'all',
    location: textOf(context, 'location').slice(0, 64),
    from: instantOf(textOf(context, 'from')),
    to: instantOf(textOf(context, 'to')),
    nextId: textOf(context, 'results'),
  }
}

/** Fields of a form have no zone and mean UTC; nonsense asks for nothing. */
const instantOf = (text: string): string => {
  const [, instant] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z?$/.exec(text) ?? []
  const at = instant === undefined ? Number.NaN : Date.parse(`${instant}Z`)
  return at > 0 ? new Date(at).toISOString() : ''
}

type Shown = { checkId: string; names: LocationNames; locations: readonly string[]; range: string }

export const runsCard = async (context: RequestContext, shown: Shown): Promise<Html> => {
  const asked = askedOf(context)
  const list =
    asked.outcome === 'missed' ? await missedRuns(context, shown, asked) : await runs(context, shown, asked)
  return html`<section class="card" id="results" data-part><div class="bar-of"><h2>Runs</h2>${outcomeLinks(shown, asked)}</div>
${filterForm(shown, asked)}${exportLink(shown, asked)}${list.content}${
  list.nextId === null
    ? null
    : html`<p class="pager"><a class="button second" rel="next" href="${addressOf(shown, { ...asked, nextId: list.nextId })}">Older runs</a></p>`
}</section>`
}

const addressOf = ({ checkId, range }: Shown, { outcome, nextId, ...rest }: Asked): string => {
  const query = new URLSearchParams()
  const fields = {
    range: range === 'day' ? '' : range,
    outcome: outcome === 'all' ? '' : outcome,
    ...rest,
    results: nextId,
  }
  for (const [name, value] of Object.entries(fields)) if (value !== '') query.set(name, value)
  return `/app/checks/${checkId}?${query}#results`
}

/** Missed runs are no results. */
const exportLink = ({ checkId }: Shown, { outcome, location, from, to }: Asked): Html | null => {
  if (outcome === 'missed') return null
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries({ outcome, location, from, to }))
    if (value !== '' && value !== 'all') query.set(name, value)
  return html`<p class="export"><a href="/app/checks/${checkId}/runs.csv?${query.toString()}">These runs as CSV</a></p>`
}

const outcomeLinks = (shown: Shown, asked: Asked): Html =>
  html`<nav class="segments" aria-label="Outcome">${(Object.keys(outcomes) as Outcome[]).map(
    (outcome) =>
      html`<a href="${addressOf(shown, { ...asked, outcome, nextId: '' })}"${outcome === asked.outcome ? html` aria-current="true"` : null}>${say(outcomes[outcome].word)}</a>`,
  )}</nav>`

const filterForm = (
  { checkId, range, locations, names }: Shown,
  { outcome, location, from, to }: Asked,
): Html => {
  const choices = [...new Set([...locations, ...(location === '' ? [] : [location])])]
  return html`<form class="filters" method="get" action="/app/checks/${checkId}#results"><input type="hidden" name="range" value="${range}"><input type="hidden" name="outcome" value="${outcome}"><label>Location<select name="location"><option value="">All</option>${choices.map(
    (each) =>
      html`<option value="${each}"${each === location ? html` selected` : null}>${names(each)}</option>`,
  )}</select></label><label>From (UTC)<input type="datetime-local" name="from" value="${from.slice(0, 16)}"></label><label>Until (UTC)<input type="datetime-local" name="to" value="${to.slice(0, 16)}"></label><button class="second">Show</button>${
    location === '' && from === '' && to === ''
      ? null
      : html`<a class="button second" href="/app/checks/${checkId}?range=${range}&outcome=${outcome}#results">All times and places</a>`
  }</form>`
}

type List = { content: Content; nextId: string | null }

const fields = [
  ...['id', 'checkId', 'sequenceId', 'hasFailures', 'hasErrors', 'isDegraded', 'isCancelled'],
  ...['runLocation', 'startedAt', 'responseTime', 'attempts', 'error'],
].join(',')

const bounds = ({ location, from, to, nextId }: Asked) => ({
  ...(location === '' ? {} : { location }),
  ...(from === '' ? {} : { from }),
  ...(to === '' ? {} : { to }),
  ...(nextId === '' ? {} : { nextId }),
})

const runs = async (context: RequestContext, { checkId, names }: Shown, asked: Asked): Promise<List> => {
  const isSearch = asked.from === '' && (asked.outcome === 'degraded' || asked.location !== '')
  const since = isSearch ? { from: new Date(context.now - searchedMs).toISOString() } : {}
  const query = { ...since, ...bounds(asked), ...outcomes[asked.outcome].filter, limit: perPage, fields }
  const { body } = await context.call(listCheckResults, { params: { checkId }, query })
  const attempts = await attemptsOf(context, checkId, body.entries)
  const isAll = asked.outcome === 'all' && Object.keys(bounds(asked)).length === 0
  return {
    content: runsTable(body.entries, {
      attemptsOf: ({ sequenceId }) => attempts.get(sequenceId) ?? [],
      names,
      empty: isAll ? 'No runs yet.' : isSearch ? 'No such runs in the last 7 days.' : 'No such runs.',
    }),
    nextId: body.nextId,
  }
}

/** Of the runs that were tried again: the attempts before, by the run that they belong to. */
const attemptsOf = async (
  context: RequestContext,
  checkId: string,
  entries: readonly ShownRun[],
): Promise<ReadonlyMap<string, ShownRun[]>> => {
  const tried = entries.filter(({ attempts }) => attempts > 0).map(({ startedAt }) => Date.parse(startedAt))
  if (tried.length === 0) return new Map()
  const { body } = await context.call(listCheckResults, {
    params: { checkId },
    query: {
      ...{ resultType: 'ATTEMPT', limit: mostAttempts, fields },
      from: new Date(Math.min(...tried) - attemptsMs).toISOString(),
      to: new Date(Math.max(...tried) + 1).toISOString(),
    },
  })
  return Map.groupBy<string, ShownRun>(body.entries, ({ sequenceId }) => sequenceId)
}

const missedRuns = async (
  context: RequestContext,
  { checkId, names }: Shown,
  asked: Asked,
): Promise<List> => {
  const { body } = await context.call(listMissedRuns, {
    query: { ...bounds(asked), checkId, limit: perPage },
  })
  return {
    content: table<MissedRun>(
      'Missed runs',
      [
        {
          label: 'Why',
          kind: 'main',
          cell: ({ detail }) =>
            html`<span class="state neutral"><i aria-hidden="true">–</i>Missed</span><p class="why">${cut(withoutCredentials(detail), 200)}</p>`,
        },
        { label: 'Due', isTime: true, cell: ({ dueAt }) => clock(Date.parse(dueAt), true) },
        { label: 'Location', cell: ({ runLocation }) => names(runLocation) },
      ],
      body.entries,
      'No missed runs.',
    ),
    nextId: body.nextId,
  }
}
