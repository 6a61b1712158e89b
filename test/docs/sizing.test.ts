// Runs in test:all only: it counts days of results, minute by minute.
/** What docs/deploy/sizing.md says that rollups take, beside what they take. */
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { testApp } from '../support/app.ts'
import { byLength } from '../support/length.ts'
import { countAll, takeIn } from '../support/rollups.ts'
import { storeCheck } from '../support/stored-results.ts'

const day = 86_400_000
const measuredDays = byLength({ short: 1, all: 1, long: 2 })

type Shape = { locations: number; statuses: number; everyMs: number }

/** Bytes a day by the minutes of their rows, with keys and what pages leave unused: of fine days, and what is left when they have aged. */
const measured = async (t: Test, { locations, statuses, everyMs }: Shape) => {
  const plane = await testApp(t)
  const { app } = plane
  const checkId = await storeCheck(plane, { doc: { frequency: 1 } })
  const from = app.clock.now()
  const runs = Array.from({ length: (measuredDays * day) / everyMs }, (_, n) => {
    const spread = Math.exp(0.45 * Math.sin(n * n) * Math.SQRT2)
    const tenths = (value: number) => Math.round(value * spread * 10) / 10
    return {
      checkId,
      at: from + n * everyMs,
      location: `location-${n % locations}`,
      responseTime: tenths(180),
      doc: {
        metrics: {
          dns: tenths(9),
          tcp: tenths(20),
          tls: tenths(40),
          firstByte: tenths(90),
          download: tenths(12),
        },
        apiCheckResult: {
          response: { status: [200, 204, 304, 404, 503][Math.floor(n / locations) % statuses] },
        },
      },
    }
  })
  for (let at = 0; at < runs.length; at += 1000) await takeIn(plane, runs.slice(at, at + 1000))
  plane.advance(measuredDays * day + 6 * 60_000)
  await countAll(app)
  const bytesOf = async (): Promise<Map<number, number>> => {
    const rows = await app.db.select<{ minutes: number; bytes: number }>((k) =>
      k
        .selectFrom('result_rollups')
        .select(['minutes', sql<number>`sum(length(cells) + length(series) + 14)`.as('bytes')])
        .groupBy('minutes')
        .$castTo<{ minutes: number; bytes: number }>(),
    )
    return new Map(rows.map(({ minutes, bytes }) => [minutes, bytes / measuredDays]))
  }
  const fine = await bytesOf()
  plane.advance(92 * day)
  await countAll(app)
  return { fine, aged: await bytesOf() }
}

const page = readFileSync(new URL('../../docs/deploy/sizing.md', import.meta.url), 'utf8')

/** A figure of the page's formula in bytes a day. */
const said = (name: string): number => {
  const [, figure] = new RegExp(`${name} = ([\\d.]+) KB`).exec(page) ?? []
  if (figure === undefined) throw new Error(`the page says nothing of ${name}`)
  return 1000 * Number(figure)
}

const isNear = (found: number, expected: number): boolean => Math.abs(found - expected) <= 0.15 * expected

for (const shape of [
  { locations: 1, statuses: 1, everyMs: 60_000 },
  { locations: 3, statuses: 2, everyMs: 60_000 },
  { locations: 5, statuses: 3, everyMs: 30_000 },
])
  t.test(`rollups of ${JSON.stringify(shape)} take what the page says`, async (t) => {
    const { fine, aged } = await measured(t, shape)
    const cells = shape.locations * shape.statuses
    const of = (sizes: ReadonlyMap<number, number>, minutes: number): number => sizes.get(minutes) ?? 0
    const fineBytes = of(fine, 15) + of(fine, 60)
    t.ok(isNear(fineBytes, said('F₀') + cells * said('F')), `${fineBytes} bytes of a fine day`)
    t.ok(isNear(of(aged, 60), said('H')), `${of(aged, 60)} bytes of the hours of an aged day`)
    t.ok(isNear(of(aged, 1440), said('D₀') + cells * said('D')), `${of(aged, 1440)} bytes of a day`)
    t.notOk(aged.has(15), 'quarters are gone')
  })
