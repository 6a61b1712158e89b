/** One check: how it does, what it did, whether it alerted and why, and what can be done with it. */

import type { CheckType } from '../../../protocol/check-type.ts'
import { explainAlert } from '../../insight/alert-explanations/routes.ts'
import { listErrorGroupsOfCheck } from '../../insight/error-groups/routes.ts'
import type { ErrorGroup } from '../../insight/error-groups/schema.ts'
import { changeAnyCheck } from '../../monitoring/definitions/checks/generic-routes.ts'
import { countChecks } from '../../monitoring/definitions/checks/list-queries.ts'
import { readCheck } from '../../monitoring/definitions/checks/routes.ts'
import { runWarnings } from '../../monitoring/definitions/checks/run-warnings.ts'
import type { Check } from '../../monitoring/definitions/checks/schema.ts'
import { checkKinds, kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { listCheckResults } from '../../monitoring/results/routes.ts'
import { readCheckStatus } from '../../monitoring/watches/check-statuses/routes.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { cut, factList, withoutCredentials } from '../../platform/web/html/section.ts'
import { counted, milliseconds } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { type Day, type Figures, type Range, ranges, readDays, readFigures } from './check-figures.ts'
import { explanationCard } from './explanation-card.ts'
import { optionLabel } from './forms/words.ts'
import { dashboardPage } from './frame.ts'
import { heartbeatCards } from './heartbeat-card.ts'
import { latencyChart, round } from './latency-chart.ts'
import { actionLink, textIn } from './operations.ts'
import { actionButton, agoOf, card, linkButton, stateMark, stateOf, table, tags } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { runsTable } from './runs-table.ts'

export const slugOf = (type: CheckType): string => type.toLowerCase().replaceAll('_', '')

export const checkPage = async (context: RequestContext): Promise<Reply<string>> => {
  const id = context.params['id'] ?? ''
  const { body: check } = await context.call(readCheck, { params: { id } })
  const type = check.checkType
  const isPinged = check.heartbeat !== undefined
  const { body: explanation } = await context.call(explainAlert, { params: { id } })
  const status = await statusOf(context, id)
  return dashboardPage(context, {
    title: check.name,
    section: '/app/checks',
    trail: [['/app/checks', 'Checks']],
    isLive: true,
    actions: actionsOf(context, check),
    content: html`<div data-ids="${id}">${await warningCard(context, check)}${headCard(context, check, status?.state)}
${isPinged ? await heartbeatCards(context, check) : await measuredCards(context, { id, type })}
<div class="cols">${explanationCard(context, id, explanation)}${await errorCard(context, id)}</div>
${isPinged ? null : await resultsCard(context, id)}</div>`,
  })
}

/** Of checks that are run: a heartbeat has no response time. */
const measuredCards = async (
  context: RequestContext,
  check: { id: string; type: CheckType },
): Promise<Content> => {
  const range = rangeOf(textOf(context, 'range'))
  return [
    daysCard(await readDays(context, check)),
    figuresCard(await readFigures(context, check, range), { id: check.id, range }),
  ]
}

/** What keeps it from running, or from telling anybody. */
const warningCard = async (context: RequestContext, check: Check): Promise<Html | null> => {
  const { app, principal, now } = context
  const { id, checkType: type, activated, groupId } = check
  const { accountId } = principal
  if (!activated) return null
  const written = { id, account_id: accountId, type, activated, group_id: groupId }
  const warnings = await runWarnings(app.db, written, now)
  const isUntold = (await countChecks(app.db, { accountId, checkId: id, isUntold: true })) > 0
  const sentences = [
    ...warnings.map(({ message }) => html`<li>${message}</li>`),
    ...(isUntold
      ? [
          html`<li>Nobody is told when it fails: no alert channel is subscribed to it. <a href="/app/channels">Alert channels</a></li>`,
        ]
      : []),
  ]
  if (sentences.length === 0) return null
  return html`<section class="card degraded problem" id="warnings" data-part><ul class="plain">${sentences}</ul></section>`
}

const rangeOf = (text: string): Range => (Object.hasOwn(ranges, text) ? (text as Range) : 'day')

const statusOf = async (context: RequestContext, checkId: string): Promise<{ state: string } | null> => {
  try {
    return (await context.call(readCheckStatus, { params: { checkId } })).body
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

const actionsOf = (context: RequestContext, check: Check): Content => {
  const back = `/app/checks/${check.id}`
  const type = check.checkType
  const change = actionLink(`PUT /v1/checks/${slugOf(type)}/:id`, { id: check.id }, { back })
  const toggle = (name: string, value: boolean, word: string): Html =>
    actionButton(`${back}/set`, word, { name, value: String(value) })
  return [
    context.can('READ_RUN') && checkKinds[type].scheduled && check.activated
      ? actionButton('/app/checks/bulk', 'Run now', { 'checkIds[]': check.id, _do: 'run' }, 'main')
      : null,
    ...(context.can('READ_WRITE')
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

const headCard = (context: RequestContext, check: Check, state: string | undefined): Html => {
  const target = ['url', 'hostname', 'query'].map((name) => textIn(check.request, name)).find(Boolean)
  return card(
    '',
    html`<p>${stateMark(check.activated ? stateOf(state) : 'paused')}${check.muted ? html` <span class="tag">muted</span>` : null} <span class="quiet">${kindOf(check.checkType).label}</span></p>${factList(
      [
        ['What', target === undefined ? null : cut(withoutCredentials(target), 300), 'wide'],
        ['Description', check.description ?? null, 'wide'],
        [
          'How often',
          check.frequency === undefined || !checkKinds[check.checkType].scheduled ? null : frequencyOf(check),
        ],
        ['Locations', [...(check.privateLocations ?? []), ...(check.locations ?? [])].join(', ')],
        [
          'Group',
          check.groupId === null
            ? null
            : html`<a href="/app/checks?group=${check.groupId}">no. ${check.groupId}</a>`,
        ],
        ['Tags', check.tags.length === 0 ? null : tags(check.tags)],
        ['Changed', agoOf(check.updated_at ?? check.created_at, context.now)],
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

const figuresCard = ({ points, locations }: Figures, { id, range }: { id: string; range: Range }): Html =>
  card(
    'Response time',
    html`<p>${(Object.keys(ranges) as Range[]).map((name) =>
      name === range
        ? html`<b aria-current="true">${ranges[name].word}</b> `
        : html`<a href="/app/checks/${id}?range=${name}">${ranges[name].word}</a> `,
    )}</p>${latencyChart(points)}${
      locations.length < 1
        ? null
        : html`<h3>By location</h3>${table<Figures['locations'][number]>(
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
            locations,
            '',
          )}`
    }`,
    'figures',
  )

const errorCard = async (context: RequestContext, checkId: string): Promise<Html> => {
  const { body } = await context.call(listErrorGroupsOfCheck, {
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
            html`<a href="/app/errors/${group.id}">${cut(withoutCredentials(group.cleanedErrorMessage), 160)}</a>`,
        },
        { label: 'Last seen', cell: (group) => agoOf(group.lastSeen, context.now) },
      ],
      body,
      'None.',
    ),
    'errors',
  )
}

const resultsCard = async (context: RequestContext, checkId: string): Promise<Html> => {
  const nextId = textOf(context, 'results')
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
  const { body } = await context.call(listCheckResults, {
    params: { checkId },
    query: { limit: 25, resultType: 'ALL', fields: fields.join(','), ...(nextId === '' ? {} : { nextId }) },
  })
  return card(
    'Latest runs, with their attempts',
    html`${runsTable(body.entries, context.now)}${body.nextId === null ? null : html`<p class="pager"><a class="button second" href="/app/checks/${checkId}?results=${encodeURIComponent(body.nextId)}#results">Older runs</a></p>`}`,
    'results',
  )
}

/** Pause, resume, mute and unmute from the check's page. */
export const setCheck = async (context: RequestContext): Promise<boolean> => {
  const { name, value } = context.body as { name?: string; value?: string }
  if (name !== 'activated' && name !== 'muted')
    throw new ApiError(400, 'Only `activated` and `muted` are set in this way')
  await context.call(changeAnyCheck, {
    params: { id: context.params['id'] ?? '' },
    body: { [name]: value === 'true' },
  })
  return true
}
