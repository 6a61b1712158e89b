/** What the page of a heartbeat shows in place of response times: its timer, its pings, and how to send them. */

import type { Check } from '../../monitoring/definitions/checks/schema.ts'
import { durationMs, type TimeUnit } from '../../monitoring/schedule/heartbeat-timer.ts'
import {
  type HeartbeatEvent,
  type HeartbeatTimer,
  listHeartbeatEventsRoute,
  readHeartbeatTimer,
} from '../../monitoring/watches/heartbeats/routes.ts'
import { type Content, type Html, html, inLocale } from '../../platform/web/html/html.ts'
import type { Unit } from '../../platform/web/html/locale.ts'
import { count, say } from '../../platform/web/html/say.ts'
import { factList, folded } from '../../platform/web/html/section.ts'
import { percent } from '../../platform/web/html/words.ts'
import { textIn } from './operations.ts'
import { card, table, when } from './parts.ts'
import { type RequestContext, textOf } from './request-context.ts'
import { waysToPing } from './ways-to-ping.ts'

const eventsAtOnce = 10

/** @param check one whose answer has `heartbeat` */
export const heartbeatCards = async (context: RequestContext, check: Check): Promise<Content> => {
  const params = { checkId: check.id }
  const { body: timer } = await context.call(readHeartbeatTimer, { params })
  const before = textOf(context, 'before')
  const { body } = await context.call(listHeartbeatEventsRoute, {
    params,
    query: {
      limit: eventsAtOnce,
      startTime: new Date(0).toISOString(),
      ...(Date.parse(before) > 0 ? { endTime: new Date(before).toISOString() } : {}),
    },
  })
  return body.map(({ events, stats }) => [
    timerCard(check, timer, { stats, now: context.now }),
    pingsCard(check.id, events, context.now),
    waysCard(check),
  ])
}

const everyUnit = {
  seconds: { one: 'every second', other: 'every # seconds' },
  minutes: { one: 'every minute', other: 'every # minutes' },
  hours: { one: 'every hour', other: 'every # hours' },
  days: { one: 'every day', other: 'every # days' },
}

const secondsOf = ({ heartbeat }: Check): number =>
  durationMs(Number(textIn(heartbeat, 'period')), textIn(heartbeat, 'periodUnit') as TimeUnit) / 1000

/** `every day`, `every 90 seconds` */
const everyPeriod = ({ heartbeat }: Check): Content =>
  count(Number(textIn(heartbeat, 'period')), everyUnit[textIn(heartbeat, 'periodUnit') as TimeUnit])

/** `1 day`, `90 seconds` */
const graceOf = ({ heartbeat }: Check): Content => {
  const unit = textIn(heartbeat, 'graceUnit').replace(/s$/, '') as Unit
  return inLocale((locale) => locale.span({ count: Number(textIn(heartbeat, 'grace')), unit }))
}

type Ratio = { successRatio: { currentPeriod: number | null } }
type Past = { stats: { last24Hours: Ratio; last7Days: Ratio }; now: number }

const sentenceOf = ({ activated }: Check, { state, expectedAt }: HeartbeatTimer, now: number): Content => {
  if (!activated) return say('It is paused: pings are answered, and none is expected or counted.')
  if (state === 'waiting')
    return say('No ping has come yet. The first one starts the clock; nothing is late before it.')
  if (state === 'failing') return say('No ping came in time. The next one ends the failure.')
  return expectedAt !== null && Date.parse(expectedAt) < now
    ? say('A ping is due. It fails if none comes within the grace.')
    : say('Pings come as they should.')
}

const timerCard = (check: Check, timer: HeartbeatTimer, { stats, now }: Past): Html => {
  const { state, lastPingAt, expectedAt, deadlineAt } = timer
  return card(
    'Heartbeat',
    html`<p class="prose">${sentenceOf(check, timer, now)}</p>${factList([
      ['Period', everyPeriod(check)],
      ['Grace', graceOf(check)],
      ['Last ping', when(lastPingAt, now)],
      ['Next ping due', expectedAt === null ? say('none is expected') : when(expectedAt, now)],
      ['Fails without a ping', state === 'running' && deadlineAt !== null ? when(deadlineAt, now) : null],
      ['Came, in 24 hours', shareOf(stats.last24Hours)],
      ['Came, in 7 days', shareOf(stats.last7Days)],
    ])}`,
    'heartbeat',
  )
}

const shareOf = ({ successRatio: { currentPeriod } }: Ratio): Content =>
  currentPeriod === null ? say('no pings') : percent(currentPeriod)

const eventWords: {
  readonly [S in HeartbeatEvent['state']]: readonly [tone: string, sign: string, word: string]
} = {
  RECEIVED: ['passing', '✓', 'On time'],
  EARLY: ['passing', '✓', 'Early'],
  GRACE: ['degraded', '!', 'Within its grace'],
  LATE: ['degraded', '!', 'Late'],
  FAILING: ['failing', '✕', 'No ping came'],
}

const pingsCard = (checkId: string, events: readonly HeartbeatEvent[], now: number): Html => {
  const oldest = events.length < eventsAtOnce ? undefined : events.at(-1)?.timestamp
  return card(
    'Pings',
    html`${table<HeartbeatEvent>(
      'Pings',
      [
        {
          label: 'Ping',
          kind: 'main',
          cell: ({ id, state }) => {
            const [tone, sign, word] = eventWords[state]
            return html`<a href="/app/runs/${checkId}/${id}"><span class="state ${tone}"><i aria-hidden="true">${sign}</i>${say(word)}</span></a>`
          },
        },
        { label: 'When', cell: ({ timestamp }) => when(timestamp, now) },
        { label: 'From', cell: ({ source, userAgent }) => [source, userAgent].filter(Boolean).join(', ') },
      ],
      events,
      'No pings yet.',
    )}${oldest === undefined ? null : html`<p class="pager"><a class="button second" href="/app/checks/${checkId}?before=${encodeURIComponent(oldest)}#pings">Older pings</a></p>`}`,
    'pings',
  )
}

const waysCard = (check: Check): Html => {
  const url = textIn(check.heartbeat, 'pingUrl')
  const ways = waysToPing(url, secondsOf(check))
  return card(
    'Ways to ping',
    html`<p>GET or POST, without a key: whoever knows this address may ping.</p>${copied('Ping address', url)}${ways.map(
      ({ name, text, note }, position) =>
        folded(name, html`<p class="quiet">${say(note)}</p>${copied(name, text)}`, position === 0),
    )}`,
    'ways',
  )
}

/** One click marks all of it, also without a script. */
const copied = (label: string, text: string): Html =>
  html`<pre class="copied" tabindex="0" role="region" aria-label="${say(label)}">${text}</pre>`
