/** The checks of a page of the list, with what is known of each: few statements for all of them, and no result is read for it. */
import type { CheckType } from '../../../protocol/check-type.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import { targetOfCheck } from '../../monitoring/definitions/checks/check-target.ts'
import type { CheckFilter } from '../../monitoring/definitions/checks/filtered-checks.ts'
import {
  checkPlaces,
  type OrderCursor,
  type OrderedCheck,
  orderedChecks,
} from '../../monitoring/definitions/checks/list-queries.ts'
import { type LatestRun, latestRuns } from '../../monitoring/results/stored/latest-runs.ts'
import type { App } from '../../platform/app/app.ts'
import { isByFigure, perPage, type Sort } from './check-filter.ts'
import { type Reason, reasonsOf } from './check-reasons.ts'
import { type ListFigures, readListFigures, readSortFigures } from './list-figures.ts'
import { type State, stateOf } from './parts.ts'
import type { RequestContext } from './request-context.ts'

export type Row = {
  id: string
  name: string
  type: CheckType
  state: State
  isMuted: boolean
  tags: readonly string[]
  groupId: number | null
  frequency: number | null
  target: string
  lastRunAt: number | null
  cursor: OrderCursor
}

/** Of how many of the checks that are sorted by what was measured it is known. */
type Measured = { known: number; of: number }

export type RunsOfChecks = ReadonlyMap<string, LatestRun[]>

export type RowsOfPage = {
  rows: Row[]
  measured?: Measured
  next: OrderCursor | undefined
  runs: RunsOfChecks
  figures: ReadonlyMap<string, ListFigures>
  reasons: ReadonlyMap<string, Reason>
}

/** As many as an account may have checks in one sorted list. */
const mostSorted = 20_000

type Place = { sort: Sort; after: OrderCursor | undefined; limit: number }

const readRows = async (
  context: RequestContext,
  filter: CheckFilter,
  { sort: { by, isReversed }, after, limit }: Place,
): Promise<Row[]> => {
  if (isByFigure(by)) return (await rowsByFigure(context, filter, { by, isReversed, after, limit })).rows
  return (await orderedChecks(context.app.db, filter, { order: by, isReversed, after, limit })).map(rowOf)
}

type ByFigure = { by: 'uptime' | 'p95'; isReversed: boolean; after: OrderCursor | undefined; limit: number }

/** In the order of what was measured; what was not (yet) comes last. */
const rowsByFigure = async (
  context: RequestContext,
  filter: CheckFilter,
  { by, isReversed, after, limit }: ByFigure,
): Promise<{ rows: Row[]; measured: Measured }> => {
  const places = await checkPlaces(context.app.db, filter, mostSorted)
  const figures = await readSortFigures(
    context,
    places.map(({ id }) => id),
  )
  // What is worst comes first.
  const sign = (by === 'uptime') === isReversed ? -1 : 1
  const cursors = places.map(({ id, created_at }): OrderCursor => {
    const value = figures.get(id)?.[by] ?? null
    return { id, createdAt: created_at, key: value === null ? Number.MAX_SAFE_INTEGER : sign * value }
  })
  const shown = cursors
    .filter((cursor) => after === undefined || compare(cursor, after) > 0)
    .sort(compare)
    .slice(0, limit)
  const first = { order: 'created', after: undefined, limit } as const
  const read = await orderedChecks(context.app.db, { ...filter, ids: shown.map(({ id }) => id) }, first)
  const byId = new Map(read.map((check) => [check.id, check]))
  const rows = shown.flatMap((cursor) => {
    const check = byId.get(cursor.id)
    return check === undefined ? [] : [{ ...rowOf(check), cursor }]
  })
  return { rows, measured: { known: figures.size, of: places.length } }
}

const compare = (a: OrderCursor, b: OrderCursor): number =>
  Number(a.key) - Number(b.key) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

export const rowOf = (check: OrderedCheck): Row => {
  const {
    muted,
    tags: names,
    frequency,
    request,
  } = checkDoc.read(check.doc) as {
    muted?: boolean
    tags: string[]
    frequency?: number
    request?: object
  }
  return {
    id: check.id,
    name: check.name,
    type: check.type as CheckType,
    state: check.activated ? stateOf(check.state ?? undefined) : 'paused',
    isMuted: muted === true,
    tags: names ?? [],
    groupId: check.group_id,
    frequency: frequency ?? null,
    target: targetOfCheck(check.type, request),
    lastRunAt: check.last_started_at,
    cursor: { key: check.key, createdAt: check.created_at, id: check.id },
  }
}

const dayMs = 86_400_000
const shownRuns = 30
/** Thirty runs of what runs as often as this are of the latest two days; of the others of the latest five weeks. */
const oftenMinutes = 90
const spans = { often: 2 * dayMs, seldom: 35 * dayMs }

export const readPage = async (
  context: RequestContext,
  filter: CheckFilter,
  { limit = perPage, ...place }: Omit<Place, 'limit'> & { limit?: number },
): Promise<RowsOfPage> => {
  const { by, isReversed } = place.sort
  const sorted = isByFigure(by)
    ? await rowsByFigure(context, filter, { by, isReversed, after: place.after, limit: limit + 1 })
    : { rows: await readRows(context, filter, { ...place, limit: limit + 1 }) }
  const rows = sorted.rows.slice(0, limit)
  const unwell = rows.filter(({ state }) => state === 'failing' || state === 'degraded')
  return {
    ...sorted,
    rows,
    next: sorted.rows.length > limit ? rows.at(-1)?.cursor : undefined,
    runs: await runsOf(context, rows),
    figures: await readListFigures(
      context,
      rows.map(({ id }) => id),
    ),
    reasons: await reasonsOf(
      context,
      unwell.map(({ id }) => id),
    ),
  }
}

export const runsOf = async (
  { app, now }: { app: App; now: number },
  rows: readonly Row[],
): Promise<RunsOfChecks> => {
  const read = (span: number, some: readonly Row[]) =>
    latestRuns(app.db, {
      ids: some.map(({ id }) => id),
      ...{ from: now - span, to: now + dayMs, perCheck: shownRuns },
    })
  const isOften = ({ frequency }: Row): boolean => frequency !== null && frequency <= oftenMinutes
  return new Map([
    ...(await read(spans.often, rows.filter(isOften))),
    ...(await read(
      spans.seldom,
      rows.filter((row) => !isOften(row)),
    )),
  ])
}
