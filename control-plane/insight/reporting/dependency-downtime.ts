/** How long checks failed because something that they depend on was down, and what that was. The share of runs that passed stays what was measured. */
import { keptBackOfChecks, keptBackStates } from '../../alerting/check-alerts/kept-back-queries.ts'
import { alertStateDoc } from '../../alerting/engine/alert-state-doc.ts'
import type { ListSource } from '../../platform/long-reads/read-slices.ts'
import type { Window } from '../analytics/window.ts'
import type { ReportBucket } from './schema.ts'

type Causes = ReportBucket['dependencyDowntime']
type Question = { checkIds: readonly string[]; spans: readonly Window[]; now: number }
type Period = { name: string; from: number; to: number }

const mostNamed = 10

/** By check, what each of the spans has of it. */
export const dependencyDowntime = async (
  source: ListSource,
  { checkIds, spans, now }: Question,
): Promise<ReadonlyMap<string, Causes[]>> => {
  const sums = new Map<string, Sums>()
  const add = (checkId: string, period: Period): void => {
    const sum = sums.get(checkId) ?? newSums(spans)
    sums.set(checkId, sum)
    sum.add(period)
  }
  const from = spans[0]?.from ?? now
  await eachThatIsOver(source, { checkIds, from }, (row) =>
    add(row.check_id, { name: row.because_name, from: row.began_at, to: row.ended_at }),
  )
  const states = await source.reading.piece(() => source.db.all(keptBackStates, { checkIds }))
  for (const { check_id, doc } of states) {
    const { heldBack } = alertStateDoc.read(doc)
    if (heldBack !== null && heldBack.phase === 'down' && heldBack.from > 0)
      add(check_id, { name: heldBack.name, from: heldBack.from, to: now })
  }
  return new Map([...sums].map(([checkId, sum]) => [checkId, sum.causes()]))
}

type Row = Awaited<ReturnType<typeof keptBackOfChecks>>[number]

const eachThatIsOver = async (
  { db, reading }: ListSource,
  which: { checkIds: readonly string[]; from: number },
  take: (row: Row) => void,
): Promise<void> => {
  let after = null as Parameters<typeof keptBackOfChecks>[2]
  do {
    after = await reading.piece(async (size) => {
      const rows = await keptBackOfChecks(db, { ...which, limit: size }, after)
      for (const row of rows) take(row)
      const last = rows.length < size ? undefined : rows.at(-1)
      return last === undefined ? null : { checkId: last.check_id, endedAt: last.ended_at, id: last.id }
    })
  } while (after !== null)
}

type Sums = { add(period: Period): void; causes(): Causes[] }

/** Of one check, the earliest end first: a time that two of them name is counted once. */
const newSums = (spans: readonly Window[]): Sums => {
  const byName = spans.map(() => new Map<string, number>())
  let countedTo = 0
  return {
    add: ({ name, from, to }) => {
      const begins = Math.max(from, countedTo)
      countedTo = Math.max(countedTo, to)
      for (const [at, span] of spans.entries()) {
        const ms = Math.min(to, span.to) - Math.max(begins, span.from)
        if (ms > 0) byName[at]?.set(name, (byName[at]?.get(name) ?? 0) + ms)
      }
    },
    causes: () =>
      byName.map((sums) =>
        [...sums]
          .map(([name, ms]) => ({ name, seconds: Math.round(ms / 1000) }))
          .toSorted((a, b) => b.seconds - a.seconds)
          .slice(0, mostNamed),
      ),
  }
}
