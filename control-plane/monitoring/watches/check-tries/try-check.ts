/**
 * One run of a check that nobody has saved. It is made for the try, muted and by itself, runs at once in one location, and is removed with all
 * that is known about it before the try is answered: what is left is the answer. Bounded by its wait and by how many tries run at once; what a
 * process that died in the middle has left is removed by the account's next try.
 */

import { type CheckType, queueOf } from '../../../../protocol/check-type.ts'
import type { App } from '../../../platform/app/app.ts'
import { perApp } from '../../../platform/app/per-app.ts'
import type { HasWakeups } from '../../../platform/services/clock/wakeups.ts'
import type { HasCipher } from '../../../platform/services/secrets/cipher.ts'
import type { Db } from '../../../platform/store/database/db.ts'
import { query } from '../../../platform/store/database/query.ts'
import { ApiError, invalid, violation } from '../../../platform/words/errors.ts'
import { inEnglish } from '../../../platform/words/told.ts'
import { removeCheck } from '../../definitions/checks/remove-check.ts'
import { type CheckBody, createCheck } from '../../definitions/checks/save-check.ts'
import { checkKinds, kindOf } from '../../definitions/checks/types/index.ts'
import { whyUnable } from '../../locations/agents/why-unable.ts'
import type { HasConsequences } from '../../outcomes/consequences.ts'
import { someDocumented } from '../../results/stored/list-results.ts'
import type { ResultWithDoc } from '../../results/stored/result.ts'
import { resultStored } from '../../runs/announce-first-result.ts'
import { lookUntil } from '../../runs/look-until.ts'
import { findSchedule, runLocations } from '../../schedule/schedule-queries.ts'

export type TryingApp = App & HasCipher & HasConsequences & HasWakeups

type Tried = { result: ResultWithDoc | null; location: string; problem: string | null }

type Wanted = { accountId: string; type: CheckType; body: CheckBody; location: string; signal: AbortSignal }

/** Marks checks that are there for a try only. */
const tryTag = 'watchpost:try'
const maxAtOnce = 10
const waitMs = 25_000
/** Browsers take longer to start than monitors to ask. */
const longWaitMs = 90_000
const clockSkewMs = 300_000

const leftTries = query('left-tries', (k, p: { accountId: string; tag: string; before: number }) =>
  k
    .selectFrom('check_tags as t')
    .innerJoin('checks as c', 'c.id', 't.check_id')
    .select('c.id')
    .where('t.account_id', '=', p.accountId)
    .where('t.tag', '=', p.tag)
    .where('c.created_at', '<', p.before)
    .limit(100),
)

const runningTries = perApp(() => ({ count: 0 }))

/** @throws ApiError 400, 429 */
export const tryCheck = async (app: TryingApp, wanted: Wanted): Promise<Tried> => {
  const running = runningTries(app)
  if (running.count >= maxAtOnce)
    throw new ApiError(429, `${maxAtOnce} checks are being tried already`, {
      headers: { 'retry-after': '10' },
    })
  running.count++
  try {
    await removeLeft(app, wanted.accountId)
    return await runOnce(app, wanted)
  } finally {
    running.count--
  }
}

const removeLeft = async (app: TryingApp, accountId: string): Promise<void> => {
  const before = app.clock.now() - 2 * longWaitMs
  for (const { id } of await app.db.all(leftTries, { accountId, tag: tryTag, before }))
    await removeCheck(app, { id, accountId })
}

const runOnce = async (app: TryingApp, wanted: Wanted): Promise<Tried> => {
  const { accountId, type, location, signal } = wanted
  const row = await createCheck(app, { accountId, type, body: bodyOf(wanted), autoAssignAlerts: false })
  try {
    const problem = await whyNotNow(app, row)
    if (problem !== null) return { result: null, location, problem }
    const ms = queueOf(type) === 'main' ? longWaitMs : waitMs
    const since = app.clock.now() - clockSkewMs
    const result = await lookUntil(app, { name: resultStored, waitMs: ms, signal }, () =>
      firstResult(app.db, row.id, since),
    )
    const late = `No agent had run it in "${location}" within ${ms / 1000} seconds.`
    return { result: result ?? null, location, problem: result === undefined ? late : null }
  } finally {
    await removeCheck(app, { id: row.id, accountId })
  }
}

/** Nobody waits for an agent that is not there. */
const whyNotNow = async (
  { db, clock }: App,
  { id, type }: { id: string; type: string },
): Promise<string | null> => {
  const schedule = await db.get(findSchedule, { checkId: id })
  const [place] = schedule === undefined ? [] : runLocations.read(schedule.locations)
  if (schedule === undefined || place === undefined) return 'It never runs: its group is switched off.'
  const needed = {
    location: place.id,
    locationName: place.name,
    checkType: type,
    typeName: kindOf(type).label,
    runtimeId: schedule.runtime_id,
  }
  const unable = await whyUnable(db, needed, clock.now())
  return unable === null ? null : inEnglish(unable.detail)
}

const firstResult = async (db: Db, checkId: string, from: number): Promise<ResultWithDoc | undefined> =>
  (await someDocumented(db, { checkId, direction: 'oldest-first', from, filter: {} }, 1))[0]

/** Whatever it is to do later: once, in one location, telling nobody. */
const bodyOf = ({ type, body, location }: Wanted): CheckBody => {
  const { fields, scheduled } = checkKinds[type]
  if (!scheduled) throw invalid([violation('checkType', 'scheduled', 'is of checks that no agent runs')])
  const isPrivate = Array.isArray(body['privateLocations']) && body['privateLocations'].includes(location)
  const { frequencyOffset: _, ...rest } = body
  const once = {
    activated: true,
    muted: true,
    frequency: 1440,
    runParallel: false,
    retryStrategy: null,
    triggerIncident: null,
    alertChannelSubscriptions: [],
    tags: [tryTag],
    locations: isPrivate ? [] : [location],
    privateLocations: isPrivate ? [location] : [],
  }
  return {
    ...rest,
    ...Object.fromEntries(
      Object.entries(once).filter(([name]) => name in fields || name === 'alertChannelSubscriptions'),
    ),
  }
}
