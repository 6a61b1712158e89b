import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { boundedCache, boundedMemo } from '../../protocol/bounded-memo.ts'
import { fc } from '../support/fast-check.ts'

t.test('a cache keeps so many values, and lets the one go that nobody asked for longest', async (t) => {
  const cache = boundedCache<string, number | undefined>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  cache.set('c', 4)
  t.same([cache.get('c'), cache.get('b'), cache.get('a'), cache.size], [4, undefined, 3, 2])
  cache.set('e', 6)
  t.same(
    [cache.get('a'), cache.get('c'), cache.get('e')],
    [3, undefined, 6],
    'what was asked for is the newest',
  )
  cache.delete('a')
  cache.delete('e')
  cache.set('c', 4)
  cache.set('d', 5)
  t.same([cache.get('a'), cache.get('c'), cache.get('d'), cache.size], [undefined, 4, 5, 2])
})

t.test('an answer is made once, and again when too many others came between', async (t) => {
  const made: string[] = []
  const upper = boundedMemo(
    (text) => {
      made.push(text)
      return text.toUpperCase()
    },
    { limit: 2 },
  )
  t.same(['a', 'a', 'b', 'a'].map(upper), ['A', 'A', 'B', 'A'])
  t.same(made, ['a', 'b'])
  t.same(['c', 'a', 'b', 'a'].map(upper), ['C', 'A', 'B', 'A'])
  t.same(made, ['a', 'b', 'c', 'b'])
})

t.test('no is an answer that is kept, too', async (t) => {
  let count = 0
  const isLong = boundedMemo(
    (text) => {
      count += 1
      return text.length > 3
    },
    { limit: 2 },
  )
  t.same(['no', 'no'].map(isLong), [false, false])
  t.equal(count, 1)
})

t.test('what is too large is made each time', async (t) => {
  let count = 0
  const lengthOf = boundedMemo(
    (text) => {
      count += 1
      return text.length
    },
    { limit: 2, keeps: (length) => length < 3 },
  )
  t.same(['long', 'long', 'no', 'no'].map(lengthOf), [4, 4, 2, 2])
  t.equal(count, 3)
})

t.test('after any calls the cache holds what was put in or asked for last', async () => {
  // `__proto__` and whole numbers are keys like all others.
  const keys = ['__proto__', 'constructor', '0', '1', '01', '-1', '', ' ', 'a', 'ä']
  const call = fc.tuple(fc.constantFrom('set', 'get', 'delete'), fc.constantFrom(...keys))
  fc.assert(
    fc.property(fc.array(call, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (calls, limit) => {
      const cache = boundedCache<string, string>(limit)
      let expected: string[] = []
      for (const [name, key] of calls) {
        const isKept = name === 'set' || (name === 'get' && expected.includes(key))
        expected = expected.filter((one) => one !== key)
        if (isKept) expected = [...expected, key].slice(-limit)
        if (name === 'set') cache.set(key, key)
        else if (name === 'get') cache.get(key)
        else cache.delete(key)
        // Asked in the order in which they were used, they keep it.
        for (const one of [...keys.filter((each) => !expected.includes(each)), ...expected])
          if (cache.get(one) !== (expected.includes(one) ? one : undefined)) return false
      }
      return cache.size === expected.length
    }),
  )
})

t.test('a value that another took the place of is given back', async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (const limit of [10, 100_000]) {
    const cache = boundedCache<string, object>(limit)
    const early = [...Array(20).keys()].map((key) => {
      const value = { key }
      cache.set(String(key), value)
      return new WeakRef(value)
    })
    for (let n = 0; n < 20_000; n += 1) cache.set(String(n % 20), { key: n })
    // What a WeakRef was made of in this turn lives until the next.
    await new Promise((resolve) => setImmediate(resolve))
    collect()
    t.strictSame(
      early.map((one) => one.deref()).filter((one) => one !== undefined),
      [],
      `limit ${limit}`,
    )
    t.equal(cache.size, Math.min(limit, 20))
  }
})
