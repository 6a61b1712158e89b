/** The reason of a check as a colleague would say it: of every source and comparison, and of what networks and pings say. */

import t from 'tap'
import { itemsOf, judge } from '../../../../agent/assertions/evaluate.ts'
import { createReadings } from '../../../../agent/assertions/readings.ts'
import { httpSources } from '../../../../agent/assertions/sources.ts'
import { reasonIn, reasonInWords } from '../../../../control-plane/alerting/messages/reason.ts'
import {
  assertionSentence,
  type FailedAssertion,
  readAssertionSentence,
  sourceLabels,
} from '../../../../protocol/assertion-sentence.ts'
import { type Comparison, comparisons } from '../../../../protocol/comparisons.ts'
import { fc } from '../../../support/fast-check.ts'

const withoutTarget = new Set<Comparison>(['IS_EMPTY', 'NOT_EMPTY', 'IS_NULL', 'NOT_NULL'])
const failed = (more: Partial<FailedAssertion>): FailedAssertion => ({
  ...{ label: 'status code', property: '', comparison: 'EQUALS', target: '200', found: '503', place: null },
  ...more,
})
const said = (more: Partial<FailedAssertion>): string => reasonInWords(assertionSentence(failed(more)))

t.test('of every source, every comparison is said without the words of a program', async (t) => {
  const all = new Set<string>()
  for (const label of sourceLabels)
    for (const comparison of comparisons)
      for (const found of ['7', null]) {
        const one = failed({ label, comparison, found, target: withoutTarget.has(comparison) ? '' : '5' })
        t.strictSame(
          readAssertionSentence(assertionSentence(one)),
          one,
          `${label} ${comparison} is read again`,
        )
        const text = reasonInWords(assertionSentence(one))
        t.notMatch(text, /expected|\{\d\}|undefined|NaN/, text)
        all.add(`${label} ${text}`)
      }
  t.ok(all.size > sourceLabels.length * comparisons.length, 'they are told apart')
})

t.test('what is asked for most reads as it is spoken', async (t) => {
  const table: [Partial<FailedAssertion>, string][] = [
    [{}, 'Status 503 instead of 200'],
    [{ comparison: 'LESS_THAN', target: '400' }, 'Status 503, not less than 400'],
    [{ comparison: 'NOT_EQUALS', target: '503' }, 'Status 503, and it should be anything else'],
    [
      { label: 'response time', comparison: 'LESS_THAN', found: '4200', target: '3000' },
      'Took 4.2 s, more than 3 s',
    ],
    [
      { label: 'response time', comparison: 'LESS_THAN', found: '3004', target: '3000' },
      'Took 3.004 s, more than 3 s',
    ],
    [
      { label: 'response time', comparison: 'LESS_THAN', found: '500', target: '500' },
      'Response time: 500 ms, not less than 500 ms',
    ],
    [
      { label: 'body', comparison: 'CONTAINS', found: '<html>', target: 'Welcome' },
      'The page did not contain “Welcome”',
    ],
    [
      { label: 'body', comparison: 'NOT_CONTAINS', found: '<html>', target: 'Error' },
      'The page contained “Error”',
    ],
    [
      { label: 'JSON body', property: '$.status', found: 'down', target: 'up' },
      'JSON, at $.status: down instead of up',
    ],
    [
      { label: 'JSON body', property: '$.items[*].n', place: [2, 3], found: '4', target: '5' },
      'JSON, at $.items[*].n, value 2 of 3: 4 instead of 5',
    ],
    [
      { label: 'header', property: 'x-cache', comparison: 'NOT_NULL', target: '', found: null },
      'Header x-cache: nothing',
    ],
    [
      { label: 'response code', found: 'NXDOMAIN', target: 'NOERROR' },
      'Code of the name server: NXDOMAIN instead of NOERROR',
    ],
    [
      { label: 'latency', property: 'avg', comparison: 'LESS_THAN', found: '12.5', target: '10' },
      'Latency (avg): 12.5 ms, not less than 10 ms',
    ],
  ]
  for (const [one, text] of table) t.equal(said(one), text)
})

t.test('what an agent says of an answer is what is read', async (t) => {
  const subject = {
    ...{ status: 503, headers: { 'x-cache': 'MISS' }, responseTime: 4200 },
    body: { bytes: Buffer.from('{"a":1}'), type: 'application/json', isUtf8: true, cut: false },
  }
  const assertions = (
    [
      ['STATUS_CODE', '', 'EQUALS', '200'],
      ['RESPONSE_TIME', '', 'LESS_THAN', '3000'],
      ['HEADERS', 'X-Cache', 'EQUALS', 'HIT'],
      ['TEXT_BODY', '', 'CONTAINS', 'Welcome'],
      ['JSON_BODY', '$.a', 'GREATER_THAN', '1'],
    ] as const
  ).map(([source, property, comparison, target]) => ({ source, property, comparison, target }))
  const readings = createReadings({ decode: (body) => body.bytes.toString() })
  t.strictSame(
    itemsOf(assertions, subject, httpSources).map((item) => reasonInWords(judge(item, readings).error ?? '')),
    [
      'Status 503 instead of 200',
      'Took 4.2 s, more than 3 s',
      'Header X-Cache: MISS instead of HIT',
      'The page did not contain “Welcome”',
      'JSON, at $.a: 1, not more than 1',
    ],
  )
})

t.test('whatever its texts say, a sentence is read as it was meant or not at all', async () => {
  const words = fc.array(
    fc.constantFrom(
      'a',
      '"',
      ' ',
      ' but it was ',
      ' to equal ',
      'missing',
      ' not to contain ',
      'value 1 of 2 was ',
    ),
    { maxLength: 6 },
  )
  const text = words.map((parts) => parts.join(''))
  const one = fc.record({
    label: fc.constantFrom(...sourceLabels),
    property: text,
    comparison: fc.constantFrom(...comparisons),
    target: text,
    found: fc.option(text),
    place: fc.option(fc.constant([1, 2] as const)),
  })
  fc.assert(
    fc.property(one, (failed) => {
      const read = readAssertionSentence(assertionSentence(failed))
      if (read === null) return true
      const isSame = JSON.stringify({ ...read, found: read.found ?? 'missing' })
      const target = withoutTarget.has(failed.comparison) ? '' : failed.target
      return isSame === JSON.stringify({ ...read, ...failed, target, found: failed.found ?? 'missing' })
    }),
  )
})

t.test('sentences of networks, limits and pings', async (t) => {
  const table: [string, string][] = [
    ['10.2.0.14:6379 refused the connection after 1 ms', '10.2.0.14:6379 refused the connection'],
    [
      'a.example:443 (192.0.2.1) had not answered when the limit of 30 s was over',
      'a.example:443 (192.0.2.1): no answer within 30 s',
    ],
    ['The response time of 4200 ms is over the limit of 3000 ms', 'Took 4.2 s, more than 3 s'],
    ['No ping for 5 minutes', 'No ping for 5 minutes'],
    ['The server answered with status 500', 'Status 500'],
    ['The certificate of a.example:443 has expired', 'The certificate of a.example:443 has expired'],
    ['a.example answered none of 5 pings within 4 s', 'a.example answered none of 5 pings'],
  ]
  for (const [error, text] of table) {
    t.ok(reasonIn(error), error)
    t.equal(reasonInWords(error), text)
  }
  t.equal(
    reasonInWords('AssertionError: 1 == 2'),
    'AssertionError: 1 == 2',
    'what no rule knows is said as it is',
  )
})
