import t from 'tap'
import { delayOfSlot } from '../../../agent/orders/ownership.ts'
import { fc } from '../../support/fast-check.ts'

const agents = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 8 })
const slot = fc.record({ checkId: fc.uuid(), dueAt: fc.integer({ min: 0, max: 2_000_000_000_000 }) })

t.test('each slot has one owner, and where there are several agents one that comes after it', async (t) => {
  fc.assert(
    fc.property(agents, slot, (all, { checkId, dueAt }) => {
      const delays = all.map((me) =>
        delayOfSlot({ me, agents: all, secondOwnerAfterMs: 15_000 }, checkId, dueAt),
      )
      t.equal(delays.filter((delay) => delay === 0).length, 1)
      t.equal(delays.filter((delay) => delay === 15_000).length, all.length > 1 ? 1 : 0)
      t.equal(delays.filter((delay) => delay === null).length, Math.max(0, all.length - 2))
    }),
  )
})

t.test('who goes changes nobody else but those that come after', async (t) => {
  fc.assert(
    fc.property(agents, slot, fc.nat(), (all, { checkId, dueAt }, chance) => {
      const gone = all[chance % all.length] as string
      const left = all.filter((agent) => agent !== gone)
      for (const me of left) {
        const before = delayOfSlot({ me, agents: all, secondOwnerAfterMs: 5 }, checkId, dueAt)
        const after = delayOfSlot({ me, agents: left, secondOwnerAfterMs: 5 }, checkId, dueAt)
        if (before === 0) t.equal(after, 0)
        if (before === 5) t.ok(after === 0 || after === 5)
      }
    }),
  )
})

t.test('without a second owner nobody comes after', async (t) => {
  const all = ['a', 'b', 'c']
  const delays = all.map((me) => delayOfSlot({ me, agents: all, secondOwnerAfterMs: null }, 'check', 1))
  t.strictSame(delays.toSorted(), [0, null, null])
})

t.test(
  'alone, whoever the list names, an agent owns every slot; one that is not named is among them',
  async (t) => {
    t.equal(delayOfSlot({ me: 'me', agents: [], secondOwnerAfterMs: null }, 'check', 1), 0)
    t.equal(delayOfSlot({ me: 'me', agents: ['me'], secondOwnerAfterMs: null }, 'check', 1), 0)
    const own = Array.from({ length: 300 }, (_, due) =>
      delayOfSlot({ me: 'new', agents: ['a', 'b'], secondOwnerAfterMs: null }, 'check', due),
    ).filter((delay) => delay === 0).length
    t.ok(own > 50 && own < 150, `a third of the slots, about: ${own} of 300`)
  },
)

t.test('slots of a check are shared, not checks', async (t) => {
  const all = ['a', 'b', 'c']
  const counts = all.map(
    (me) =>
      Array.from({ length: 600 }, (_, due) =>
        delayOfSlot({ me, agents: all, secondOwnerAfterMs: null }, 'check', due * 60_000),
      ).filter((delay) => delay === 0).length,
  )
  for (const count of counts) t.ok(count > 130 && count < 270, `${count} of 600`)
})
