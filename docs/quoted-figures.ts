/**
 * Figures that documents quote from the table of benchmarks: where each stands, and what of bench/results it is. `node
 * docs/generate-benchmarks.ts` writes them anew; a test compares, and finds a quotation that nobody has listed here.
 */
import { readFileSync } from 'node:fs'
import type { Row } from '../bench/bench.ts'
import { grouped } from '../bench/support/numbers.ts'

type Numbers = Row['numbers']

export type QuotedFigure = {
  document: string
  /** Finds the figure by what stands around it. */
  at: RegExp
  /** File of bench/results, and name of its row, or what work it is. */
  of: readonly [file: string, row: string]
  show: (numbers: Numbers) => string
}

const numberOf = (numbers: Numbers, key: string): number => {
  const value = numbers[key]
  if (typeof value !== 'number') throw new Error(`the results have no ${key}`)
  return value
}

const whole = (key: string) => (numbers: Numbers) => grouped(numberOf(numbers, key))
const seconds = (key: string) => (numbers: Numbers) => (numberOf(numbers, key) / 1000).toFixed(1)
const nearest = (key: string) => (numbers: Numbers) => grouped(Math.round(numberOf(numbers, key)))
const tenths = (key: string) => (numbers: Numbers) => numberOf(numbers, key).toFixed(1)
/** Of what is counted by the second of CPU: what one takes. */
const msEach = (numbers: Numbers) => (1000 / numberOf(numbers, 'oursPerCpuSecond')).toFixed(2)
/** Rounded down: a page of sizes promises no more than was measured. */
const thousands = (numbers: Numbers) => grouped(Math.floor(numberOf(numbers, 'perSecond') / 1000) * 1000)
const withoutDetails = (numbers: Numbers) =>
  grouped(numberOf(numbers, 'bytes') - numberOf(numbers, 'detailsBytes'))

const sqlite = ['p3-ingest', 'P3 sqlite first'] as const
const postgres = ['p3-ingest', 'P3 postgres first'] as const
const rowOnSqlite = ['p13-row-size', 'P13 sqlite'] as const
const rowOnPostgres = ['p13-row-size', 'P13 postgres'] as const
const urlOf = (variant: string) => ['p1-url-checks', `P1 ${variant}`] as const
const replica = ['p18-read-replica', 'P18'] as const
const hundredMillion = (work: string) => ['p16-year-postgres', work] as const
const bytesOfMillions = hundredMillion('bytes of each of 99,999,360 results')
const reportOfAll = hundredMillion('report of 30 days of all checks')
const browserCheck = ['p9-browser-checks', 'P9 test'] as const

type Quotation = readonly [RegExp, QuotedFigure['of'], QuotedFigure['show']]

const byDocument: Readonly<Record<string, readonly Quotation[]>> = {
  'docs/scaling.md': [
    [/(?<=\| results taken in a second \(P3\) \| )[\d,]+/, sqlite, whole('perSecond')],
    [/(?<=\| results taken in a second \(P3\) \| [\d,]+ \| )[\d,]+/, postgres, whole('perSecond')],
    [/(?<=\| CPU of the control plane a result \| )[\d,]+/, sqlite, whole('controlPlaneCpuUs')],
    [
      /(?<=\| CPU of the control plane a result \| [\d,]+ µs \| )[\d,]+/,
      postgres,
      whole('controlPlaneCpuUs'),
    ],
    [/(?<=\| CPU of the server a result \| none \| )[\d,]+/, postgres, whole('postgresCpuUs')],
    [/(?<=the primary has )[\d.]+/, replica, tenths('withPrimaryS')],
    [/(?<=of CPU with a replica and )[\d.]+/, replica, tenths('withoutPrimaryS')],
    [/(?<=the replica has )[\d.]+/, replica, tenths('withReplicaS')],
    [/[\d,]+(?= B a result with its document, and)/, bytesOfMillions, nearest('resultBytes')],
    [/(?<= B a result with its document, and )[\d,]+/, bytesOfMillions, nearest('rollupBytes')],
    [/(?<=The newest hundred of one check take )[\d,]+/, hundredMillion('results, newest'), nearest('p50Ms')],
    [/(?<=the failing ones )[\d,]+/, hundredMillion('results, failing'), nearest('p50Ms')],
    [/(?<=its analytics of 30 days )[\d,]+/, hundredMillion('P5 30 days by hours'), nearest('p50Ms')],
    [/(?<=and of all by days )[\d,]+/, hundredMillion('P5 a year by days'), nearest('p50Ms')],
    [/(?<=30 days of all the checks take )[\d.]+/, reportOfAll, seconds('p50Ms')],
    [/[\d.]+(?= s of the server's processor and)/, reportOfAll, seconds('serverCpuMs')],
    [/(?<= s of the server's processor and )[\d.]+/, reportOfAll, seconds('cpuMs')],
  ],
  'docs/deploy/sizing.md': [
    [/(?<=\| URL, plain HTTP \| )[\d.]+/, urlOf('http'), msEach],
    [/(?<=\| URL over TLS 1\.3, new connection each time \| )[\d.]+/, urlOf('tls'), msEach],
    [/(?<=\| API with five assertions \| )[\d.]+/, urlOf('api'), msEach],
    [/(?<=\| browser check, one small page \| )[\d.]+/, browserCheck, seconds('ours_cpu')],
    [/(?<=with the preparation of the next one )[\d.]+/, browserCheck, seconds('ours_cpuInAll')],
    [/(?<=\| CPU \| )[\d,]+(?= µs a result on SQLite)/, sqlite, whole('controlPlaneCpuUs')],
    [/(?<=a result on SQLite; )[\d,]+/, postgres, whole('controlPlaneCpuUs')],
    [/(?<=µs on PostgreSQL, and )[\d,]+/, postgres, whole('postgresCpuUs')],
    [/(?<=\| results a second \| )[\d,]+/, sqlite, thousands],
    [/(?<=\| results a second \| [\d,]+ on SQLite, )[\d,]+/, postgres, thousands],
    [/(?<=\| disk, SQLite \| )[\d,]+/, rowOnSqlite, whole('bytes')],
    [/(?<=a passing result with its details, )[\d,]+/, rowOnSqlite, withoutDetails],
    [/(?<=\| disk, PostgreSQL \| )[\d,]+/, rowOnPostgres, whole('bytes')],
    [/(?<=bytes a passing result, )[\d,]+(?= without details)/, rowOnPostgres, withoutDetails],
    [/(?<=runs a day × \(7 × )[\d,]+/, rowOnSqlite, whole('bytes')],
    [/(?<= \+ 23 × )[\d,]+/, rowOnSqlite, withoutDetails],
  ],
}

export const quotedFigures: readonly QuotedFigure[] = Object.entries(byDocument).flatMap(
  ([document, quotations]) => quotations.map(([at, of, show]) => ({ document, at, of, show })),
)

export const nameOf = ({ document, at, of: [, row] }: QuotedFigure): string => `${document}: ${row} at ${at}`

const rowIn = ([file, name]: QuotedFigure['of']): Row => {
  const text = readFileSync(new URL(`../bench/results/${file}.json`, import.meta.url), 'utf8')
  const row = (JSON.parse(text) as { rows: Row[] }).rows.find((row) => row.name === name || row.work === name)
  if (row === undefined) throw new Error(`bench/results/${file}.json has no row ${name}`)
  return row
}

export const measured = ({ of, show }: QuotedFigure): string => show(rowIn(of).numbers)

/** Null: the document does not say it any more. */
export const quotedIn = ({ at }: QuotedFigure, text: string): string | null => at.exec(text)?.[0] ?? null
