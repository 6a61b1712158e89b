/**
 * What `/metrics` shows of queues, agents and the schedule: of the whole store, so that each of several control planes
 * shows the same. The set of locations is bounded: the oldest ones by their slug, all others together. Accounts choose
 * slugs for themselves: locations of one slug are one.
 */

import type { App } from '../../platform/app/app.ts'
import type { HasMetrics } from '../../platform/app/metrics.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { type LabelledLevel, type Level, scrapedGauges } from '../../platform/app/scraped-gauges.ts'
import { controlPlaneVersion } from '../../platform/settings/config.ts'
import { awaitingLocations } from '../schedule/awaited-runs.ts'
import { agentGoneMs } from './agents/agent-presence.ts'
import { skewOf, type VersionSkew } from './agents/versions.ts'
import { locationProblems } from './problem-queries.ts'
import {
  agentsByLocation,
  firstLocations,
  jobQueues,
  nextPlannedAt,
  nextWaitingLocation,
  runningByQueue,
  servedPublicLocations,
  waitingInQueue,
} from './queue-queries.ts'

export const maxLocations = 100
/** No slug has a low line. */
const others = '_other'
/** Each is three statements of its own. */
const maxWaitingLocations = 300
/** Whoever scrapes more often, and nobody needs a key to, sees the same again. */
const cachedMs = 10_000

const skewNames = [
  ['TOO_OLD', 'too-old'],
  ['NEWER', 'newer'],
] as const satisfies Array<[VersionSkew, string]>

type QueueLevels = {
  waiting: Level
  running: Level
  oldestAgeSeconds: Level
  agents: Level
  skewedAgents: Level
  absenceSeconds: Level
  awaited: Level
  scheduleBehindSeconds: Level
}

export const queueMetrics = {
  levels: scrapedGauges({
    waiting: [
      'watchpost_queue_jobs',
      'Jobs that are due and wait for an agent, by location and queue',
      'location',
      'queue',
    ],
    running: [
      'watchpost_queue_running_jobs',
      'Jobs that are due and with an agent, by location and queue',
      'location',
      'queue',
    ],
    oldestAgeSeconds: [
      'watchpost_queue_oldest_age_seconds',
      'How long the longest of them has been due; 0 when none waits',
      'location',
      'queue',
    ],
    agents: ['watchpost_location_agents', 'Agents that were seen within the last two minutes', 'location'],
    skewedAgents: [
      'watchpost_location_skewed_agents',
      'Of them, those whose version does not go with that of the control plane: too-old, or newer',
      'location',
      'skew',
    ],
    absenceSeconds: [
      'watchpost_location_absence_seconds',
      'For how long checks have run in a private location without an agent; 0 with one, or without checks',
      'location',
    ],
    awaited: [
      'watchpost_awaited_runs',
      'Due times of an outage that agents may have run by themselves: until they have said so, nobody is alerted of these checks',
      'location',
    ],
    scheduleBehindSeconds: [
      'watchpost_schedule_behind_seconds',
      'How long the earliest due time that is not planned yet has passed; 0: due times are planned ahead, as they should',
    ],
  }),
}

/** Has `/metrics` show them, from the first call on. */
export const watchQueues = perApp((app: App & HasMetrics) => {
  let cached: { at: number; levels: QueueLevels } | null = null
  queueMetrics.levels(app)(async () => {
    const at = app.clock.monotonic()
    if (cached !== null && at - cached.at < cachedMs) return cached.levels
    try {
      cached = { at, levels: await readLevels(app) }
      return cached.levels
    } catch (error) {
      app.log.warn({ err: error }, 'The queues could not be read for the metrics')
      return null
    }
  })
})

const readLevels = async ({ db, clock }: App): Promise<QueueLevels> => {
  const now = clock.now()
  const nameOf = await locationNames(db)
  const waiting = await waitingByQueue(db, now)
  const running = await db.all(runningByQueue, { now })
  const agents = await db.all(agentsByLocation, { since: now - agentGoneMs })
  const problems = await db.all(locationProblems, {})
  const absent = problems.filter(({ problem }) => problem === 'NO_AGENT')
  const awaiting = await db.all(awaitingLocations, {})
  const next = await db.get(nextPlannedAt, {})
  const seconds = (since: number): number => Math.max(0, now - since) / 1000
  const queues = [...nameOf.names].flatMap((location) => jobQueues.map((queue) => ({ location, queue })))
  const locations = [...nameOf.names].map((location) => ({ location }))
  const jobs = waiting.map((row) => ({
    ...row,
    labels: { location: nameOf(row.location), queue: row.queue },
  }))
  return {
    waiting: added(
      queues,
      jobs.map(({ labels, jobs }) => ({ labels, value: jobs })),
    ),
    running: added(
      queues,
      running.map(({ location, queue, jobs }) => ({
        labels: { location: nameOf(location), queue },
        value: jobs,
      })),
    ),
    oldestAgeSeconds: longest(
      queues,
      jobs.map(({ labels, oldest_at }) => ({ labels, value: seconds(oldest_at) })),
    ),
    agents: added(
      locations,
      agents.map((row) => ({ labels: { location: nameOf(row.location_id) }, value: row.agents })),
    ),
    skewedAgents: added(
      [...nameOf.names].flatMap((location) => skewNames.map(([, skew]) => ({ location, skew }))),
      agents.flatMap(({ location_id: location, version, agents: value }) =>
        skewNames
          .filter(([kind]) => kind === skewOf(version, controlPlaneVersion))
          .map(([, skew]) => ({ labels: { location: nameOf(location), skew }, value })),
      ),
    ),
    absenceSeconds: longest(
      locations,
      absent.map((row) => ({ labels: { location: nameOf(row.location_id) }, value: seconds(row.since) })),
    ),
    awaited: added(
      locations,
      awaiting.map((row) => ({ labels: { location: nameOf(row.location_id) }, value: row.runs })),
    ),
    scheduleBehindSeconds: next === undefined ? 0 : seconds(next.next_at),
  }
}

type WaitingQueue = { location: string; queue: string; jobs: number; oldest_at: number }

/** Short statements one after another: between them others have their turn. */
const waitingByQueue = async (db: App['db'], now: number): Promise<WaitingQueue[]> => {
  const waiting: WaitingQueue[] = []
  let after = ''
  for (let locations = 0; locations < maxWaitingLocations; locations++) {
    const next = await db.get(nextWaitingLocation, { after })
    if (next === undefined) break
    for (const queue of jobQueues) {
      const { jobs = 0, oldest_at = null } = (await db.get(waitingInQueue, { ...next, queue, now })) ?? {}
      if (oldest_at !== null) waiting.push({ ...next, queue, jobs, oldest_at })
    }
    after = next.location
    await nextTurn()
  }
  return waiting
}

/** An embedded store answers at once: without this nobody would have a turn until the last statement. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

type NameOf = ((location: string) => string) & { names: ReadonlySet<string> }

const locationNames = async (db: App['db']): Promise<NameOf> => {
  const own = await db.all(firstLocations, { limit: maxLocations })
  const served = await db.all(servedPublicLocations, { limit: maxLocations })
  const names = new Map(own.map(({ id, slug }) => [id, slug]))
  for (const { location_id: code } of served) names.set(code, code)
  const nameOf = (location: string): string => names.get(location) ?? others
  return Object.assign(nameOf, { names: new Set([...names.values(), others]) })
}

type Labels = LabelledLevel['labels']

/** A level for each of `all`, even where nothing is. */
const joined =
  (join: (a: number, b: number) => number) =>
  (all: readonly Labels[], levels: readonly LabelledLevel[]): LabelledLevel[] => {
    const keyOf = (labels: Labels): string =>
      JSON.stringify([labels['location'], labels['queue'] ?? labels['skew']])
    const values = new Map<string, number>()
    for (const { labels, value } of levels)
      values.set(keyOf(labels), join(values.get(keyOf(labels)) ?? 0, value))
    return all.map((labels) => ({ labels, value: values.get(keyOf(labels)) ?? 0 }))
  }

const added = joined((a, b) => a + b)
const longest = joined(Math.max)
