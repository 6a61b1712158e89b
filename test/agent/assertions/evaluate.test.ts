import t from 'tap'
import { compare } from '../../../agent/assertions/comparisons.ts'
import { itemsOf, judge, maxActualLength } from '../../../agent/assertions/evaluate.ts'
import { createReadings } from '../../../agent/assertions/readings.ts'
import { type HttpSubject, httpSources } from '../../../agent/assertions/sources.ts'
import { decode } from '../../../agent/judging/do-task.ts'
import type { Assertion } from '../../../protocol/assertion.ts'
import { type Comparison, comparisons } from '../../../protocol/comparisons.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'
import { fc } from '../../support/fast-check.ts'

type Row = [actual: unknown, comparison: Comparison, target: string, passes: boolean]

const rows: Row[] = [
  [200, 'EQUALS', '200', true],
  [200, 'EQUALS', ' 200 ', true],
  [200, 'EQUALS', '2e2', true],
  [200, 'EQUALS', '', false],
  [0, 'EQUALS', '', false],
  [200, 'EQUALS', '200 OK', false],
  [255, 'EQUALS', '0xff', false],
  [255, 'NOT_EQUALS', '0xff', true],
  [1, 'EQUALS', '0b1', false],
  [8, 'EQUALS', '0o10', false],
  [1000, 'EQUALS', '1_000', false],
  [0, 'EQUALS', ' \n', false],
  [0.5, 'EQUALS', '.5', true],
  [-5, 'EQUALS', '-5.', true],
  [0.002, 'EQUALS', '2E-3', true],
  [200, 'NOT_EQUALS', '404', true],
  ['200', 'EQUALS', '200', true],
  ['a', 'EQUALS', 'A', false],
  [true, 'EQUALS', 'true', true],
  [true, 'EQUALS', '1', false],
  [null, 'EQUALS', 'null', true],
  [undefined, 'EQUALS', '', false],
  [undefined, 'NOT_EQUALS', 'x', true],
  [{ a: [1] }, 'EQUALS', '{"a":[1]}', true],
  [500, 'GREATER_THAN', '499', true],
  [500, 'GREATER_THAN', '500', false],
  [500, 'LESS_THAN', '500.5', true],
  ['12', 'GREATER_THAN', '9', true],
  ['abc', 'GREATER_THAN', '1', false],
  ['0xff', 'GREATER_THAN', '1', false],
  ['Infinity', 'GREATER_THAN', '1', false],
  [5, 'LESS_THAN', 'Infinity', false],
  [5, 'LESS_THAN', '0xff', false],
  [[255], 'CONTAINS', '0xff', false],
  [5, 'LESS_THAN', 'many', false],
  [null, 'LESS_THAN', '1', false],
  ['hello', 'CONTAINS', 'ell', true],
  ['hello', 'NOT_CONTAINS', 'x', true],
  [[1, 'b'], 'CONTAINS', '1', true],
  [[1, 'b'], 'CONTAINS', '2', false],
  [{ a: 1 }, 'CONTAINS', 'a', true],
  [undefined, 'CONTAINS', 'a', false],
  [1234, 'CONTAINS', '23', true],
  [{ a: 1 }, 'HAS_KEY', 'a', true],
  [{ a: 1 }, 'HAS_KEY', 'toString', false],
  [['a'], 'HAS_KEY', '0', false],
  ['a', 'NOT_HAS_KEY', 'a', true],
  [{ a: 1 }, 'HAS_VALUE', '1', true],
  [['x'], 'HAS_VALUE', 'x', true],
  [{ a: 1 }, 'NOT_HAS_VALUE', '2', true],
  ['', 'IS_EMPTY', '', true],
  [[], 'IS_EMPTY', '', true],
  [{}, 'IS_EMPTY', '', true],
  [undefined, 'IS_EMPTY', '', true],
  [0, 'IS_EMPTY', '', false],
  [false, 'NOT_EMPTY', '', true],
  ['x', 'NOT_EMPTY', '', true],
  [null, 'IS_NULL', '', true],
  [undefined, 'IS_NULL', '', true],
  ['', 'IS_NULL', '', false],
  [0, 'NOT_NULL', '', true],
]

t.test('comparisons', async (t) => {
  for (const [actual, comparison, target, passes] of rows)
    t.equal(
      compare[comparison](actual, target),
      passes,
      `${JSON.stringify(actual)} ${comparison} "${target}"`,
    )
  t.same(new Set(rows.map((row) => row[1])), new Set(comparisons), 'every comparison has a case')
})

t.test('a comparison and its negation never agree, whatever is compared', async (t) => {
  const pairs = [
    ['EQUALS', 'NOT_EQUALS'],
    ['CONTAINS', 'NOT_CONTAINS'],
    ['HAS_KEY', 'NOT_HAS_KEY'],
    ['HAS_VALUE', 'NOT_HAS_VALUE'],
    ['IS_EMPTY', 'NOT_EMPTY'],
    ['IS_NULL', 'NOT_NULL'],
  ] as const
  fc.assert(
    fc.property(fc.option(fc.jsonValue(), { nil: undefined }), fc.string(), (actual, target) => {
      for (const [yes, no] of pairs) t.not(compare[yes](actual, target), compare[no](actual, target))
    }),
    { numRuns: 200 },
  )
})

t.test('a number equals its own text and is ordered as numbers are', async () => {
  const number = fc.double({ noNaN: true, noDefaultInfinity: true })
  fc.assert(
    fc.property(number, number, (a, b) => {
      const target = String(b)
      return (
        compare.EQUALS(a, String(a)) === true &&
        compare.GREATER_THAN(a, target) === a > b &&
        compare.LESS_THAN(a, target) === a < b
      )
    }),
  )
})

const evaluate = (assertions: readonly Assertion[], subject: HttpSubject, sources: typeof httpSources) => {
  const readings = createReadings({ decode })
  return itemsOf(assertions, subject, sources).map((item) => judge(item, readings))
}

const whole = { isUtf8: false, cut: false }
const text = (body: string) => ({ bytes: Buffer.from(body), type: 'text/html', ...whole })
const json = (value: unknown) => ({
  bytes: Buffer.from(JSON.stringify(value)),
  type: 'application/json',
  ...whole,
})

const subject: HttpSubject = {
  status: 503,
  headers: { 'content-type': 'text/html' },
  body: text('x'.repeat(20_000)),
  responseTime: 41.7,
}

t.test('outcomes come in the order of the assertions and say what was wrong', async (t) => {
  const outcomes = evaluate(
    [
      { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
      { source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '100' },
      { source: 'HEADERS', property: 'Content-Type', comparison: 'CONTAINS', target: 'html' },
      { source: 'HEADERS', property: 'x-missing', comparison: 'EQUALS', target: 'a' },
      { source: 'TEXT_BODY', comparison: 'IS_EMPTY' },
    ],
    subject,
    httpSources,
  )
  t.same(
    outcomes.map(({ order, passed }) => [order, passed]),
    [
      [0, false],
      [1, true],
      [2, true],
      [3, false],
      [4, false],
    ],
  )
  t.equal(outcomes[0]?.error, 'expected status code to equal 200 but it was 503')
  t.equal(outcomes[0]?.target, 200)
  t.equal(outcomes[1]?.actual, 42)
  t.equal(outcomes[3]?.error, 'expected header "x-missing" to equal a but it was missing')
  t.equal(outcomes[3]?.actual, null)
  t.equal(String(outcomes[4]?.actual).length, maxActualLength)
  t.match(outcomes[4]?.error, /^expected body to be empty but it was x+…$/)
})

t.test('what cannot be evaluated fails with its reason', async (t) => {
  const outcomes = evaluate(
    [
      { source: 'SMELL', comparison: 'EQUALS', target: 'good' },
      { source: 'constructor', comparison: 'NOT_NULL' },
      { source: 'HEADERS', property: 'content-type', comparison: 'NOT_NULL', regex: '(' },
      { source: 'HEADERS', property: 'content-type', comparison: 'IS_NULL', regex: '(?=a)' },
      { source: 'STATUS_CODE', comparison: 'EQUALS', target: '5', regex: '(5)' },
      { source: 'JSON_BODY', property: 'id', comparison: 'NOT_EQUALS', target: '1' },
      { source: 'JSON_BODY', property: '$[', comparison: 'NOT_EQUALS', target: '1' },
    ],
    { ...subject, body: json({}) },
    httpSources,
  )
  const errors = [
    /SMELL/,
    /not known/,
    /regular expression is not valid/,
    /regular expression is not valid/,
    /only look at text/,
    /does not start with \$/,
    /is not a JSON path/,
  ]
  for (const [index, error] of errors.entries()) t.match(outcomes[index], { passed: false, error })
})

t.test('regular expressions keep their first capture group', async (t) => {
  const released = { ...subject, headers: { 'x-version': 'v1.2.3' }, body: text('total: 12, rest: 7') }
  const outcomes = evaluate(
    [
      {
        source: 'HEADERS',
        property: 'X-Version',
        comparison: 'EQUALS',
        target: '2',
        regex: 'v\\d+\\.(\\d+)',
      },
      { source: 'TEXT_BODY', property: '(?<name>rest|total): (\\d+)', comparison: 'EQUALS', target: 'total' },
      { source: 'TEXT_BODY', property: ': (\\d+)', comparison: 'GREATER_THAN', target: '11' },
      { source: 'TEXT_BODY', property: 'rest', comparison: 'EQUALS', target: 'rest' },
      { source: 'TEXT_BODY', property: 'nothing', comparison: 'IS_NULL' },
      { source: 'HEADERS', property: 'x-none', comparison: 'NOT_NULL', regex: '(a)' },
    ],
    released,
    httpSources,
  )
  t.same(
    outcomes.map(({ passed }) => passed),
    [true, true, true, true, true, false],
  )
})

t.test('every value that a JSON path selects has to hold', async (t) => {
  const orders = { items: [{ id: 1 }, { id: 2 }, { id: 3 }] }
  const outcomes = evaluate(
    [
      { source: 'JSON_BODY', property: '$.items[*].id', comparison: 'GREATER_THAN', target: '0' },
      { source: 'JSON_BODY', property: '$.items[*].id', comparison: 'LESS_THAN', target: '2' },
      { source: 'JSON_BODY', property: '$.items[*].name', comparison: 'NOT_NULL' },
      { source: 'JSON_BODY', property: '$.items.length', comparison: 'EQUALS', target: '3' },
    ],
    { ...subject, body: json(orders) },
    httpSources,
  )
  t.match(outcomes, [
    { passed: true, actual: '[1,2,3]' },
    {
      passed: false,
      actual: 2,
      error: 'expected every value of JSON body "$.items[*].id" to be less than 2 but value 2 of 3 was 2',
    },
    { passed: false, actual: null },
    { passed: true, actual: 3, target: 3 },
  ])
})

t.test('sensitive headers are compared and never shown', async (t) => {
  const [right, wrong] = evaluate(
    [
      { source: 'HEADERS', property: 'Set-Cookie', comparison: 'CONTAINS', target: 'id=' },
      { source: 'HEADERS', property: 'set-cookie', comparison: 'IS_EMPTY' },
    ],
    { ...subject, headers: { 'set-cookie': ['id=abc'] } },
    httpSources,
  )
  t.match(right, { passed: true, actual: '[secret]' })
  t.match(wrong, { passed: false, actual: '[secret]', error: /was \[secret\]$/ })
})

t.test(
  'an outcome shows its target as a number where it is one, and is not slow about what is none',
  async (t) => {
    const targets = ['503', '5.03e2', '0x1f7', 'many']
    const outcomes = evaluate(
      targets.map((target) => ({ source: 'STATUS_CODE', comparison: 'EQUALS' as const, target })),
      subject,
      httpSources,
    )
    t.same(
      outcomes.map(({ target, passed }) => [target, passed]),
      [
        [503, true],
        [503, true],
        ['0x1f7', false],
        ['many', false],
      ],
    )
    const before = cpuTimeMs()
    t.equal(compare.GREATER_THAN(`${'1'.repeat(1_000_000)}x`, '1'), false)
    t.ok(cpuTimeMs() - before < 5000)
  },
)

t.test('a value is compared with each element of a list, unless the target is a list', async (t) => {
  const rows: Row[] = [
    [[1, 2, 3], 'LESS_THAN', '4', true],
    [[1, 2, 3], 'LESS_THAN', '3', false],
    [[1, 2, 3], 'GREATER_THAN', '0', true],
    [['a', 1], 'GREATER_THAN', '0', false],
    [[5, 5], 'EQUALS', '5', true],
    [[5, 6], 'EQUALS', '5', false],
    [[5, 6], 'NOT_EQUALS', '4', true],
    [[5, 6], 'NOT_EQUALS', '5', false],
    [['a', 'a'], 'EQUALS', 'a', true],
    [[5, 6], 'EQUALS', '[5,6]', true],
    [[5, 6], 'NOT_EQUALS', '[5,6]', false],
    [[5, 6], 'EQUALS', '[]', false],
    [[], 'EQUALS', '[]', true],
    [[], 'LESS_THAN', '4', false],
    [[], 'NOT_EQUALS', '4', true],
    [[5, 6], 'CONTAINS', '5', true],
    [[5], 'NOT_EMPTY', '', true],
    [[null], 'NOT_NULL', '', true],
  ]
  for (const [value, comparison, target, passes] of rows) {
    const listed = { ...subject, body: json({ list: value }) }
    const assertion = { source: 'JSON_BODY', property: '$.list', comparison, target }
    const [outcome] = evaluate([assertion], listed, httpSources)
    t.equal(outcome?.passed, passes, `${JSON.stringify(value)} ${comparison} ${target}: ${outcome?.error}`)
  }
  const [outcome] = evaluate(
    [{ source: 'JSON_BODY', property: '$', comparison: 'LESS_THAN', target: '2' }],
    { ...subject, body: json([1, 2]) },
    httpSources,
  )
  t.match(outcome, {
    actual: 2,
    error: 'expected every value of JSON body "$" to be less than 2 but value 2 of 2 was 2',
  })
})
