/** What a dashboard shows now: read anew after two seconds, for all who look at once. */
import { boundedCache } from '../../../protocol/bounded-memo.ts'
import { incidentsOfDashboard } from '../../communication/dashboards/incident-queries.ts'
import {
  type DashboardIncidentDoc,
  dashboardIncidentDoc,
} from '../../communication/dashboards/incident-schema.ts'
import { type DashboardDoc, dashboardDoc } from '../../communication/dashboards/schema.ts'
import { groupsOfAccount } from '../../monitoring/definitions/check-groups/queries.ts'
import type { CheckFilter } from '../../monitoring/definitions/checks/filtered-checks.ts'
import { countByGroup, orderedChecks } from '../../monitoring/definitions/checks/list-queries.ts'
import { statesInOrder } from '../../monitoring/definitions/checks/places-by-state.ts'
import type { App } from '../../platform/app/app.ts'
import { perApp } from '../../platform/app/per-app.ts'
import type { DashboardsTable } from '../../platform/store/database/tables/dashboards.ts'
import { type Row, type RunsOfChecks, rowOf, runsOf } from '../dashboard/check-rows.ts'
import { type ListFigures, readListFigures } from '../dashboard/list-figures.ts'
import type { State } from '../dashboard/parts.ts'

export type BoardIncident = DashboardIncidentDoc & { createdAt: number; isOver: boolean }

export type Board = {
  at: number
  options: DashboardDoc
  counts: { [S in State]: number }
  rows: readonly Row[]
  groups: ReadonlyMap<number, string>
  runs: RunsOfChecks
  figures: ReadonlyMap<string, ListFigures>
  /** Which part is shown, from 1, of how many; `isTurning`: the next one comes by itself. */
  part: number
  parts: number
  isTurning: boolean
  /** When it is to be loaded again. */
  reloadSeconds: number
  incidents: readonly BoardIncident[]
}

const freshMs = 2000
const maxKept = 500
/** What is not in parts is no more than this. */
const mostAtOnce = 200
const shownIncidents = 20

type Kept = { at: number; board: Promise<Board> }
const keptOf = perApp(() => boundedCache<string, Kept>(maxKept))

/** `part`: which one somebody chose; null: what is its turn. */
export const readBoard = (app: App, row: DashboardsTable, part: number | null): Promise<Board> => {
  const now = app.clock.now()
  const kept = keptOf(app)
  const key = `${row.id} ${row.version} ${part}`
  const known = kept.get(key)
  if (known !== undefined && known.at <= now && now - known.at < freshMs) return known.board
  const board = readNow(app, row, { part, now })
  kept.delete(key)
  kept.set(key, { at: now, board })
  // What could not be read is read again by the next.
  board.catch(() => kept.delete(key))
  return board
}

const readNow = async (
  app: App,
  { id, account_id: accountId, doc }: DashboardsTable,
  { part: chosen, now }: { part: number | null; now: number },
): Promise<Board> => {
  const options = dashboardDoc.read(doc)
  const filter = filterOf(accountId, options)
  const counts = await countsOf(app, filter)
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const size = options.paginate ? (options.checksPerPage ?? 15) : mostAtOnce
  const parts = Math.max(1, Math.ceil(total / size))
  const isTurning = chosen === null && options.paginate && parts > 1
  const turn = turnAt(now, options, parts)
  const part = Math.min(parts, isTurning ? turn.part : (chosen ?? 1))
  const found = await orderedChecks(app.db, filter, {
    order: options.sortByStatus ? 'state' : 'created',
    ...{ offset: (part - 1) * size, limit: size },
  })
  const rows = found.map(rowOf)
  const context = { app, now, principal: { accountId }, input: { signal: new AbortController().signal } }
  return {
    ...{ at: now, options, counts, rows, part, parts, isTurning },
    groups: await groupNames(app, accountId, { rows, options }),
    runs: await runsOf(context, rows),
    figures: await readListFigures(
      context,
      rows.map((each) => each.id),
    ),
    reloadSeconds: isTurning ? Math.min(options.refreshRate, turn.secondsLeft) : options.refreshRate,
    incidents: options.enableIncidents ? await incidentsAt(app, id, now) : [],
  }
}

const filterOf = (accountId: string, { tags, useTagsAndOperator }: DashboardDoc): CheckFilter => ({
  accountId,
  activated: true,
  ...(tags.length === 0 ? {} : useTagsAndOperator === true ? { everyTag: tags } : { tags }),
})

const none = { failing: 0, degraded: 0, stale: 0, unknown: 0, waiting: 0, passing: 0, paused: 0 }

const countsOf = async (app: App, filter: CheckFilter): Promise<Board['counts']> => {
  const counts = { ...none }
  for (const { place, total } of await countByGroup(app.db, filter)) {
    const state = statesInOrder[place]
    if (state !== undefined) counts[state] += total
  }
  return counts
}

/** By the clock alone, so that all screens show the same and no address has to say it. */
const turnAt = (
  now: number,
  { paginationRate }: DashboardDoc,
  parts: number,
): { part: number; secondsLeft: number } => {
  const everyMs = paginationRate * 1000
  const turns = Math.floor(now / everyMs)
  return {
    part: 1 + (turns % parts),
    secondsLeft: Math.max(1, Math.ceil(((turns + 1) * everyMs - now) / 1000)),
  }
}

const groupNames = async (
  app: App,
  accountId: string,
  { rows, options }: Pick<Board, 'rows' | 'options'>,
): Promise<ReadonlyMap<number, string>> => {
  if (!options.showGroupNames || rows.every(({ groupId }) => groupId === null)) return new Map()
  return new Map((await app.db.all(groupsOfAccount, { accountId })).map(({ id, name }) => [id, name]))
}

/** What goes on first, the newest first. */
const incidentsAt = async (app: App, dashboardId: number, now: number): Promise<BoardIncident[]> => {
  const found = await app.db.all(incidentsOfDashboard, { dashboardId, limit: shownIncidents })
  return found
    .map(({ doc, created_at: createdAt }): BoardIncident => {
      const incident = dashboardIncidentDoc.read(doc)
      const isStopped = incident.stoppedAt !== null && incident.stoppedAt <= now
      return { ...incident, createdAt, isOver: isStopped || incident.updates[0]?.status === 'RESOLVED' }
    })
    .toSorted((a, b) => Number(a.isOver) - Number(b.isOver))
}
