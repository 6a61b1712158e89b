/**
 * Several control planes over one store: a run that one of them takes in counts in the exporters of all. Each writes down the
 * runs of accounts that others follow, a row for many of them, and reads what the others wrote. What a control plane that is
 * killed had not written yet, a few seconds, the others do not count.
 */

import { Type } from 'typebox'
import type { HasFinishedRuns } from '../../monitoring/outcomes/finished-runs.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import { storedList } from '../../platform/store/database/stored-doc.ts'
import { exporter } from './exporter.ts'
import type { RunObservation } from './run-observations.ts'
import {
  deleteOldFollows,
  deleteOldRuns,
  followsOfOthers,
  insertRuns,
  runsOfOthers,
  upsertFollow,
} from './sharing-queries.ts'

const runsPerRow = 500
const rowsAtOnce = 40
/** Rows become visible after their instant: each look goes back by this much. */
const overlapMs = 60_000
const retainedMs = 5 * 60_000

/** `exporter_runs.doc` */
export const runList = storedList({
  name: 'runs of an exporter',
  items: Type.Unsafe<RunObservation>(Type.Object({ id: Type.String(), accountId: Type.String() })),
})

/** `read`: when each row was written that was read lately. */
type Reader = { planeId: string; since: number; read: Map<string, number> }

const reader = perApp((app): Reader => ({ planeId: app.newId(), since: app.clock.now(), read: new Map() }))

export const shareRunsTick = async (app: App & HasFinishedRuns): Promise<void> => {
  if (!app.db.engine.shared) return
  await tellFollowed(app)
  await writeRuns(app)
  await readRuns(app)
}

const tellFollowed = async (app: App & HasFinishedRuns): Promise<void> => {
  const { planeId } = reader(app)
  const { followed, outbox } = exporter(app)
  const now = app.clock.now()
  for (const { accountId, until } of followed()) await app.db.run(upsertFollow, { accountId, planeId, until })
  await app.db.run(deleteOldFollows, { now })
  outbox.setWanted((await app.db.all(followsOfOthers, { planeId })).map(({ account_id }) => account_id))
}

const writeRuns = async (app: App & HasFinishedRuns): Promise<void> => {
  const { outbox } = exporter(app)
  for (let row = 0; row < rowsAtOnce; row++) {
    const runs = outbox.take(runsPerRow)
    if (runs.length === 0) return
    const { planeId } = reader(app)
    try {
      const created = { id: app.newId(), planeId, now: app.clock.now(), doc: runList.write(runs) }
      await app.db.run(insertRuns, created)
    } catch (error) {
      outbox.putBack(runs)
      throw error
    }
  }
}

const readRuns = async (app: App & HasFinishedRuns): Promise<void> => {
  const known = reader(app)
  const now = app.clock.now()
  const from = Math.max(known.since, now - overlapMs)
  const heads = await app.db.all(runsOfOthers, { planeId: known.planeId, from })
  for (const { id, created_at: createdAt, doc } of heads) {
    if (known.read.has(id)) continue
    known.read.set(id, createdAt)
    exporter(app).takeForeign(runList.read(doc), createdAt)
  }
  for (const [id, createdAt] of known.read) if (createdAt < now - 2 * overlapMs) known.read.delete(id)
  await app.db.run(deleteOldRuns, { before: now - retainedMs })
}
