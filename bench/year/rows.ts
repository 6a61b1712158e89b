/** What was measured of a year, as rows of the table. */
import type { Row } from '../bench.ts'
import { grouped, rounded } from '../support/numbers.ts'
import type { Deletion } from './deletion.ts'
import type { FilledCheck } from './fill-results.ts'
import type { Answered, Ingested } from './measure.ts'
import type { Question } from './questions.ts'

export type Measured = {
  ingested: Ingested
  answered: Map<string, Answered | null>
  readsPerCpuSecond: number
}

export type Year = { checks: FilledCheck[]; from: number; to: number; count: number }

export type Sizes = { resultBytes: number; rollupBytes: number; fileBytes: number }

export type AfterYear = {
  measured: Measured
  deletion: Deletion
  sizes: Sizes
  year: Year
  questions: Question[]
}

const stallsShown = ({ longestStatementMs, longestLoopMs }: Answered | Ingested | Deletion): string =>
  `longest statement ≤ ${longestStatementMs ?? '∞'} ms, loop ${rounded(longestLoopMs)} ms`

export const shown = (answer: Answered | null | undefined): string =>
  answer === null || answer === undefined
    ? '–'
    : `p50 ${rounded(answer.p50Ms, 1)}, p99 ${rounded(answer.p99Ms, 1)} ms, CPU ${rounded(answer.cpuMs, 1)} ms; ${stallsShown(answer)}`

const rowOf = (row: Pick<Row, 'work' | 'ours' | 'against' | 'goal' | 'met' | 'numbers'>): Row => ({
  name: 'P16',
  ratio: '',
  notes: [],
  ...row,
})

export const questionRow = ({ name, goalMs }: Question, before: Measured, after: Measured): Row => {
  const [was, is] = [before.answered.get(name), after.answered.get(name)]
  return rowOf({
    work: name,
    ours: shown(is),
    against: `empty store: ${shown(was)}`,
    goal: `p99 ≤ ${goalMs} ms`,
    met: is === null || is === undefined ? null : is.p99Ms <= goalMs,
    numbers: {
      ...Object.fromEntries(Object.entries(is ?? {}).map(([key, value]) => [key, rounded(value ?? -1, 2)])),
      emptyP50Ms: rounded(was?.p50Ms ?? Number.NaN, 2),
      emptyP99Ms: rounded(was?.p99Ms ?? Number.NaN, 2),
      emptyCpuMs: rounded(was?.cpuMs ?? Number.NaN, 2),
    },
  })
}

const ingestShown = (one: Ingested): string =>
  `${grouped(one.perSecond)}/s, ${rounded(one.cpuUs)} µs of CPU each; ${stallsShown(one)}`

export const storeRowsOf = (
  before: Measured,
  { measured, deletion, sizes, year }: AfterYear,
  bare: number,
): Row[] => [
  rowOf({
    work: 'P3 results taken in',
    ours: ingestShown(measured.ingested),
    against: `empty store: ${ingestShown(before.ingested)}`,
    goal: '≥ 15,000/s',
    met: measured.ingested.perSecond >= 15_000,
    numbers: {
      ...measured.ingested,
      emptyPerSecond: before.ingested.perSecond,
      emptyCpuUs: before.ingested.cpuUs,
    },
  }),
  rowOf({
    work: 'P7 GET /v1/checks/{id} per CPU-second',
    ours: `${grouped(measured.readsPerCpuSecond)}, ${rounded((100 * measured.readsPerCpuSecond) / bare)} % of bare node:http`,
    against: `empty store: ${grouped(before.readsPerCpuSecond)}`,
    goal: '≥ 30 %',
    met: measured.readsPerCpuSecond / bare >= 0.3,
    numbers: { perCpuSecond: measured.readsPerCpuSecond, emptyPerCpuSecond: before.readsPerCpuSecond, bare },
  }),
  rowOf({
    work: `bytes of each of ${grouped(year.count)} results`,
    ours: `${rounded(sizes.resultBytes)} B, rollups ${rounded(sizes.rollupBytes)} B, file ${rounded(sizes.fileBytes / 1e6)} MB`,
    against: '',
    goal: '≤ 320 B',
    met: sizes.resultBytes <= 320,
    numbers: sizes,
  }),
  rowOf({
    work: `${grouped(deletion.rows)} results deleted`,
    ours: `${grouped(deletion.perSecond)}/s in ${rounded(deletion.seconds)} s, ${rounded(deletion.cpuUs, 1)} µs of CPU each; ${stallsShown(deletion)}`,
    against: '',
    goal: 'statements ≤ 20 ms',
    met: deletion.statementsOver20Ms === 0,
    numbers: deletion,
  }),
]
