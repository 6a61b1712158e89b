// Runs in test:all only: it makes up hundreds of histories.
// Runs on both engines in test:all: rows are counted and added up.
/** Rollups equal a recount of the raw results, whatever came in when, and however often counting was cut off. */

import t from 'tap'
import { type TestApp, testApp } from '../../../../support/app.ts'
import { engineNames } from '../../../../support/databases.ts'
import { fc } from '../../../../support/fast-check.ts'
import { byLength } from '../../../../support/length.ts'
import { type Run, runAt, storedOf, wrongAnswers } from '../../../../support/recount.ts'
import { countAll, takeIn } from '../../../../support/rollups.ts'
import { storeCheck } from '../../../../support/stored-results.ts'

const hour = 3_600_000
const day = 24 * hour
/** Every question is answered from rollups where it can be, however few results there are. */
const askEverything = async (
  plane: TestApp,
  world: { checkId: string; runs: readonly Run[] },
  now: number,
) => {
  const wrong: string[] = []
  for (const groupBy of [null, 'runLocation', 'statusCode'])
    for (const [from, minutes] of [
      [now - 3 * day, null],
      [now - 3 * day, 60],
      [now - 3 * day - 17 * 60_000, 1440],
      [now - 3 * day + 23 * 60_000, null],
      [now - 2 * day, 90],
      [now - day, 25],
    ] as const)
      wrong.push(
        ...(await wrongAnswers(plane, world, { from, to: now, minutes, groupBy, status: null })).wrong,
      )
  for (const status of ['success', 'failure'])
    wrong.push(
      ...(
        await wrongAnswers(plane, world, {
          from: now - 3 * day,
          to: now,
          minutes: 720,
          groupBy: null,
          status,
        })
      ).wrong,
    )
  return wrong
}

/** More results than an exact answer may read. */
const manyOthers = (at: number): Run[] =>
  Array.from({ length: 2001 }, (_, n) => ({
    at: at + n * 3,
    location: 'b',
    responseTime: (n * 7919) % 2003,
    hasFailures: n % 11 === 0,
    attempts: 0,
    hasErrors: false,
    isCancelled: false,
    resultType: 'FINAL',
    dns: null,
    status: 200,
  }))

for (const engine of engineNames)
  t.test(`rollups equal a recount of the raw results (${engine})`, async (t) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(runAt(-3 * day, -6 * hour), { minLength: 20, maxLength: 150 }),
        fc.array(runAt(-3 * day, 0), { maxLength: 60 }),
        fc.array(runAt(-6 * hour, 0), { maxLength: 40 }),
        async (early, random, tail) => {
          const plane = await testApp(t, { engine })
          const now = plane.app.clock.now()
          const late = [...random, ...manyOthers(-30 * hour)]
          const world = { checkId: await storeCheck(plane), runs: [...early, ...late, ...tail] }
          for (const run of world.runs) run.at += run.at < 0 ? now : 0
          plane.advance(-6 * hour)
          await takeIn(
            plane,
            early.map((run) => storedOf(world.checkId, run)),
          )
          await countAll(plane.app)
          plane.advance(6 * hour)
          await takeIn(
            plane,
            [...late, ...tail].map((run) => storedOf(world.checkId, run)),
          )
          await countAll(plane.app)
          const wrong = await askEverything(plane, world, now)
          plane.drain()
          if (wrong.length > 0) throw new Error(wrong.slice(0, 20).join('\n'))
        },
      ),
      { numRuns: byLength({ short: 1, all: 1, long: 3 }), seed: 20260101, endOnFailure: true },
    )
  })
