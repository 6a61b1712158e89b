/** One check: how it does, what it did, whether it alerted and why, and what can be done with it. */
import type { CheckType } from '../../../protocol/check-type.ts'
import type { AlertExplanation } from '../../insight/alert-explanations/schema.ts'
import { checkKinds, kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { cut, factList, withoutCredentials } from '../../platform/web/html/section.ts'
import { counted, duration, milliseconds } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { type Day, type Figures, type Range, ranges, readDays, readFigures } from './check-figures.ts'
import { optionLabel } from './forms/words.ts'
import { dashboardPage } from './frame.ts'
import { latencyChart, round } from './latency-chart.ts'
import { actionLink } from './operations.ts'
import { actionButton, agoOf, card, linkButton, stateMark, stateOf, table, tags } from './parts.ts'
import { runsTable, type Shown } from './runs-table.ts'
import { textOf, type Visit } from './visit.ts'

// biome-ignore lint/suspicious/noExplicitAny: checks of ten types
type Check = any

export const slugOf = (type: CheckType): string => type.toLowerCase().replaceAll('_', '')

export const checkPage = async (visit: Visit): Promise<Reply<string>> => {
  const id = visit.params['id'] ?? ''
  const { body: check }: { body: Check } = await visit.call('GET /v1/checks/:id', { params: { id } })
  const type = check.checkType as CheckType
  const range = rangeOf(textOf(visit, 'range'))
  const explanation: AlertExplanation = (
    await visit.call('GET /v1/checks/:id/alert-explanation', { params: { id } })
  ).body
  const status = await statusOf(visit, id)
  return dashboardPage(visit, {
    title: check.name,
    place: '/app/checks',
    trail: [['/app/checks', 'Checks']],
    isLive: true,
    actions: actionsOf(visit, check),
    content: html`<div data-ids="${id}">${headCard(visit, check, status?.state)}
${daysCard(await readDays(visit, { id, type }))}
${figuresCard(await readFigures(visit, { id, type }, range), { id, range })}
<div class="cols">${explanationCard(visit, id, explanation)}${await errorCard(visit, id)}</div>
${await resultsCard(visit, id)}</div>`,
  })
}

const rangeOf = (text: string): Range => (Object.hasOwn(ranges, text) ? (text as Range) : 'day')

const statusOf = async (visit: Visit, checkId: string): Promise<{ state: string } | null> => {
  try {
    return (await visit.call('GET /v1/check-statuses/:checkId', { params: { checkId } })).body
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const actionsOf = (visit: Visit, check: Check): Content => {
  const back = `/app/checks/${check.id}`
  const type = check.checkType as CheckType
  const change = actionLink(`PUT /v1/checks/${slugOf(type)}/:id`, { id: check.id }, { back })
  const toggle = (name: string, value: boolean, word: string): Html =>
    actionButton(`${back}/set`, word, { name, value: String(value) })
  return [
    visit.can('READ_RUN') && checkKinds[type].scheduled && check.activated
      ? actionButton('/app/checks/bulk', 'Run now', { 'checkIds[]': check.id, _do: 'run' }, 'main')
      : null,
    ...(visit.can('READ_WRITE')
      ? [
          linkButton(change, 'Edit'),
          check.activated ? toggle('activated', false, 'Pause') : toggle('activated', true, 'Resume'),
          check.muted ? toggle('muted', false, 'Unmute') : toggle('muted', true, 'Mute'),
          linkButton(
            actionLink('DELETE /v1/checks/:id', { id: check.id }, { back: '/app/checks' }),
            'Delete',
          ),
        ]
      : []),
  ]
}

const headCard = (visit: Visit, check: Check, state: string | undefined): Html => {
  const target = check.request?.url ?? check.request?.hostname ?? check.request?.query ?? null
  return card(
    '',
    html`<p>${stateMark(check.activated ? stateOf(state) : 'paused')}${check.muted ? html` <span class="tag">muted</span>` : null} <span class="quiet">${kindOf(check.checkType).label}</span></p>${factList(
      [
        ['What', target === null ? null : cut(withoutCredentials(String(target)), 300), 'wide'],
        ['Description', check.description ?? null, 'wide'],
        ['How often', check.frequency === null || check.frequency === undefined ? null : frequencyOf(check)],
        ['Locations', [...(check.privateLocations ?? []), ...(check.locations ?? [])].join(', ')],
        [
          'Group',
          check.groupId === null || check.groupId === undefined
            ? null
            : html`<a href="/app/checks?group=${check.groupId}">no. ${check.groupId}</a>`,
        ],
        ['Tags', (check.tags ?? []).length === 0 ? null : tags(check.tags)],
        ['Ping address', check.heartbeat?.pingUrl ?? null, 'wide'],
        ['Changed', agoOf(check.updated_at ?? check.created_at, visit.now)],
      ],
    )}`,
    'head',
  )
}

const frequencyOf = ({ frequency, frequencyOffset }: Check): string =>
  frequency === 0 ? `every ${frequencyOffset} seconds` : optionLabel('frequency', frequency)

const dayWords = (availability: number | null): readonly [tone: string, words: string] => {
  if (availability === null) return ['none', 'no runs']
  if (availability >= 100) return ['passing', 'all runs passed']
  return [availability >= 99 ? 'degraded' : 'failing', `${round(availability)} % of the runs passed`]
}

const daysCard = (days: readonly Day[]): Html => {
  const known = days.filter(({ availability }) => availability !== null)
  const mean =
    known.reduce((sum, { availability }) => sum + (availability ?? 0), 0) / Math.max(1, known.length)
  return card(
    `${days.length} days`,
    html`<ol class="days">${days.map(({ at, availability }) => {
      const [tone, words] = dayWords(availability)
      const day = new Date(at).toISOString().slice(0, 10)
      return html`<li class="d-${tone}" title="${day}: ${words}"><span class="hide">${day}: ${words}</span></li>`
    })}</ol><p class="quiet">${known.length === 0 ? 'No runs yet.' : `${round(mean)} % of the runs passed on average of ${counted(known.length, 'day')} with runs; the newest day is on the right.`}</p>`,
    'days',
  )
}

const figuresCard = ({ points, places }: Figures, { id, range }: { id: string; range: Range }): Html =>
  card(
    'Response time',
    html`<p>${(Object.keys(ranges) as Range[]).map((name) =>
      name === range
        ? html`<b aria-current="true">${ranges[name].word}</b> `
        : html`<a href="/app/checks/${id}?range=${name}">${ranges[name].word}</a> `,
    )}</p>${latencyChart(points)}${
      places.length < 1
        ? null
        : html`<h3>By location</h3>${table<Figures['places'][number]>(
            'By location',
            [
              { label: 'Location', kind: 'main', cell: ({ location }) => location },
              { label: 'p50', kind: 'num', cell: ({ p50 }) => (p50 === null ? '–' : milliseconds(p50)) },
              { label: 'p95', kind: 'num', cell: ({ p95 }) => (p95 === null ? '–' : milliseconds(p95)) },
              {
                label: 'Passed',
                kind: 'num',
                cell: ({ availability }) => (availability === null ? '–' : `${round(availability)} %`),
              },
            ],
            places,
            '',
          )}`
    }`,
    'figures',
  )

/** Sentences of the API name its routes; here is a page instead. */
const withoutPaths = (summary: string): Content => {
  const [before = '', after] = summary.split('GET /v1/missed-runs')
  return after === undefined
    ? summary
    : html`${before}<a href="/app">The page of what is wrong now</a>${after}`
}

/** An answer keeps back reminders; who was told of trouble may give one. */
const answerButtons = (visit: Visit, checkId: string, { told, response }: AlertExplanation): Content => {
  if (told === null || !visit.can('READ_RUN')) return null
  const to = (operation: string): string =>
    actionLink(operation, { checkId }, { back: `/app/checks/${checkId}` })
  const acknowledge = actionButton(to('POST /v1/check-alerts/:checkId/acknowledge'), 'Acknowledge')
  return html`<div class="buttons">${response?.action === 'ACKNOWLEDGED' ? null : acknowledge}${linkButton(to('POST /v1/check-alerts/:checkId/snooze'), 'Snooze')}${
    response === null
      ? null
      : actionButton(to('DELETE /v1/check-alerts/:checkId/response'), 'Take the answer back')
  }</div>`
}

const answerOf = ({ response }: AlertExplanation, now: number): Content =>
  response === null
    ? null
    : html`${response.action === 'ACKNOWLEDGED' ? 'Acknowledged' : 'Snoozed'} by ${response.by}, ${agoOf(response.at, now)}`

const explanationCard = (visit: Visit, checkId: string, explanation: AlertExplanation): Html => {
  const { now } = visit
  const {
    summary,
    rule,
    told,
    settings,
    channels,
    silencedBy,
    pausedBy,
    mutedBy,
    latestAlert,
    state,
    since,
  } = explanation
  return card(
    'Why did it alert, or not?',
    html`<p class="prose">${withoutPaths(summary)}</p>${answerButtons(visit, checkId, explanation)}${factList(
      [
        ['State', since === null ? state : `${state} for ${duration(now - Date.parse(since))}`],
        ['Rule', `${rule.text}: ${rule.met ? 'met' : 'not met'}`],
        ['Settings of', `the ${settings.from}`],
        ['Channels were told', told ?? 'that all is well'],
        ['Answer', answerOf(explanation, now)],
        ['Muted by', mutedBy],
        ['Silenced by', silencedBy.map(({ name }) => name).join(', ')],
        ['Paused by', pausedBy.map(({ name }) => name).join(', ')],
        [
          'Latest alert',
          latestAlert === null
            ? 'none'
            : html`${optionLabel('', latestAlert.alertType)}, ${agoOf(latestAlert.created_at, now)}`,
        ],
      ],
    )}${channels.length === 0 ? html`<p class="quiet">The account has no alert channel. <a href="/app/channels">Channels</a></p>` : html`<ul class="plain">${channels.slice(0, 20).map(({ type, alertChannelId, reason }) => html`<li><a href="/app/channels/${alertChannelId}">${optionLabel('', type)} no. ${alertChannelId}</a>: ${reason}</li>`)}</ul>`}`,
    'why',
  )
}

type ErrorGroup = {
  id: string
  cleanedErrorMessage?: string
  rawErrorMessage?: string
  lastSeen?: string
  last_seen?: string
}

const errorCard = async (visit: Visit, checkId: string): Promise<Html> => {
  const { body } = await visit.call('GET /v1/error-groups/checks/:checkId', {
    params: { checkId },
    query: { limit: 8 },
  })
  return card(
    'Errors that came again',
    table<ErrorGroup>(
      'Error groups',
      [
        {
          label: 'Error',
          kind: 'main',
          cell: (group) =>
            html`<a href="/app/errors/${group.id}">${cut(withoutCredentials(group.cleanedErrorMessage ?? group.rawErrorMessage ?? ''), 160)}</a>`,
        },
        { label: 'Last seen', cell: (group) => agoOf(group.lastSeen ?? group.last_seen, visit.now) },
      ],
      body,
      'None.',
    ),
    'errors',
  )
}

const resultsCard = async (visit: Visit, checkId: string): Promise<Html> => {
  const nextId = textOf(visit, 'results')
  const fields = [
    'id',
    'checkId',
    'hasFailures',
    'hasErrors',
    'isDegraded',
    'isCancelled',
    'runLocation',
    'startedAt',
    'responseTime',
    'attempts',
    'error',
    'resultType',
  ]
  const { body } = await visit.call('GET /v2/check-results/:checkId', {
    params: { checkId },
    query: { limit: 25, resultType: 'ALL', fields: fields.join(','), ...(nextId === '' ? {} : { nextId }) },
  })
  return card(
    'Latest runs, with their attempts',
    html`${runsTable(body.entries as Shown[], visit.now)}${body.nextId === null ? null : html`<p class="pager"><a class="button second" href="/app/checks/${checkId}?results=${encodeURIComponent(body.nextId)}#results">Older runs</a></p>`}`,
    'results',
  )
}

/** Pause, resume, mute and unmute from the check's page. */
export const setCheck = async (visit: Visit): Promise<boolean> => {
  const { name, value } = visit.body as { name?: string; value?: string }
  if (name !== 'activated' && name !== 'muted')
    throw new ApiError(400, 'Only `activated` and `muted` are set in this way')
  await visit.call('PUT /v1/checks/:id', {
    params: { id: visit.params['id'] ?? '' },
    body: { [name]: value === 'true' },
  })
  return true
}
