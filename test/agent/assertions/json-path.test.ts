import t from 'tap'
import { readJsonPath } from '../../../agent/assertions/json-path.ts'
import { isReadError, isValueList, TooManySteps } from '../../../agent/assertions/reading.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'

const shop = {
  store: {
    book: [
      { title: 'Sayings', price: 8.95, tags: ['a', 'b'] },
      { title: 'Moby Dick', price: 8.99, isbn: '0-553' },
      { title: 'Rings', price: 22.99, isbn: '0-395' },
    ],
    open: null,
    length: 'long',
  },
  'a b': 1,
}

const maxSteps = 1_000_000

const read = (path: string, document: unknown = shop): unknown => {
  try {
    const found = readJsonPath(path, document, maxSteps)
    if (isReadError(found)) return found.problem
    return isValueList(found) ? { each: found.values } : found
  } catch (error) {
    if (error instanceof TooManySteps) return 'too many values'
    throw error
  }
}

t.test('paths of RFC 9535', async (t) => {
  const rows: [string, unknown][] = [
    ['$.store.book[0].title', 'Sayings'],
    [' $.store.book[-1].title ', 'Rings'],
    ["$['a b']", 1],
    ['$.store.open', null],
    ['$.store.none', undefined],
    ['$.store.book[0].tags', ['a', 'b']],
    ['$.store.book[*].price', { each: [8.95, 8.99, 22.99] }],
    ['$..isbn', { each: ['0-553', '0-395'] }],
    ['$.store.book[1:].title', { each: ['Moby Dick', 'Rings'] }],
    ['$.store.book[0,2].title', { each: ['Sayings', 'Rings'] }],
    ['$.store.book[?@.price < 9].title', { each: ['Sayings', 'Moby Dick'] }],
    ['$.store.book[?(@.isbn && @.price > 9)].title', { each: ['Rings'] }],
    ['$.store.book[?match(@.title, "M.*")].price', { each: [8.99] }],
    ['$.store.book[?search(@.isbn, "39\\\\d")].title', { each: ['Rings'] }],
    ['$.store.book[?@.price > 100]', undefined],
  ]
  for (const [path, expected] of rows) t.same(read(path), expected, path)
  t.equal(read(''), shop)
  t.equal(read('$'), shop)
})

t.test('.length is the length of an array, and of anything else the member of that name', async (t) => {
  t.equal(read('$.store.book.length'), 3)
  t.same(read('$.store.book[*].tags.length'), { each: [2] })
  t.equal(read('$.store.length'), 'long')
  t.equal(read('$.length', [1, 2]), 2)
  t.equal(read('$.store.open.length'), undefined)
  t.same(read('$..length'), { each: ['long'] })
})

t.test('older spellings mean what they meant', async (t) => {
  const rows: [string, unknown][] = [
    ['$.store.book[(@.length-1)].title', 'Rings'],
    ['$.store.book[ ( @.length - 2 ) ].title', 'Moby Dick'],
    ['$.store.book[(@.length-4)].title', undefined],
    ['$.store.book.[0].title', 'Sayings'],
    ["$.store.['book'].[-1].price", 22.99],
    ['$..[0].title', { each: ['Sayings'] }],
    ['$.store.book[?(@.tags.length > 1)].title', { each: ['Sayings'] }],
    ['$.store.book[?(@.tags.length == 3)].title', undefined],
    ['$.store.book[?(@.title.length == 5)].price', { each: [22.99] }],
    ['$[?(@.length == "long")].open', { each: [null] }],
    ['$.store.book[?($.store.book.length == 3)].isbn', { each: ['0-553', '0-395'] }],
  ]
  for (const [path, expected] of rows) t.same(read(path), expected, path)
  const odd = { a: ['.[x', '[(@.length-1)]'], '.[': 1, '[(@.length-1)]': 2 }
  t.same(read('$.a[?@ == ".[x"]', odd), { each: ['.[x'] })
  t.equal(read("$['.[']", odd), 1)
  t.equal(read('$["[(@.length-1)]"]', odd), 2)
  t.equal(read("$['a\\'.['].[0]", { "a'.[": [3] }), 3)
})

t.test(
  'a path that is asked again finds what the next document has, and may take as many steps in it',
  async (t) => {
    const numbers = Array.from({ length: 100_000 }, (_, index) => index)
    for (let round = 0; round < 6; round += 1) t.same(read('$[?@ > 99998]', numbers), { each: [99_999] })
    t.equal(read('$[?@ > 99998]', [1]), undefined)
    const matching = '$[?match(@.text, @.pattern)].text'
    t.same(read(matching, [{ text: 'a', pattern: 'a' }]), { each: ['a'] })
    t.equal(read(matching, [{ text: 'a', pattern: 'b' }]), undefined)
  },
)

t.test('what is no path says so', async (t) => {
  t.match(read('store.book'), /does not start with \$/)
  t.match(read('$.store['), /is not a JSON path/)
  t.match(read('$[?unknown(@)]'), /is not a JSON path/)
  t.match(read(`$${'[?('.repeat(600)}`), /is not a JSON path/)
})

t.test('neither a path nor a document can stop the agent', async (t) => {
  const wide = Array.from({ length: 2000 }, (_, id) => ({ id, text: 'a'.repeat(50) }))
  let deep: unknown = 1
  for (let level = 0; level < 5000; level += 1) deep = [deep]
  const before = cpuTimeMs()
  t.match(read('$[?$[?$[?@.id == 3000]]]', wide), /too many values/)
  t.match(read('$[?count($..*) > 0]', wide), /too many values/)
  t.match(read(`$..*${'..*'.repeat(6)}`, JSON.parse('['.repeat(60) + ']'.repeat(60))), /too many values/)
  t.match(read(`$${'[*,*,*]'.repeat(14)}`, JSON.parse('['.repeat(14) + ']'.repeat(14))), /undefined|too many/)
  t.match(
    read(`$${'[*,*,*]'.repeat(20)}`, JSON.parse(`${'['.repeat(20)}1${']'.repeat(20)}`)),
    /too many values/,
  )
  t.match(read('$..a', deep), /goes too deep/)
  t.same(read('$[?search(@.text, "(a+)+$b")]', wide), undefined)
  const large = Array.from({ length: 200_000 }, (_, id) => id)
  t.match(read('$[*]', large), { each: [0, 1] })
  t.match(read('$[?@ >= 0]', large), { each: [0, 1] })
  t.ok(cpuTimeMs() - before < 10_000)
})
