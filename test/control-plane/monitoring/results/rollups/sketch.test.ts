import t from 'tap'
import { newWriter } from '../../../../../control-plane/monitoring/results/rollups/byte-cursor.ts'
import {
  addCellBytes,
  addToCell,
  type Cells,
  eachCell,
  writeCells,
} from '../../../../../control-plane/monitoring/results/rollups/cells.ts'
import {
  addSketch,
  addValue,
  deviationOf,
  newSketch,
  rankOf,
  relativeError,
  type Sketch,
  valueAt,
} from '../../../../../control-plane/monitoring/results/rollups/sketch.ts'
import {
  addSketchBytes,
  skipSketchBytes,
  writeSketch,
} from '../../../../../control-plane/monitoring/results/rollups/sketch-bytes.ts'
import { fc } from '../../../../support/fast-check.ts'

const sketchOf = (values: readonly number[]): Sketch => {
  const sketch = newSketch()
  for (const value of values) addValue(sketch, value)
  return sketch
}

const bytesOf = (sketch: Sketch): Buffer => {
  const writer = newWriter()
  writeSketch(writer, sketch)
  return Buffer.from(writer.bytes)
}

const parsed = (bytes: Buffer): Sketch => {
  const sketch = newSketch()
  addSketchBytes(sketch, { bytes, at: 0 })
  return sketch
}

/** Bins without the empty ones at their ends, which depend on the order of adding. */
const shapeOf = (sketch: Sketch) => {
  const binsOf = ({ first, counts }: Sketch['positive']) =>
    counts.flatMap((count, at) => (count > 0 ? [[first + at, count]] : []))
  const { sum, squares, positive, negative, ...exact } = sketch
  return { ...exact, positive: binsOf(positive), negative: binsOf(negative) }
}

const whole = fc.integer({ min: 0, max: 30_000 })
const fraction = fc.double({ min: 0, max: 1e7, noNaN: true })
const anything = fc.double({ min: -1e6, max: 1e6, noNaN: true })
const values = fc.oneof(
  fc.array(whole, { minLength: 1, maxLength: 300 }),
  fc.array(fraction, { minLength: 1, maxLength: 300 }),
  fc.array(anything, { minLength: 1, maxLength: 300 }),
  fc.array(fc.constantFrom(0, 1, 2, 3000), { minLength: 1, maxLength: 300 }),
)
const fractions = [0, 0.01, 0.5, 0.9, 0.95, 0.99, 1]

const isWithin = (found: number, value: number): boolean =>
  Math.abs(found - value) <= relativeError * Math.abs(value) * (1 + 1e-9) + 1e-9

t.test('the value at any rank is known within 1 %, and what is exact is exact', async (t) => {
  fc.assert(
    fc.property(values, (list) => {
      const sketch = sketchOf(list)
      const ascending = Float64Array.from(list).sort()
      for (const q of fractions) {
        const value = ascending[rankOf(q, list.length)]!
        const found = valueAt(sketch, q)
        if (!isWithin(found, value)) throw new Error(`${q} of ${list.length}: ${found} for ${value}`)
      }
      return (
        sketch.n === list.length &&
        sketch.min === ascending[0] &&
        sketch.max === ascending.at(-1) &&
        sketch.sum === list.reduce((sum, value) => sum + value, 0)
      )
    }),
    { numRuns: 500 },
  )
  t.pass()
})

t.test('sketches added are the one of all values, in any order and any grouping', async (t) => {
  fc.assert(
    fc.property(values, values, values, (a, b, c) => {
      const all = shapeOf(sketchOf([...a, ...b, ...c]))
      const sumOf = (...lists: number[][]): Sketch => {
        const sum = newSketch()
        for (const list of lists) addSketch(sum, sketchOf(list))
        return sum
      }
      const right = newSketch()
      addSketch(right, sketchOf(a))
      addSketch(right, sumOf(b, c))
      for (const sum of [sumOf(a, b, c), sumOf(c, a, b), right])
        if (JSON.stringify(shapeOf(sum)) !== JSON.stringify(all)) return false
      return true
    }),
    { numRuns: 200 },
  )
  t.pass()
})

t.test('what is read is what was written, and adding bytes is adding the sketch', async (t) => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      const bytes = bytesOf(sketchOf(a))
      const again = parsed(bytes)
      const original = sketchOf(a)
      if (JSON.stringify(shapeOf(again)) !== JSON.stringify(shapeOf(original))) return false
      if (again.sum !== original.sum || again.squares !== original.squares) return false
      const added = sketchOf(b)
      addSketchBytes(added, { bytes, at: 0 })
      const reader = { bytes, at: 0 }
      skipSketchBytes(reader)
      const both = sketchOf(b)
      addSketch(both, original)
      return reader.at === bytes.length && JSON.stringify(shapeOf(added)) === JSON.stringify(shapeOf(both))
    }),
    { numRuns: 500 },
  )
  t.pass()
})

t.test('counts of millions and bins far apart survive', async (t) => {
  const sketch = newSketch()
  addValue(sketch, 1e-8)
  addValue(sketch, 1e12)
  addValue(sketch, -5)
  for (let times = 0; times < 34; times += 1) addSketch(sketch, { ...parsed(bytesOf(sketch)) })
  const again = parsed(bytesOf(sketch))
  t.equal(again.n, 3 * 2 ** 34)
  t.strictSame(shapeOf(again), shapeOf(sketch))
})

t.test('an hour of runs takes what it was measured to take', async (t) => {
  const logNormal = (n: number) =>
    Array.from({ length: n }, (_, at) => {
      const spread = Math.sqrt(-2 * Math.log(((at * 7919) % n) / n + 0.5 / n)) * Math.cos(at * 2.399963)
      return Math.round(200 * Math.exp(0.4 * spread))
    })
  t.ok(bytesOf(sketchOf(logNormal(60))).length <= 80, `${bytesOf(sketchOf(logNormal(60))).length}`)
  t.ok(bytesOf(sketchOf(logNormal(360))).length <= 160, `${bytesOf(sketchOf(logNormal(360))).length}`)
  t.ok(bytesOf(sketchOf(logNormal(8640))).length <= 480, `${bytesOf(sketchOf(logNormal(8640))).length}`)
})

t.test('values that are all alike deviate by nothing', async (t) => {
  t.equal(deviationOf(sketchOf(Array.from({ length: 60 }, () => 30_000.1))), 0)
  t.ok(Math.abs(deviationOf(sketchOf([1, 2, 3, 4])) - Math.sqrt(1.25)) < 1e-12)
})

t.test('cells are told apart, and one of another format is refused', async (t) => {
  const cells: Cells = new Map()
  const at = (location: string, passed: boolean, key: string | null, quarter = 0) => ({
    location,
    passed,
    key,
    quarter,
  })
  addToCell(cells, at('a', true, null), [1])
  addToCell(cells, at('a', false, null), [2])
  addToCell(cells, at('a', true, '200'), [3])
  addToCell(cells, at('Zürich', true, ''), [4])
  addToCell(cells, at('a', true, '200'), [])
  addToCell(cells, at('a', false, '200', 3), [5])
  const bytes = writeCells(cells)
  const found: unknown[] = []
  eachCell(bytes, (cell, reader) => {
    if (cell.location === 'Zürich') found.push({ ...cell, at: reader.at > 0 })
    else found.push({ ...cell })
  })
  t.strictSame(found, [
    at('a', true, null),
    at('a', false, null),
    at('a', true, '200'),
    at('a', false, '200', 3),
    { ...at('Zürich', true, ''), at: true },
  ])
  const twice: Cells = new Map()
  addCellBytes(twice, bytes)
  addCellBytes(twice, bytes)
  t.strictSame(
    [...twice.values()].map(({ sketch }) => sketch.n),
    [2, 2, 2, 2, 2],
  )
  bytes[0] = 2
  t.throws(() => eachCell(bytes, () => {}), /version 2/)
  t.throws(() => addCellBytes(new Map(), writeCells(cells).subarray(0, 20)), /ends too early|out of range/)
})
