/** One check: how it does, what it did, whether it alerted and why, and what can be done with it. */

import type { CheckType } from '../../../protocol/check-type.ts'
import { listErrorGroupsOfCheck } from '../../insight/error-groups/routes.ts'
import type { ErrorGroup } from '../../insight/error-groups/schema.ts'
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { changeAnyCheck } from '../../monitoring/definitions/checks/generic-routes.ts'
import { readCheck } from '../../monitoring/definitions/checks/routes.ts'
import type { Check } from '../../monitoring/definitions/checks/schema.ts'
import { checkKinds, kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { say } from '../../platform/web/html/say.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { ApiError } from '../../platform/words/errors.ts'
import { runsCard } from './check-runs.ts'
import { type CheckState, readState } from './check-state.ts'
import { explanationCard } from './explanation-card.ts'
import { figuresCards, rangeOf } from './figures-cards.ts'
import { sayOption } from './forms/words.ts'
import { dashboardPage } from './frame.ts'
import { heartbeatCards } from './heartbeat-card.ts'
import { actionLink, textIn } from './operations.ts'
import { actionButton, agoOf, card, linkButton, table, tags } from './parts.ts'
import { nameOfGroup } from './queries.ts'
import type { RequestContext } from './request-context.ts'
import { stateCard } from './state-card.ts'

export const slugOf = (type: CheckType): string => type.toLowerCase().replaceAll('_', '')

export const checkPage = async (context: RequestContext): Promise<Reply<string>> => {
  const id = context.params['id'] ?? ''
  const { body: check } = await context.call(readCheck, { params: { id } })
  const facts = await readState(context, check)
  const group = check.groupId === null ? undefined : await groupOf(context, check.groupId)
  return dashboardPage(context, {
    title: check.name,
    section: '/app/checks',
    trail: [
      ['/app/checks', say('Checks')],
      ...(group === undefined ? [] : [[`/app/groups/${group.id}`, group.name] as const]),
    ],
    isLive: true,
    actions: actionsOf(context, check),
    content: html`<div data-ids="${id}">${subtitle(check, facts.names)}${stateCard(context, id, facts)}
${check.heartbeat === undefined ? await measuredCards(context, check, facts) : await heartbeatCards(context, check)}
<div class="cols">${explanationCard(facts.explained, facts.channelNames, context.now)}${await errorCard(context, id)}</div></div>`,
  })
}

/** Of checks that are run: a heartbeat has no response time. */
const measuredCards = async (context: RequestContext, check: Check, facts: CheckState): Promise<Content> => {
  const { id, checkType: type } = check
  const createdAt = Date.parse(check.created_at)
  const locations = [...new Set([...facts.places.all, ...locationsOf(check)])]
  return [
    await figuresCards(context, { id, type, createdAt }, facts),
    await runsCard(context, { checkId: id, names: facts.names, locations, range: rangeOf(context) }),
  ]
}

const groupOf = ({ app, principal: { accountId } }: RequestContext, id: number) =>
  app.db.get(nameOfGroup, { accountId, id })

const locationsOf = ({ privateLocations, locations }: Check): string[] => [
  ...(privateLocations ?? []),
  ...(locations ?? []),
]

const mostLocations = 4

/** What it is, in a line or two. */
const subtitle = (check: Check, names: CheckState['names']): Html => {
  const target = ['url', 'hostname', 'query'].map((name) => textIn(check.request, name)).find(Boolean)
  const isTimed = check.frequency !== undefined && checkKinds[check.checkType].scheduled
  const places = locationsOf(check)
  const more: Content[] =
    places.length > mostLocations ? [say('{0} more', places.length - mostLocations)] : []
  const named = [...places.slice(0, mostLocations).map(names), ...more]
  const facts = [
    say(kindOf(check.checkType).label),
    target === undefined ? '' : cut(withoutCredentials(target), 200),
    isTimed ? frequencyOf(check) : '',
    named.length === 0 ? '' : named.map((each, at) => [at === 0 ? '' : ', ', each]),
  ].filter((fact) => fact !== '')
  return html`<div class="under" id="about" data-part><p class="quiet">${facts.map((fact, position) => [position === 0 ? null : ' · ', html`<span dir="auto">${fact}</span>`])}</p>${check.muted || check.tags.length > 0 ? html`<p>${check.muted ? html`<span class="tag">muted</span>` : null}${tags(check.tags)}</p>` : null}${check.description ? html`<p class="quiet prose" dir="auto">${cut(check.description, 500)}</p>` : null}</div>`
}

const actionsOf = (context: RequestContext, check: Check): Content => {
  const back = `/app/checks/${check.id}`
  const type = check.checkType
  const change = actionLink(`PATCH /v1/checks/${slugOf(type)}/:id`, { id: check.id }, { back })
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

const frequencyOf = ({ frequency, frequencyOffset }: Check): Content =>
  frequency === 0 ? say('every {0} seconds', frequencyOffset ?? 0) : sayOption('frequency', frequency)

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
            html`<a href="/app/errors/${group.id}">${saidReason(group.cleanedErrorMessage, 160)}</a>`,
        },
        { label: 'Last seen', cell: (group) => agoOf(group.lastSeen, context.now) },
      ],
      body,
      'None.',
    ),
    'errors',
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
