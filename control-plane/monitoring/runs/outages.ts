/**
 * Times in which no control plane worked, as the store remembers them: whoever gives the first sign of life afterwards writes
 * down from when to when, in the transaction of that sign, so that of several control planes one does. Nobody is to suffer
 * from it: until an outage is forgiven (forgive.ts), nothing is concluded from the time that has passed.
 */
import type { Db } from '../../platform/store/database/db.ts'
import { query } from '../../platform/store/database/query.ts'
import type { OutagesTable } from '../../platform/store/database/tables/runs.ts'

/** In the common case the one statement of a sign of life. */
const stayAlive = query('stay-alive', (k, p: { now: number; notBefore: number }) =>
  k.updateTable('liveness').set({ alive_at: p.now }).where('id', '=', 1).where('alive_at', '>=', p.notBefore),
)

export const readAlive = query('read-alive', (k, _: Record<string, never>) =>
  k.selectFrom('liveness').select('alive_at').where('id', '=', 1),
)

const lockAlive = query('lock-alive', (k, _: Record<string, never>, engine) => {
  const one = k.selectFrom('liveness').select('alive_at').where('id', '=', 1)
  return engine.rowLocks ? one.forUpdate() : one
})

const writeAlive = query('write-alive', (k, p: { now: number }) =>
  k
    .insertInto('liveness')
    .values({ id: 1, alive_at: p.now })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ alive_at: p.now })),
)

/** The end of the latest one. */
const latestOutage = query('latest-outage', (k, _: Record<string, never>) =>
  k.selectFrom('outages').select('ended_at').orderBy('ended_at', 'desc').limit(1),
)

const insertOutage = query('insert-outage', (k, p: { since: number; endedAt: number }) =>
  k
    .insertInto('outages')
    .values({ since: p.since, ended_at: p.endedAt, forgiven_at: null })
    .onConflict((conflict) =>
      conflict.column('since').doUpdateSet({ ended_at: p.endedAt, forgiven_at: null }),
    ),
)

const forgetOutages = query('forget-outages', (k, p: { endedBefore: number }) =>
  k.deleteFrom('outages').where('ended_at', '<', p.endedBefore).where('forgiven_at', 'is not', null),
)

/** All that are remembered: few. */
export const rememberedOutages = query('remembered-outages', (k, _: Record<string, never>) =>
  k.selectFrom('outages').selectAll().orderBy('since'),
)

export const markForgiven = query('mark-forgiven', (k, p: { since: number; endedAt: number; now: number }) =>
  k
    .updateTable('outages')
    .set({ forgiven_at: p.now })
    .where('since', '=', p.since)
    .where('ended_at', '=', p.endedAt)
    .where('forgiven_at', 'is', null),
)

/** Jobs that expired in an outage are given up within minutes of it, however many there are. */
const rememberedMs = 6 * 3_600_000
/** Two with so little between them are one episode to people. */
const sameEpisodeMs = 60_000

/** `isNews`: no other outage ended just before it began. */
type Outage = { since: number; endedAt: number; isNews: boolean }

/** A sign of life; the outage that it ends: nobody had given one for longer than `toleratedMs`. */
export const sayAlive = async (
  db: Db & { transaction<T>(work: (trx: Db) => Promise<T>): Promise<T> },
  { now, toleratedMs }: { now: number; toleratedMs: number },
): Promise<Outage | null> => {
  if ((await db.run(stayAlive, { now, notBefore: now - toleratedMs })) > 0) return null
  return db.transaction(async (trx) => {
    const last = await trx.get(lockAlive, {})
    await trx.run(writeAlive, { now })
    // Another control plane was first, or none has ever been alive.
    if (last === undefined || last.alive_at >= now - toleratedMs) return null
    return recordOutage(trx, { since: last.alive_at, endedAt: now })
  })
}

/** Also says that there is life at its end. */
export const recordOutage = async (trx: Db, { since, endedAt }: Omit<Outage, 'isNews'>): Promise<Outage> => {
  const before = await trx.get(latestOutage, {})
  await trx.run(forgetOutages, { endedBefore: endedAt - rememberedMs })
  await trx.run(insertOutage, { since, endedAt })
  await trx.run(writeAlive, { now: endedAt })
  return { since, endedAt, isNews: before === undefined || before.ended_at < since - sameEpisodeMs }
}

/** Agents that could not reach us try again after this at the latest (agent/base/back-off.ts). */
const agentsReturnMs = 30_000

/**
 * The one that a run fell victim to: it had to be given up meanwhile, or was due meanwhile and had to be given up before every agent
 * can have come back.
 */
export const outageOf = (
  outages: readonly OutagesTable[],
  { dueAt, expiresAt }: { dueAt: number; expiresAt: number },
): OutagesTable | undefined =>
  outages.find(
    ({ since, ended_at: end }) =>
      (expiresAt > since && expiresAt <= end) ||
      (dueAt > since && dueAt <= end && expiresAt <= end + agentsReturnMs),
  )
