import t from 'tap'
import { createSlotTable } from '../../../agent/orders/slot-table.ts'
import type { SlotRule } from '../../../protocol/standing-order.ts'
import { fc } from '../../support/fast-check.ts'

const instant = fc.integer({ min: 0, max: 4_102_444_800_000 })
const rule: fc.Arbitrary<SlotRule> = fc.record(
  {
    periodMs: fc.integer({ min: 1, max: 86_400_000 }),
    phaseMs: fc.nat(86_400_000),
    from: instant,
    parallel: fc.boolean(),
    locations: fc.integer({ min: 1, max: 100 }),
    position: fc.nat(99),
    turnAt: instant,
    turn: fc.nat(Number.MAX_SAFE_INTEGER),
    pauses: fc.array(fc.record({ from: instant, to: instant }), { maxLength: 2 }),
  },
  { noNullPrototype: true },
)

t.test('whatever comes and goes, each rule is read as it was added', async (t) => {
  const steps = fc.array(fc.record({ adds: fc.array(rule, { maxLength: 100 }), removes: fc.nat(80) }), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(steps, fc.infiniteStream(fc.nat()), (all, chance) => {
      const table = createSlotTable()
      const there = new Map<number, SlotRule>()
      for (const { adds, removes } of all) {
        for (const added of adds) there.set(table.add(added), added)
        for (let n = 0; n < removes && there.size > 0; n += 1) {
          const row = [...there.keys()][chance.next().value % there.size] as number
          table.remove(row)
          there.delete(row)
        }
        for (const [row, added] of there) t.strictSame(table.read(row), added)
      }
    }),
    { numRuns: 30 },
  )
})

t.test('rows are used again, and a table that was cleared begins anew', async (t) => {
  const table = createSlotTable()
  const [one, other] = fc.sample(rule, 2) as [SlotRule, SlotRule]
  const row = table.add({ ...one, pauses: [{ from: 1, to: 2 }] })
  table.remove(row)
  t.equal(table.add({ ...other, pauses: [] }), row)
  t.strictSame(table.read(row), { ...other, pauses: [] }, 'without the pauses of the one before')
  table.clear()
  t.equal(table.add(one), 0)
  t.strictSame(table.read(0), one)
})
