/**
 * With what a notification is told together, and when: decided in the transaction that writes it, from what is written. A failure that is told
 * of first joins a storm, or what the channel or the account groups by; what follows it (a reminder, a recovery) goes the same way as that did.
 */
import type { Db } from '../../platform/store/database/db.ts'
import {
  countActiveChecks,
  coursesOf,
  gathersOfLines,
  gathersOfOpenings,
  joinWaiting,
  recentOpenings,
} from './bundle-queries.ts'
import { type Grouping, groupKey } from './gathering.ts'
import { isRecovery, type Notice } from './hold-back.ts'
import { type Course, groupPace, joinsAt, type Pace, stormPace } from './pace.ts'
import { type Opening, type StormBrake, stormFrom, stormOf } from './storm-rules.ts'

type Channel = { id: number; grouping: Grouping | null }

type Placed<C> = { notice: Notice; channel: C; dueAt: number | null; held: string | null }

type Gathered<P> = P & { gather: string | null }

type Storms = ReadonlyMap<string, { scope: string | null; isSuspect: boolean }>

/** Openings before those of a transaction: enough to tell what they have in common. */
const mostBefore = 500

/** The longest interval between two messages (access/accounts/alert-settings.ts): what is older does not matter. */
const longestIntervalMs = 3_600_000

export const gathered = async <C extends Channel, P extends Placed<C>>(
  trx: Db,
  placed: readonly P[],
  now: number,
): Promise<Gathered<P>[]> => {
  const storms = await stormsAmong(trx, placed, now)
  const before = await gathersBefore(trx, placed, now)
  const all = placed.map((one) => ({ ...one, gather: gatherOf(one, { storms, before }) }))
  const courses = await coursesAmong(trx, all, now)
  return all.map((one) => {
    const { gather, dueAt, held, channel, notice } = one
    if (dueAt === null || held !== null || notice.gather !== undefined) return one
    if (gather === null) {
      const isSuspect = notice.isFirst === true && storms.get(notice.event.checkId)?.isSuspect === true
      return isSuspect ? { ...one, dueAt: Math.max(dueAt, now + stormPace.openingMs) } : one
    }
    const key = `${channel.id} ${gather}`
    const course = courses.get(key) ?? { waitingUntil: null, lastAt: null }
    const joins = { now, isRecovery: isRecovery(notice.event) }
    const at = joinsAt(course, joins, paceOf(gather, groupingOf(one)))
    courses.set(
      key,
      at <= now
        ? { waitingUntil: null, lastAt: now }
        : { ...course, waitingUntil: Math.min(course.waitingUntil ?? at, at) },
    )
    return { ...one, dueAt: at }
  })
}

const groupingOf = ({ channel, notice }: Pick<Placed<Channel>, 'channel' | 'notice'>): Grouping | null =>
  channel.grouping ?? notice.gathering?.grouping ?? null

const paceOf = (gather: string, grouping: Grouping | null): Pace =>
  gather.startsWith('storm ') || grouping === null ? stormPace : groupPace(grouping.intervalSeconds * 1000)

type Known = { storms: Storms; before: ReadonlyMap<string, string | null> }

const gatherOf = (one: Placed<Channel>, { storms, before }: Known): string | null => {
  const { notice, channel, dueAt } = one
  const { event, gathering, isFirst } = notice
  if (dueAt === null) return null
  if (notice.gather !== undefined) return notice.gather
  if (gathering === undefined) return null
  if (isFirst !== true) return before.get(lineOf(one)) ?? null
  const grouping = channel.grouping ?? gathering.grouping
  return storms.get(event.checkId)?.scope ?? (grouping === null ? null : groupKey(grouping, event, gathering))
}

const lineOf = ({ channel, notice: { event } }: Pick<Placed<Channel>, 'channel' | 'notice'>): string =>
  `${channel.id} ${event.checkId}`

const isOpening = ({ dueAt, notice: { isFirst, event } }: Placed<Channel>): boolean =>
  dueAt !== null && isFirst === true && !isRecovery(event)

/** Of each account that has a brake; what waited to see whether others follow is taken along. */
const stormsAmong = async (trx: Db, placed: readonly Placed<Channel>[], now: number): Promise<Storms> => {
  const all = new Map<string, { scope: string | null; isSuspect: boolean }>()
  const openings = placed.filter(isOpening)
  const accounts = new Map<string, StormBrake>()
  for (const { notice } of openings) {
    const brake = notice.gathering?.stormBrake
    if (brake) accounts.set(notice.event.accountId, brake)
  }
  for (const [accountId, brake] of accounts) {
    const own = openings.filter(({ notice }) => notice.event.accountId === accountId).map(openingOf)
    const storms = await stormsOf(trx, own, { accountId, brake, now })
    for (const [checkId, told] of storms) all.set(checkId, told)
    await joinSuspects(trx, storms, { now, own: new Set(own.map(({ checkId }) => checkId)) })
  }
  return all
}

type OwnOpening = Opening & { at: number }

const openingOf = ({ notice: { event, gathering } }: Placed<Channel>): OwnOpening => ({
  checkId: event.checkId,
  host: gathering?.host ?? '',
  location: event.runLocation ?? '',
  at: event.at,
})

type Around = { accountId: string; brake: StormBrake; now: number }

/** `own`: of this transaction, whose alerts are written; however many there are, each of them counts, and so do some before them. */
const stormsOf = async (
  trx: Db,
  own: readonly OwnOpening[],
  { accountId, brake, now }: Around,
): Promise<ReturnType<typeof stormOf>> => {
  // What came due while nobody looked is told late, and together all the same.
  const since = own.reduce((earliest, { at }) => Math.min(earliest, at), now) - brake.windowMs
  const asked = { accountId, since, limit: mostBefore + own.length }
  const recent = await trx.all(recentOpenings, asked)
  const before = recent.map(({ check_id, opening_host, opening_location }) => ({
    checkId: check_id,
    host: opening_host ?? '',
    location: opening_location ?? '',
  }))
  const openings = [...before, ...own]
  const checks = new Set(openings.map(({ checkId }) => checkId)).size
  const from = await thresholdOf(trx, { accountId, brake, checks })
  const storms = stormOf(openings, { from })
  const mayFollow = checks > 1 && own.some(({ checkId }) => storms.get(checkId)?.scope === null)
  if (!mayFollow) return storms
  const told = await trx.all(gathersOfOpenings, asked)
  return told.length === 0
    ? storms
    : stormOf(openings, { from, ongoing: new Set(told.map(({ gather }) => gather)) })
}

/** Where fewer checks than a share of the account can be a storm, its active checks are counted as far as they matter. */
const thresholdOf = async (
  trx: Db,
  { accountId, brake, checks }: { accountId: string; brake: StormBrake; checks: number },
): Promise<number> => {
  if (checks < 2 || checks >= brake.checks) return brake.checks
  const matters = Math.ceil((brake.checks * 100) / brake.percent)
  const active = await trx.get(countActiveChecks, { accountId, limit: matters })
  return stormFrom(brake, active?.total ?? matters)
}

const joinSuspects = async (
  trx: Db,
  storms: Storms,
  { now, own }: { now: number; own: ReadonlySet<string> },
): Promise<void> => {
  const waiting = [...storms].filter(([checkId]) => !own.has(checkId))
  for (const [gather, those] of Map.groupBy(waiting, ([, { scope }]) => scope))
    if (gather !== null)
      await trx.run(joinWaiting, {
        checkIds: those.map(([checkId]) => checkId),
        gather,
        dueAt: now + stormPace.openingMs,
        now,
      })
}

/** What the failure was told with that these follow. */
const gathersBefore = async (
  trx: Db,
  placed: readonly Placed<Channel>[],
  now: number,
): Promise<Map<string, string | null>> => {
  const lines = placed
    .filter((one) => one.dueAt !== null && !isOpening(one) && mayBeGathered(one))
    .map(({ channel, notice: { event } }) => ({
      listed_channel: channel.id,
      listed_check: event.checkId,
      since: event.failingSince === 0 ? now : event.failingSince,
    }))
  const rows = lines.length === 0 ? [] : await trx.all(gathersOfLines, { lines })
  return new Map(rows.map(({ channel_id, check_id, gather }) => [`${channel_id} ${check_id}`, gather]))
}

/** Certificates and locations are told alone, and what nobody told together has nothing that it follows. */
const mayBeGathered = ({ channel, notice: { gathering, event } }: Placed<Channel>): boolean =>
  gathering !== undefined &&
  event.ssl === null &&
  event.location === null &&
  (gathering.stormBrake !== null || gathering.grouping !== null || channel.grouping !== null)

const coursesAmong = async (
  trx: Db,
  all: readonly Gathered<Placed<Channel>>[],
  now: number,
): Promise<Map<string, Course>> => {
  const asked = new Map<string, { listed_channel: number; listed_gather: string; since: number }>()
  for (const { gather, channel, notice } of all)
    if (gather !== null && notice.gather === undefined)
      asked.set(`${channel.id} ${gather}`, {
        listed_channel: channel.id,
        listed_gather: gather,
        since: now - longestIntervalMs,
      })
  const rows = asked.size === 0 ? [] : await trx.all(coursesOf, { asked: [...asked.values()] })
  return new Map(
    rows.map(({ channel_id, gather, waiting_until, last_at }) => [
      `${channel_id} ${gather}`,
      { waitingUntil: waiting_until, lastAt: last_at },
    ]),
  )
}
