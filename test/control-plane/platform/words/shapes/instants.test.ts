import t from 'tap'
import { toIso } from '../../../../../control-plane/platform/words/shapes/instants.ts'
import { fc } from '../../../../support/fast-check.ts'

t.test('an instant is written as Date writes it', async (t) => {
  const instants = [
    0,
    1,
    999,
    1000,
    59_999,
    60_000,
    86_399_999,
    86_400_000,
    Date.UTC(2024, 1, 29, 23, 59, 59, 999),
  ]
  // Outside of what the API takes, and between two milliseconds.
  const others = [
    -1,
    -86_400_000,
    1.5,
    1_700_000_000_000.25,
    Date.UTC(2999, 11, 31, 23, 59, 59, 999),
    Date.UTC(3000, 0),
  ]
  for (const at of [...instants, ...others]) t.equal(toIso(at), new Date(at).toISOString(), String(at))
  fc.assert(
    fc.property(fc.integer({ min: -1e13, max: 5e13 }), (at) => toIso(at) === new Date(at).toISOString()),
  )
  t.throws(() => toIso(Number.NaN), RangeError)
})

t.test('more days than are remembered are written as well as the first', async (t) => {
  const days = Array.from({ length: 12_000 }, (_, day) => day * 86_400_000 + day)
  t.strictSame(
    days.map(toIso),
    days.map((at) => new Date(at).toISOString()),
  )
  t.equal(toIso(5), '1970-01-01T00:00:00.005Z')
})
