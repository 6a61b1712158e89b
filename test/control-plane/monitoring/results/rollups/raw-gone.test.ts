// Runs in test:all only: it counts a hundred days, hour by hour.
// Runs on both engines in test:all: rows are counted, added up and removed.
/**
 * Where results are over, no figure guesses: every interval, time zone and window beside a recount that was made without the
 * store, over the time that the answer says it covers; and it covers no more than it has to.
 */
import t, { type Test } from 'tap'
import { retentionTick } from '../../../../../control-plane/platform/retention/retention-tick.ts'
import { firstIdAt } from '../../../../../control-plane/platform/words/uuid.ts'
import { retentionKinds } from '../../../../../control-plane/retention.ts'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { fc } from '../../../../support/fast-check.ts'
import { byLength, runsIn } from '../../../../support/length.ts'
import {
  type Asked,
  type Covered,
  type Run,
  runAt,
  storedOf,
  wrongAnswers,
} from '../../../../support/recount.ts'
import { countAll, takeIn } from '../../../../support/rollups.ts'
import { storeCheck } from '../../../../support/stored-results.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const days = 104
const rawDays = 3
const perDay = byLength({
  short: { minLength: 8, maxLength: 14 },
  all: { minLength: 8, maxLength: 14 },
  long: { minLength: 20, maxLength: 30 },
})

type World = { plane: TestApp; checkId: string; runs: Run[]; from: number; now: number }

/** Each day's runs come in on their day, and what is over goes at the end. */
const worldOf = async (t: Test, engine: 'sqlite' | 'postgres'): Promise<World> => {
  const plane = await testApp(t, {
    engine,
    env: { RETENTION_RESULTS_DAYS: String(rawDays), RETENTION_ROLLUPS_DAYS: '100' },
  })
  let made = 0
  plane.app.newId = () => {
    made += 1
    return firstIdAt(plane.app.clock.now()).slice(0, -12) + String(made).padStart(12, '0')
  }
  const checkId = await storeCheck(plane)
  const from = plane.app.clock.now()
  const runs: Run[] = []
  // One that comes in late for an hour whose results are over, and which is thinned already.
  const late: Run[] = []
  for (let n = 0; n < days; n++) {
    const at = from + n * day
    const [ofDay = []] = fc.sample(fc.array(runAt(at, at + day), perDay), {
      numRuns: 1,
      seed: 1000 + n,
    })
    plane.advance(at + day - plane.app.clock.now())
    runs.push(...ofDay)
    if (n % 9 === 0) late.push(...ofDay.splice(0, 2))
    await takeIn(
      plane,
      ofDay.map((run) => storedOf(checkId, run)),
    )
  }
  plane.advance(12 * hour)
  await countAll(plane.app)
  await retentionTick(retentionKinds)(plane.app, new AbortController().signal)
  await takeIn(
    plane,
    late.map((run) => storedOf(checkId, run)),
  )
  await countAll(plane.app)
  return { plane, checkId, runs, from, now: plane.app.clock.now() }
}

const windowsOf = ({ from, now }: World): [string, number, number][] => [
  ['the last day, cut', now - day - 7 * minute, now - 3 * minute],
  ['hours of results', now - 30 * hour + 11 * minute, now - 5 * hour - 13 * minute],
  ['half-hour zone, last week', now - 8 * day - 5.5 * hour, now - 5.5 * hour],
  ['quarters, gone', now - 40 * day + 15 * minute, now - 38 * day + 45 * minute],
  ['within a quarter, gone', now - 40 * day + 7 * minute, now - 40 * day + 9 * minute],
  ['minutes, gone', now - 50 * day + 7 * minute, now - 49 * day + 53 * minute],
  ['from gone to there', now - 6 * day - 22 * minute, now - 10 * minute],
  ['aged', from + 6 * day + 3 * hour, from + 9 * day + 17 * hour],
  ['aged, cut', from + 6 * day + 3 * hour + 20 * minute, from + 9 * day + 17 * hour + 1000],
  ['from aged to now', now - 97 * day + 19 * minute, now],
  ['beyond what is kept', from, now - 95 * day],
  ['all of it', from - 7 * day, now],
]

/** What is asked of each window in each interval, beside the whole. */
const parts = [
  { groupBy: null, status: 'failure' },
  { groupBy: 'runLocation', status: null },
  { groupBy: 'statusCode', status: null },
] as const

/** One of them by turns: every window and every interval has each of them; in long runs all at once. */
const partsInTurn = (window: number, interval: number): readonly (typeof parts)[number][] => {
  // Not what decides which are asked at all on other stores.
  const turn = (window + Math.floor(interval / 3)) % parts.length
  return runsIn('long') ? parts : parts.slice(turn, turn + 1)
}

const intervals = [null, 1, 7, 15, 25, 30, 45, 60, 90, 180, 720, 1440, 2160, 10_080]

const isCut = (value: number, ms: number): boolean => value % ms !== 0

/** Why it is not what was asked for, where that could have been answered. */
const wrongCover = ({ now }: World, { from, to, minutes, groupBy }: Asked, covered: Covered): string[] => {
  const isFine = from >= now - 89 * day
  const isCutAtAll = [from, to, (minutes ?? 15) * minute].some((value) => isCut(value, 15 * minute))
  const cutsHours = [from, to, (minutes ?? 60) * minute].some((value) => isCut(value, hour))
  const cutsDays = [from, to, (minutes ?? 1440) * minute].some((value) => isCut(value, day))
  const isThere = from >= now - (rawDays - 1) * day
  const isKnown = from >= now - 98 * day
  const asAsked = isThere || (isFine ? !isCutAtAll : isKnown && !(groupBy === null ? cutsHours : cutsDays))
  const found = {
    from: Date.parse(covered.from) === from,
    to: Date.parse(covered.to) === to,
    interval: covered.aggregationInterval === minutes,
  }
  const isAsAsked = found.from && found.to && found.interval
  const wrong = asAsked && !isAsAsked ? [`covers ${JSON.stringify(covered)}`] : []
  if (isKnown && isAsAsked !== (covered.snappedTo === null)) wrong.push('does not say that it was widened')
  const mostMs = isFine ? 15 * minute : groupBy === null ? hour : day
  if (from - Date.parse(covered.from) >= mostMs || Date.parse(covered.to) - to >= mostMs)
    wrong.push(`covers more than it has to: ${JSON.stringify(covered)}`)
  return wrong
}

type Bucket = { from: string; to: string; successRatio: number | null; avg: number | null }
type Beside = { runs: readonly Run[]; after: Bucket | undefined; zone: string | null }

/** `zone`: where it is a day of. */
const wrongBucket = (bucket: Bucket, { runs, after, zone }: Beside): string[] => {
  const wrong: string[] = []
  const [from, to] = [Date.parse(bucket.from), Date.parse(bucket.to)]
  if (after !== undefined && bucket.from !== after.to) wrong.push(`${bucket.from}: a gap before it`)
  const judged = runs.filter(
    ({ at, resultType, hasErrors, isCancelled }) =>
      at >= from && at < to && resultType === 'FINAL' && !hasErrors && !isCancelled,
  )
  const passed = judged.filter(({ hasFailures }) => !hasFailures).length
  const ratio = judged.length === 0 ? null : Math.round((100_000 * passed) / judged.length) / 1000
  if (bucket.successRatio !== ratio) wrong.push(`${bucket.from}: ${bucket.successRatio} %, not ${ratio}`)
  const average = judged.reduce((total, { responseTime }) => total + responseTime, 0) / judged.length
  const isAverage =
    judged.length === 0 ? bucket.avg === null : Math.abs((bucket.avg ?? Number.NaN) - average) < 0.0011
  if (!isAverage) wrong.push(`${bucket.from}: ${bucket.avg} ms, not ${average}`)
  const shown =
    zone === null
      ? '00:00'
      : new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' }).format(from)
  if (shown !== '00:00') wrong.push(`${bucket.from}: begins at ${shown}`)
  return wrong
}

for (const engine of engineNames)
  t.test(`the results are gone (${engine})`, async (t) => {
    const world = await worldOf(t, engine)
    await t.test('every interval and window', async (t) => {
      let asked = 0
      for (const [window, [name, from, to]] of windowsOf(world).entries())
        for (const [interval, minutes] of intervals.entries()) {
          // Figures are made of rows in one way, whatever store they came from: there each is asked of some.
          if (engine !== 'sqlite' && !runsIn('long') && (window + interval) % 3 !== 0) continue
          for (const { groupBy, status } of [
            { groupBy: null, status: null },
            ...partsInTurn(window, interval),
          ]) {
            const question = { from, to, minutes, groupBy, status }
            const { wrong, body } = await wrongAnswers(world.plane, world, question)
            wrong.push(...wrongCover(world, question, body))
            if (asked % 25 === 24) world.plane.advance(minute)
            asked += 1
            if (wrong.length > 0)
              t.fail(`${name}, ${minutes} minutes, ${groupBy}, ${status}: ${wrong.slice(0, 3).join('; ')}`)
          }
        }
      t.ok(asked > (engine === 'sqlite' ? 300 : 100))
    })

    await t.test('reports by the days of every zone', async (t) => {
      const { plane, runs, now } = world
      for (const zone of [
        'UTC',
        'Asia/Kolkata',
        'Asia/Kathmandu',
        'America/St_Johns',
        'Pacific/Chatham',
        'Europe/Berlin',
      ])
        for (const since of [now - 80 * day, now - 97 * day]) {
          const query = `from=${since / 1000}&to=${now / 1000}&granularity=day&timezone=${zone}`
          const { body } = await plane.call('GET', `/v1/reporting?${query}`)
          const buckets: Bucket[] = body[0].aggregates
          t.ok(buckets.length >= 80, zone)
          const wrong = buckets.flatMap((bucket, n) => {
            const isWholeDay = n > 0 && Date.parse(bucket.from) >= now - 89 * day
            return wrongBucket(bucket, { runs, zone: isWholeDay ? zone : null, after: buckets[n - 1] })
          })
          t.strictSame(wrong, [], zone)
        }
    })
  })
