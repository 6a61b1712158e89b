// Runs on both engines in test:all: what is told is decided under locks.
/**
 * Whatever happens, no failure that nobody explains stays silent, nothing is told twice, what was told gets its recovery, and what
 * depends on something that is down is not told; what flaps is told once, and once how it is; so are groups as a whole. Histories of chance run through the real program; told-oracle.ts judges them.
 */
import t from 'tap'
import { engineNames } from '../../../../support/databases.ts'
import { fc } from '../../../../support/fast-check.ts'
import { byLength } from '../../../../support/length.ts'
import { faultsOfGroups } from '../../../../support/told-of-groups.ts'
import { faultsOf } from '../../../../support/told-oracle.ts'
import { type Incident, liveThrough, type World } from '../../../../support/told-room.ts'
import '../../../../support/patience.ts'

const place = fc.nat({ max: 5 })
const thing = fc.record({ kind: fc.constantFrom<'check' | 'group'>('check', 'check', 'group'), place })
const incident: fc.Arbitrary<Incident> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('turn' as const),
      check: place,
      letter: fc.constantFrom<'p' | 'd' | 'f'>('f', 'f', 'f', 'p', 'p', 'd'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({ what: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 90 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('flap' as const),
      check: place,
      times: fc.integer({ min: 3, max: 8 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('depend' as const),
      of: thing,
      on: fc.array(thing, { maxLength: 2 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constant('agent' as const),
      mode: fc.constantFrom<'here' | 'away' | 'silent'>('here', 'here', 'away', 'silent'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      what: fc.constantFrom<'mute' | 'stop'>('mute', 'stop'),
      of: thing,
      on: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constant('maintenance' as const),
      check: place,
      seconds: fc.integer({ min: 5, max: 200 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ what: fc.constant('kill' as const), atWork: fc.boolean() }) },
)

const world: fc.Arbitrary<World> = fc.record({
  groups: fc.nat({ max: 2 }),
  groupTells: fc.constantFrom('BOTH', 'GROUP', null),
  waitSeconds: fc.constantFrom(0, 3, 10, 10, 10, 30),
  checks: fc.array(
    fc.record({
      group: fc.option(fc.nat({ max: 1 })),
      runs: fc.constantFrom(1, 1, 2, 3, null),
      often: fc.boolean(),
      flapping: fc.boolean(),
    }),
    { minLength: 3, maxLength: 6, size: 'max' },
  ),
  incidents: fc.array(incident, { minLength: 20, maxLength: 40, size: 'max' }),
})

for (const engine of engineNames)
  t.test(`histories of chance (${engine})`, async (t) => {
    let told = 0
    let results = 0
    let ofGroups = 0
    const numRuns = byLength({ short: 5, all: 8, long: 300 })
    await fc.assert(
      fc.asyncProperty(world, async (given) => {
        const history = await liveThrough(t, engine, given)
        told += history.alerts.length
        results += history.results.length
        ofGroups += history.alerts.filter(({ checkId }) => checkId.startsWith('group:')).length
        const faults = [...faultsOf(history), ...faultsOfGroups(history)]
        if (faults.length > 0) throw new Error(faults.join('\n'))
      }),
      // To make a history smaller takes longer than a file of tests may: without this, by its seed.
      { numRuns, endOnFailure: true },
    )
    t.comment(`${numRuns} histories, ${results} results, ${told} alerts, ${ofGroups} of them of groups`)
    t.ok(told > 0)
  })
