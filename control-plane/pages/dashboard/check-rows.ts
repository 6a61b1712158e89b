/** The checks of a page of the list, with what is known of each: few statements for all of them, and no result is read for it. */
import type { CheckType } from '../../../protocol/check-type.ts'
import { checkDoc } from '../../monitoring/definitions/checks/check-doc.ts'
import {
  type CheckFilter,
  type OrderCursor,
  type OrderedCheck,
  orderedChecks,
} from '../../monitoring/definitions/checks/list-queries.ts'
import { type LatestRun, latestRuns } from '../../monitoring/results/stored/latest-runs.ts'
import { isByFigure, perPage, type Sort } from './check-filter.ts'
import { type Reason, reasonsOf } from './check-reasons.ts'
import { type ListFigures, readListFigures } from './list-figures.ts'
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

export type RowsOfPage = {
  rows: Row[]
  next: OrderCursor | undefined
  runs: ReadonlyMap<string, LatestRun[]>
  figures: ReadonlyMap<string, ListFigures>
  reasons: ReadonlyMap<string, Reason>
}

/** Of more than these the figures are not read to sort by them. */
export const mostByFigure = 1000

type Place = { sort: Sort; after: OrderCursor | undefined; limit: number }

export const readRows = async (
  context: RequestContext,
  filter: CheckFilter,
  { sort: { by, isReversed }, after, limit }: Place,
): Promise<Row[]> => {
  if (!isByFigure(by))
    return (await orderedChecks(context.app.db, filter, { order: by, isReversed, after, limit })).map(rowOf)
  const all = (
    await orderedChecks(context.app.db, filter, { order: 'created', after: undefined, limit: mostByFigure })
  ).map(rowOf)
  const figures = await readListFigures(
    context,
    all.map(({ id }) => id),
  )
  // What is worst comes first; what was not measured comes last.
  const sign = (by === 'uptime') === isReversed ? -1 : 1
  const placeOf = ({ id }: Row): number => {
    const value = figures.get(id)?.[by]
    return value === null || value === undefined ? Number.MAX_SAFE_INTEGER : sign * value
  }
  const sorted = all.map((row) => ({ ...row, cursor: { ...row.cursor, key: placeOf(row) } }))
  sorted.sort((a, b) => compare(a.cursor, b.cursor))
  const from = after === undefined ? 0 : sorted.findIndex(({ cursor }) => compare(cursor, after) > 0)
  return from === -1 ? [] : sorted.slice(from, from + limit)
}

const compare = (a: OrderCursor, b: OrderCursor): number =>
  Number(a.key) - Number(b.key) || a.createdAt - b.createdAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

const rowOf = (check: OrderedCheck): Row => {
  const {
    muted,
    tags: names,
    frequency,
    request,
  } = checkDoc.read(check.doc) as {
    muted?: boolean
    tags: string[]
    frequency?: number
    request?: { url?: string; hostname?: string; query?: string; port?: number }
  }
  const host = request?.port === undefined ? request?.hostname : `${request.hostname}:${request.port}`
  return {
    id: check.id,
    name: check.name,
    type: check.type as CheckType,
    state: check.activated ? stateOf(check.state ?? undefined) : 'paused',
    isMuted: muted === true,
    tags: names ?? [],
    groupId: check.group_id,
    frequency: frequency ?? null,
    target: request?.url ?? host ?? request?.query ?? '',
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
  place: Omit<Place, 'limit'>,
): Promise<RowsOfPage> => {
  const read = await readRows(context, filter, { ...place, limit: perPage + 1 })
  const rows = read.slice(0, perPage)
  const unwell = rows.filter(({ state }) => state === 'failing' || state === 'degraded')
  return {
    rows,
    next: read.length > perPage ? rows.at(-1)?.cursor : undefined,
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

const runsOf = async (
  { app, now }: RequestContext,
  rows: readonly Row[],
): Promise<ReadonlyMap<string, LatestRun[]>> => {
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
