import t from 'tap'
import {
  frequencies,
  maxOffset,
  offsetError,
  seedOf,
  slotsOf,
  spreadOffset,
} from '../../../../../control-plane/monitoring/definitions/checks/schedule-rules.ts'
import { fc } from '../../../../support/fast-check.ts'

const frequency = fc.constantFrom(...frequencies)
const seed = fc.nat()

t.test('the contract’s bounds of frequencyOffset, at their edges', async (t) => {
  for (const offset of [10, 20, 30]) t.equal(offsetError(0, offset), null)
  for (const offset of [0, 1, 9, 11, 15, 40]) t.match(offsetError(0, offset), /one of \[10, 20, 30\]/)
  t.equal(offsetError(1, 10), null)
  t.match(offsetError(1, 11), /between 1 and 10/)
  t.equal(offsetError(10, 100), null)
  t.match(offsetError(10, 101), /between 1 and 100/)
  t.equal(offsetError(60, 600), null)
  t.match(offsetError(60, 601), /between 1 and 600/)
  t.equal(offsetError(120, 2), null)
  t.match(offsetError(120, 3), /between 1 and 2/)
  t.equal(offsetError(1440, 24), null)
  t.match(offsetError(1440, 25), /between 1 and 24/)
  for (const frequency of frequencies) t.ok(offsetError(frequency, 0), `0 with ${frequency}`)
})

t.test('an offset that was left out obeys the rules, whatever the check', async (t) => {
  fc.assert(fc.property(frequency, seed, (f, s) => offsetError(f, spreadOffset(f, s)) === null))
  t.pass()
})

t.test('left-out offsets spread over the whole period', async (t) => {
  for (const f of frequencies.filter((value) => value > 0)) {
    const seen = new Set(Array.from({ length: maxOffset(f) }, (_, s) => spreadOffset(f, s)))
    t.equal(seen.size, maxOffset(f), `frequency ${f}`)
  }
})

t.test('slots: the period is the frequency, the phase lies inside it and follows the offset', async (t) => {
  fc.assert(
    fc.property(frequency, seed, seed, (f, s, other) => {
      const offset = spreadOffset(f, s)
      const { periodMs, phaseMs } = slotsOf({ frequency: f, offset, seed: other })
      const isPeriod = periodMs === (f === 0 ? offset * 1000 : f * 60_000)
      return isPeriod && phaseMs >= 0 && phaseMs < periodMs && Number.isInteger(phaseMs)
    }),
  )
  t.strictSame(slotsOf({ frequency: 10, offset: 80, seed: 0 }), { periodMs: 600_000, phaseMs: 480_000 })
  t.strictSame(slotsOf({ frequency: 1440, offset: 3, seed: 7 }), {
    periodMs: 86_400_000,
    phaseMs: 10_800_007,
  })
  t.strictSame(slotsOf({ frequency: 0, offset: 20, seed: 41_234 }), { periodMs: 20_000, phaseMs: 1234 })
})

t.test('the seed of a check is a number that comes from its id alone', async (t) => {
  t.equal(seedOf('00000000-0000-4000-8000-0000000000ff'), 255)
})
