/** What is wrong now, worst first: since when, and why. What waits, what was missed and what could not be delivered. */

import { alertStateDoc } from '../../alerting/engine/alert-state-doc.ts'
import { newestFinal } from '../../insight/result-pages/queries.ts'
import { saidReason } from '../../insight/result-pages/said-reason.ts'
import { checksAfter, countChecks } from '../../monitoring/definitions/checks/list-queries.ts'
import { kindOf } from '../../monitoring/definitions/checks/types/index.ts'
import { listPrivateLocations } from '../../monitoring/locations/routes.ts'
import type { PrivateLocation } from '../../monitoring/locations/schema.ts'
import { listMissedRuns } from '../../monitoring/results/missed/routes.ts'
import { resultDoc } from '../../monitoring/results/result-doc.ts'
import { type Content, type Html, html } from '../../platform/web/html/html.ts'
import { count, number, say } from '../../platform/web/html/say.ts'
import { lasted } from '../../platform/web/html/words.ts'
import type { Reply } from '../../platform/web/http/route.ts'
import { type CheckCounts, countTiles, readCounts } from './check-counts.ts'
import { checkLinks, locationNames } from './check-links.ts'
import { channelChoices } from './forms/choices.ts'
import { dashboardPage } from './frame.ts'
import { agoOf, card, linkButton, type State, stateMark, table } from './parts.ts'
import { alertStatesOf, checksInState, silentChannels } from './queries.ts'
import type { RequestContext } from './request-context.ts'
import { undeliveredCard } from './undelivered-card.ts'
import { sayWord } from './words.ts'

const maxUnwell = 40
/** What alerting has judged knows its reason; of so many others the newest result is looked at. */
const maxQuestions = 8
const maxSilent = 10
const maxLocations = 5
const dayMs = 86_400_000

type Unwell = {
  id: string
  name: string
  type: string
  state: State
  since: number | null
  /** By its name. */
  location: Content
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
    title: say('Overview'),
    section: '/app',
    isLive: true,
    ...(context.can('READ_WRITE') ? { actions: linkButton('/app/checks/new', 'New check', 'main') } : {}),
    content: [
      countTiles(counts),
      counts.total === 0 ? firstSteps(context, locations) : unwellCard(unwell, counts, context.now),
      counts.total === 0 ? null : await untoldCard(context),
      locationCard(locations, context.now),
      html`<div class="cols">${await missedCard(context)}${await undeliveredCard(context)}</div>`,
    ],
  })
}

const readUnwell = async (context: RequestContext): Promise<Unwell[]> => {
  const { app, principal } = context
  const { accountId } = principal
  const names = await locationNames(context)
  const rows: Array<{
    id: string
    name: string
    type: string
    state: State
    last_started_at: number
    last_run_location: string | null
  }> = []
  for (const state of ['failing', 'degraded', 'stale', 'unknown'] as const) {
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
    if (reason === null && state !== 'unknown' && state !== 'stale' && asked < maxQuestions) {
      asked += 1
      const newest = await newestFinal(app.db, id)
      reason = newest === undefined ? null : resultDoc.read(newest.doc).error
    }
    unwell.push({
      ...{ id, name, type, state, since: alerting?.state.changedAt ?? null },
      location: last_run_location ? names(last_run_location) : null,
      lastRunAt: last_started_at,
      reason: reason ?? '',
    })
  }
  return unwell
}

const unwellCard = (unwell: readonly Unwell[], counts: CheckCounts, now: number): Html => {
  const all = counts.failing + counts.degraded + counts.stale + counts.unknown
  if (unwell.length === 0)
    return card('Nothing is failing', html`<p class="empty">Every check that ran has passed.</p>`, 'unwell')
  return card(
    all > unwell.length
      ? say('The latest {0} of {1} that are not well', unwell.length, number(all))
      : count(all, { one: '# check not well', other: '# checks not well' }),
    table<Unwell>(
      'Checks that are not well',
      [
        { label: 'State', cell: ({ state }) => stateMark(state) },
        { label: 'Check', kind: 'main', cell: checkCell },
        { label: 'Since', cell: ({ since }) => (since === null ? '' : lasted(now - since)) },
        { label: 'Last run', cell: ({ lastRunAt }) => agoOf(lastRunAt, now) },
      ],
      unwell,
      '',
    ),
    'unwell',
  )
}

const checkCell = ({ id, name, type, reason, location, state }: Unwell): Content =>
  html`<a href="/app/checks/${id}">${name}</a> <span class="quiet">${say(kindOf(type).label)}${location === null ? null : html`, ${location}`}</span><p class="why">${
    state === 'stale'
      ? say('No result since its last run.')
      : state === 'unknown' && reason === ''
        ? say('Its newest run could not be made.')
        : saidReason(reason, 300)
  }</p>`

/** Failures that nobody hears of, and would not hear of: the check or its group has no channel, or a channel has neither. */
const untoldCard = async (context: RequestContext): Promise<Html | null> => {
  const { app, principal } = context
  const { accountId } = principal
  const untold = { accountId, activated: true, isUntold: true }
  const total = await countChecks(app.db, untold)
  const silent = await app.db.all(silentChannels, { accountId, limit: maxSilent })
  if (total === 0 && silent.length === 0) return null
  const channels = silent.length === 0 ? [] : await channelChoices(context)
  const names = new Map(channels.map(({ value, label, said = label }) => [value, said]))
  const first = { after: undefined, limit: maxSilent }
  const failing = await checksAfter(app.db, { ...untold, status: 'failing' }, first)
  return card(
    'Nobody is told',
    html`${
      failing.length === 0
        ? null
        : html`<p><b>These are failing, and nobody is told:</b></p><ul class="plain">${failing.map(
            ({ id, name }) => html`<li><a href="/app/checks/${id}">${name}</a></li>`,
          )}</ul>`
    }${
      total === 0
        ? null
        : html`<p><a href="/app/checks?told=nobody">${count(total, { one: '# check would fail without a word', other: '# checks would fail without a word' })}</a>: no channel is subscribed. <a href="/app/silent">All that nobody would hear of, and why</a></p>`
    }${
      silent.length === 0
        ? null
        : html`<p>${count(silent.length, { one: 'Through this channel no check is told of', other: 'Through these channels no check is told of' })}: ${silent.map(
            ({ id }, position) =>
              html`${position === 0 ? null : ', '}<a href="/app/channels/${id}">${names.get(id) ?? say('no. {0}', id)}</a>`,
          )}.</p>`
    }`,
    'untold',
  )
}

/** Those that checks wait for come first. */
const waitingSince = ({ unavailableSince }: PrivateLocation): number =>
  unavailableSince === null ? Number.MAX_SAFE_INTEGER : Date.parse(unavailableSince)

const locationCard = (locations: readonly PrivateLocation[], now: number): Html | null => {
  const without = locations
    .filter(
      ({ agentCount, scalesToZero, unavailableSince }) =>
        agentCount === 0 && !(scalesToZero && unavailableSince === null),
    )
    .toSorted((a, b) => waitingSince(a) - waitingSince(b))
  if (without.length === 0) return null
  return card(
    count(without.length, { one: '# location without an agent', other: '# locations without an agent' }),
    html`${table<PrivateLocation>(
      'Locations without an agent',
      [
        {
          label: 'Location',
          kind: 'main',
          cell: ({ id, name }) => html`<a href="/app/locations/${id}">${name}</a>`,
        },
        {
          label: 'Last agent',
          cell: ({ lastSeen }) => (lastSeen === null ? say('never') : agoOf(lastSeen, now)),
        },
        {
          label: 'Checks wait since',
          cell: ({ unavailableSince }) => (unavailableSince === null ? '–' : agoOf(unavailableSince, now)),
        },
      ],
      without.slice(0, maxLocations),
      '',
    )}${without.length > maxLocations ? html`<p><a href="/app/locations">${say('{0} more', without.length - maxLocations)}</a></p>` : null}`,
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
    }</li><li>${context.can('READ_WRITE') ? html`<a href="/app/checks/new">Make the first check</a>: an address is enough.` : say('Somebody with the right to change makes the first check.')}</li><li>${context.can('READ_WRITE') ? html`<a href="/app/channels">Add a channel</a>, so that you are told when it fails.` : say('A channel tells people when it fails.')}</li><li><a href="/app/status-pages">Status pages</a> tell visitors how your services are.</li></ol>`,
  )

const missedCard = async (context: RequestContext): Promise<Html> => {
  const from = new Date(context.now - dayMs).toISOString()
  const { body } = await context.call(listMissedRuns, { query: { limit: 10, from } })
  const linkTo = await checkLinks(context, body.entries)
  return card(
    'Missed runs, last 24 hours',
    table(
      'Missed runs',
      [
        { label: 'Check', kind: 'main', cell: ({ checkId }) => linkTo(checkId) },
        { label: 'Due', cell: ({ dueAt }) => agoOf(dueAt, context.now) },
        { label: 'Location', cell: ({ runLocation }) => runLocation },
        { label: 'Why', cell: ({ reason }) => sayWord(reason, 'reason') },
      ],
      body.entries,
      'None: every run was made when it was due.',
    ),
    'missed',
  )
}
