/** What is wrong now, worst first: since when, and why. What waits, what was missed and what could not be delivered. */

import { alertStateDoc } from '../../alerting/engine/alert-state-doc.ts'
import { listAlertNotifications } from '../../alerting/notifications/routes.ts'
import { newestFinal } from '../../insight/result-pages/queries.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { listPrivateLocations } from '../../monitoring/locations/routes.ts'
import type { PrivateLocation } from '../../monitoring/locations/schema.ts'
import { listMissedRuns } from '../../monitoring/results/missed/routes.ts'
import { resultDoc } from '../../monitoring/results/result-doc.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { cut, withoutCredentials } from '../../platform/web/html/section.ts'
import { counted, duration } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { channelName } from './forms/choices.ts'
import { dashboardPage } from './frame.ts'
import { actionLink } from './operations.ts'
import {
  actionButton,
  agoOf,
  card,
  linkButton,
  type State,
  stateMark,
  stateWord,
  table,
  toneOf,
} from './parts.ts'
import { alertStatesOf, checksInState, countByActivation, countStates } from './queries.ts'
import type { RequestContext } from './request-context.ts'

const maxUnwell = 40
/** What alerting has judged knows its reason; of so many others the newest result is looked at. */
const maxQuestions = 8
const dayMs = 86_400_000

type Unwell = {
  id: string
  name: string
  type: string
  state: State
  since: number | null
  location: string | null
  lastRunAt: number
  reason: string
}

export const nowPage = async (context: RequestContext): Promise<Reply<string>> => {
  const [counts, unwell, locations] = [
    await readCounts(context),
    await readUnwell(context),
    (await context.call(listPrivateLocations, {})).body,
  ]
  return dashboardPage(context, {
    title: 'Now',
    section: '/app',
    isLive: true,
    ...(context.can('READ_WRITE') ? { actions: linkButton('/app/checks/new', 'New check', 'main') } : {}),
    content: [
      countList(counts),
      counts.total === 0 ? firstSteps(context, locations) : unwellCard(unwell, counts, context.now),
      locationCard(locations, context.now),
      html`<div class="cols">${await missedCard(context)}${await undeliveredCard(context)}</div>`,
    ],
  })
}

type Counts = { [S in State]?: number } & { total: number; stopped: number }

const readCounts = async ({ app, principal: { accountId } }: RequestContext): Promise<Counts> => {
  const states = await app.db.all(countStates, { accountId })
  const byActivation = await app.db.all(countByActivation, { accountId })
  const of = (isActive: boolean): number =>
    byActivation.find(({ activated }) => activated === isActive)?.total ?? 0
  return {
    ...Object.fromEntries(states.map(({ state, total }) => [state, total])),
    total: of(true) + of(false),
    stopped: of(false),
  }
}

const countList = (counts: Counts): Html =>
  html`<ul class="counts" id="counts" data-part>${(
    ['failing', 'degraded', 'unknown', 'passing'] as const
  ).map(
    (state) =>
      html`<li class="${(counts[state] ?? 0) > 0 ? toneOf(state) : ''}"><a href="/app/checks?state=${state}"><b>${(counts[state] ?? 0).toLocaleString('en')}</b><span>${stateWord(state)}</span></a></li>`,
  )}<li><a href="/app/checks?state=paused"><b>${counts.stopped.toLocaleString('en')}</b><span>Paused</span></a></li><li><a href="/app/checks"><b>${counts.total.toLocaleString('en')}</b><span>Checks in all</span></a></li></ul>`

const readUnwell = async ({ app, principal: { accountId } }: RequestContext): Promise<Unwell[]> => {
  const rows: Array<{
    id: string
    name: string
    type: string
    state: State
    last_started_at: number
    last_run_location: string | null
  }> = []
  for (const state of ['failing', 'degraded', 'unknown'] as const) {
    const limit = maxUnwell - rows.length
    if (limit > 0)
      rows.push(
        ...(await app.db.all(checksInState, { accountId, state, limit })).map((row) => ({ ...row, state })),
      )
  }
  const states = await app.db.all(alertStatesOf, { checkIds: rows.map(({ id }) => id) })
  const stateById = new Map(states.map(({ check_id, doc }) => [check_id, alertStateDoc.read(doc)]))
  const unwell: Unwell[] = []
  let asked = 0
  for (const { id, name, type, state, last_started_at, last_run_location } of rows) {
    const alerting = stateById.get(id)
    let reason = alerting?.last?.errorMessage ?? null
    if (reason === null && state !== 'unknown' && asked < maxQuestions) {
      asked += 1
      const newest = await newestFinal(app.db, id)
      reason = newest === undefined ? null : resultDoc.read(newest.doc).error
    }
    unwell.push({
      ...{ id, name, type, state, since: alerting?.state.changedAt ?? null },
      location: last_run_location,
      lastRunAt: last_started_at,
      reason: reason ?? '',
    })
  }
  return unwell
}

const unwellCard = (unwell: readonly Unwell[], counts: Counts, now: number): Html => {
  const all = (counts.failing ?? 0) + (counts.degraded ?? 0) + (counts.unknown ?? 0)
  if (unwell.length === 0)
    return card('Nothing is failing', html`<p class="empty">Every check that ran has passed.</p>`, 'unwell')
  return card(
    all > unwell.length
      ? `The latest ${unwell.length} of ${all.toLocaleString('en')} that are not well`
      : `${counted(all, 'check')} not well`,
    table<Unwell>(
      'Checks that are not well',
      [
        { label: 'State', cell: ({ state }) => stateMark(state) },
        { label: 'Check', kind: 'main', cell: checkCell },
        { label: 'Since', cell: ({ since }) => (since === null ? '' : duration(now - since)) },
        { label: 'Last run', cell: ({ lastRunAt }) => agoOf(lastRunAt, now) },
      ],
      unwell,
      '',
    ),
    'unwell',
  )
}

const checkCell = ({ id, name, type, reason, location, state }: Unwell): Content =>
  html`<a href="/app/checks/${id}">${name}</a> <span class="quiet">${kindOf(type).label}${location === null || location === '' ? null : html`, ${location}`}</span><p class="why">${
    state === 'unknown' && reason === ''
      ? 'Its newest run could not be made.'
      : cut(withoutCredentials(reason), 300)
  }</p>`

const locationCard = (locations: readonly PrivateLocation[], now: number): Html | null => {
  const without = locations.filter(({ agentCount }) => agentCount === 0)
  if (without.length === 0) return null
  return card(
    `${counted(without.length, 'location')} without an agent`,
    table<PrivateLocation>(
      'Locations without an agent',
      [
        {
          label: 'Location',
          kind: 'main',
          cell: ({ id, name }) => html`<a href="/app/locations/${id}">${name}</a>`,
        },
        { label: 'Last agent', cell: ({ lastSeen }) => (lastSeen === null ? 'never' : agoOf(lastSeen, now)) },
        {
          label: 'Checks wait since',
          cell: ({ unavailableSince }) => (unavailableSince === null ? '–' : agoOf(unavailableSince, now)),
        },
      ],
      without,
      '',
    ),
    'locations',
  )
}

const firstSteps = (context: RequestContext, locations: readonly PrivateLocation[]): Html =>
  card(
    'Where to begin',
    html`<ol class="plain"><li>${
      locations.some(({ agentCount }) => agentCount > 0)
        ? html`An agent is connected.`
        : html`Start an agent: it makes the runs. <a href="/app/locations">Locations</a> have its keys.`
    }</li><li>${context.can('READ_WRITE') ? html`<a href="/app/checks/new">Make the first check</a>: an address is enough.` : 'Somebody with the right to change makes the first check.'}</li><li>${context.can('READ_WRITE') ? html`<a href="/app/channels">Add a channel</a>, so that you are told when it fails.` : 'A channel tells people when it fails.'}</li><li><a href="/app/status-pages">Status pages</a> tell visitors how your services are.</li></ol>`,
  )

const missedCard = async (context: RequestContext): Promise<Html> => {
  const from = new Date(context.now - dayMs).toISOString()
  const { body } = await context.call(listMissedRuns, { query: { limit: 10, from } })
  return card(
    'Missed runs, last 24 hours',
    table(
      'Missed runs',
      [
        {
          label: 'Due',
          kind: 'main',
          cell: (each) => html`<a href="/app/checks/${each.checkId}">${agoOf(each.dueAt, context.now)}</a>`,
        },
        { label: 'Location', cell: ({ runLocation }) => runLocation },
        { label: 'Why', cell: ({ detail }) => cut(withoutCredentials(detail), 200) },
      ],
      body.entries,
      'None: every run was made when it was due.',
    ),
    'missed',
  )
}

const undeliveredCard = async (context: RequestContext): Promise<Html> => {
  const { body } = await context.call(listAlertNotifications, {
    query: { limit: 10, hasFailures: true },
  })
  return card(
    'Messages that did not arrive, last 24 hours',
    table(
      'Messages that did not arrive',
      [
        {
          label: 'Channel',
          kind: 'main',
          cell: ({ type, alertChannelId, notificationResult }) =>
            html`<a href="/app/channels/${alertChannelId}">${channelName({ id: alertChannelId, type })}</a><p class="why">${cut(withoutCredentials(notificationResult ?? ''), 200)}</p>`,
        },
        { label: 'Last try', cell: ({ timestamp }) => agoOf(timestamp, context.now) },
        {
          label: '',
          kind: 'act',
          cell: ({ id }) =>
            context.can('READ_WRITE')
              ? actionButton(
                  actionLink('POST /v1/alert-notifications/:id/resend', { id }, { back: '/app' }),
                  'Send again',
                )
              : null,
        },
      ],
      body,
      'None: everything was delivered.',
    ),
    'undelivered',
  )
}
