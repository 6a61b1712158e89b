import { type Static, Type } from 'typebox'
import { headerText } from '../../../../protocol/header-text.ts'
import type { App } from '../../../platform/app/app.ts'
import { type Asker, longRead } from '../../../platform/long-reads/long-read.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import { linkPreviews as bots } from '../../../platform/web/http/limits/client-address.ts'
import { type Route, route } from '../../../platform/web/http/route.ts'
import { ApiError, notFound } from '../../../platform/words/errors.ts'
import {
  InstantParameter,
  parseInstant,
  toIso,
  toIsoOrNull,
} from '../../../platform/words/shapes/instants.ts'
import { nullable } from '../../../platform/words/shapes/nullable.ts'
import { findCheck } from '../../definitions/checks/queries.ts'
import type { HasFinishedRuns } from '../../outcomes/finished-runs.ts'
import { resultDoc } from '../../results/result-doc.ts'
import { findResultById } from '../../results/stored/find-results.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'
import { findTimer } from '../../schedule/heartbeat-queries.ts'
import { type EventState, eventStates, type TimerState, timerStates } from '../../schedule/heartbeat-timer.ts'
import { availability } from './availability.ts'
import { pingBatcher } from './ping-batcher.ts'
import { listHeartbeatEvents } from './queries.ts'

const tag = 'Heartbeats'
const dayMs = 86_400_000
const exampleCheck = '6f0c3f1e-8f0b-4c55-9a3e-2a3d1d2f4b11'
const CheckId = Type.Object({ checkId: Type.String({ format: 'uuid' }) })
const DateTime = Type.String({ format: 'date-time' })

const maxStoredText = 512

const Availability = Type.Object(
  {
    successRatio: Type.Object({
      previousPeriod: nullable(Type.Number()),
      currentPeriod: nullable(Type.Number()),
    }),
    totalEntitiesCurrentPeriod: Type.Integer({ minimum: 0 }),
  },
  { title: 'HeartbeatAvailability' },
)

const HeartbeatEvent = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    state: Type.Enum([...eventStates]),
    timestamp: DateTime,
    source: nullable(Type.String()),
    userAgent: nullable(Type.String()),
  },
  { title: 'HeartbeatEvent' },
)
export type HeartbeatEvent = Static<typeof HeartbeatEvent>

const HeartbeatTimer = Type.Object(
  {
    state: Type.Enum([...timerStates], {
      description: '`waiting` for the first ping, `running`, or `failing` until the next ping',
    }),
    lastPingAt: nullable(DateTime),
    expectedAt: nullable(DateTime, { description: 'When the next ping is due; null while none is expected' }),
    deadlineAt: nullable(DateTime, { description: 'When the grace of that ping is over' }),
  },
  { title: 'HeartbeatTimer' },
)
export type HeartbeatTimer = Static<typeof HeartbeatTimer>

const Stats = Type.Object({ last24Hours: Availability, last7Days: Availability }, { title: 'HeartbeatStats' })

const Period = {
  startTime: Type.Optional(InstantParameter),
  endTime: Type.Optional(InstantParameter),
}

const ping = (method: 'GET' | 'POST') =>
  route({
    method,
    path: '/ping/:token',
    access: 'PUBLIC',
    tag,
    summary: 'Ping a heartbeat check',
    description:
      'Whoever knows the address may ping; HEAD works as GET. A deactivated check answers and counts nothing. The body is ignored.',
    params: Type.Object({ token: Type.String({ format: 'uuid' }) }),
    status: 200,
    otherStatuses: {
      403: 'Link previews and search engines are not counted',
      404: 'No check has this address',
    },
    response: Type.Object(
      { ok: Type.Boolean(), state: nullable(Type.Enum([...eventStates])) },
      { title: 'PingAnswer' },
    ),
    rateLimit: { requests: 600_000, seconds: 60 },
    short: true,
    example: {
      params: { token: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' },
      response: { ok: true, state: 'RECEIVED' },
    },
    handle: async ({ params, headers }, app: App & HasFinishedRuns & HasWakeups) => {
      const userAgent = headers['user-agent'] ?? ''
      if (bots.test(userAgent)) throw new ApiError(403, 'Link previews do not count as pings')
      const token = params.token.toLowerCase()
      const taken = await pingBatcher(app).take({
        token,
        now: app.clock.now(),
        id: app.newId(),
        source: stored(headers.origin ?? headers.referer),
        userAgent: stored(userAgent),
      })
      if (!taken) throw notFound()
      for (const name of taken.wake) app.wakeups.wake(name)
      return answerOf(taken.state)
    },
  })

/** Frozen: the text of each is made once (web/http/server/endpoint.ts). */
const answers = [null, ...eventStates].map((state) => Object.freeze({ ok: true, state }))

const answerOf = (state: EventState | null) =>
  answers.find((answer) => answer.state === state) ?? { ok: true, state }

/** Header values have any content; what is kept is short and printable, and no half of a character. */
const stored = (value: string | undefined): string | null => {
  const printable = headerText(value ?? '').replace(/[\p{Cc}\p{Cs}\u2028\u2029]/gu, '')
  const start = printable.slice(0, maxStoredText).replace(/[\ud800-\udbff]$/, '')
  return start === '' ? null : start
}

/** Also what the page of a heartbeat is made of. */
export const readHeartbeatTimer = route({
  method: 'GET',
  path: '/v1/checks/heartbeats/:checkId/timer',
  access: 'READ_ONLY',
  tag,
  summary: 'When a heartbeat check was last pinged, and when its next ping is due',
  description: 'Nothing is expected before the first ping, nor while the check is deactivated.',
  params: CheckId,
  status: 200,
  response: HeartbeatTimer,
  example: { params: { checkId: exampleCheck } },
  handle: async ({ params, principal: { accountId } }, app) => {
    await requireHeartbeat(app, accountId, params.checkId)
    const row = await app.db.get(findTimer, params)
    if (row === undefined) throw notFound()
    return {
      state: row.state as TimerState,
      lastPingAt: toIsoOrNull(row.last_ping_at),
      expectedAt: toIsoOrNull(row.expected_at),
      deadlineAt: toIsoOrNull(row.deadline_at),
    }
  },
})

export const listHeartbeatEventsRoute = route({
  method: 'GET',
  path: '/v1/checks/heartbeats/:checkId/events',
  access: 'READ_ONLY',
  tag,
  summary: 'The latest events of a heartbeat check, newest first',
  params: CheckId,
  query: Type.Object(
    { ...Period, limit: Type.Integer({ minimum: 1, maximum: 10, default: 10 }) },
    { additionalProperties: false },
  ),
  status: 200,
  response: Type.Array(
    Type.Object({ events: Type.Array(HeartbeatEvent), stats: Stats }, { title: 'HeartbeatEvents' }),
  ),
  example: { params: { checkId: exampleCheck } },
  handle: async (
    { params, query, principal: { accountId }, signal },
    app: App & HasFinishedRuns & HasWakeups,
  ) => {
    await requireHeartbeat(app, accountId, params.checkId)
    const { from, to } = periodOf(app, query, 7 * dayMs)
    const found = { checkId: params.checkId, from, to, limit: query.limit }
    const events = await listHeartbeatEvents(app.db, found)
    return [{ events: events.map(present), stats: await statsOf(app, { accountId, signal }, params.checkId) }]
  },
})

const readEvent = route({
  method: 'GET',
  path: '/v1/checks/heartbeats/:checkId/events/:id',
  access: 'READ_ONLY',
  tag,
  summary: 'One event of a heartbeat check',
  params: Type.Object({ checkId: Type.String({ format: 'uuid' }), id: Type.String({ format: 'uuid' }) }),
  status: 200,
  response: Type.Object({ event: HeartbeatEvent, stats: Stats }, { title: 'HeartbeatEventWithStats' }),
  example: { params: { checkId: exampleCheck, id: '01931f3a-5c7d-7cc0-8b0a-0f6d2f1c9a10' } },
  handle: async ({ params, principal: { accountId }, signal }, app: App & HasFinishedRuns & HasWakeups) => {
    await requireHeartbeat(app, accountId, params.checkId)
    const event = await findResultById(app.db, params.id)
    if (event?.check_id !== params.checkId) throw notFound()
    return { event: present(event), stats: await statsOf(app, { accountId, signal }, params.checkId) }
  },
})

const readAvailability = route({
  method: 'GET',
  path: '/v1/checks/heartbeats/:checkId/availability',
  access: 'READ_ONLY',
  tag,
  summary: 'How reliably the pings came, compared with the period before',
  description:
    'The last 24 hours unless `startTime` and `endTime` say otherwise. null: nothing happened in either period.',
  params: CheckId,
  query: Type.Object(Period, { additionalProperties: false }),
  status: 200,
  response: nullable(Availability),
  example: { params: { checkId: exampleCheck } },
  handle: async ({ params, query, principal: { accountId }, signal }, app) => {
    await requireHeartbeat(app, accountId, params.checkId)
    const period = { checkId: params.checkId, ...periodOf(app, query, dayMs) }
    const found = await longRead(app, { accountId, signal }, (reading) =>
      availability({ db: app.db, reading }, period),
    )
    const { previousPeriod, currentPeriod } = found.successRatio
    return previousPeriod === null && currentPeriod === null ? null : found
  },
})

const requireHeartbeat = async (app: App, accountId: string, id: string): Promise<void> => {
  const check = await app.db.get(findCheck, { id, accountId })
  if (check?.type !== 'HEARTBEAT') throw notFound()
}

type PeriodQuery = { startTime?: string; endTime?: string }

const periodOf = (app: App, { startTime, endTime }: PeriodQuery, lengthMs: number) => {
  const to = endTime === undefined ? app.clock.now() + 1 : parseInstant('endTime', endTime)
  const from = startTime === undefined ? to - lengthMs : parseInstant('startTime', startTime)
  if (from >= to) throw new ApiError(400, '"startTime" must be before "endTime"')
  return { from, to }
}

const statsOf = (app: App & HasFinishedRuns & HasWakeups, asker: Asker, checkId: string) =>
  longRead(app, asker, async (reading) => {
    const source = { db: app.db, reading }
    const to = app.clock.now() + 1
    return {
      last24Hours: await availability(source, { checkId, from: to - dayMs, to }),
      last7Days: await availability(source, { checkId, from: to - 7 * dayMs, to }),
    }
  })

const present = (row: Pick<ResultWithDoc, 'id' | 'started_at' | 'doc'>): HeartbeatEvent => {
  const { state, source = null, userAgent = null } = resultDoc.read(row.doc)
  return { id: row.id, state: state as EventState, timestamp: toIso(row.started_at), source, userAgent }
}

export const heartbeatRoutes: Route<App & HasFinishedRuns & HasWakeups>[] = [
  ping('GET'),
  ping('POST'),
  readHeartbeatTimer,
  listHeartbeatEventsRoute,
  readEvent,
  readAvailability,
]
