import t from 'tap'
import { type Disturbance, stallEffectOf } from '../../../agent/jobs/stall.ts'
import type { AssertionOutcome } from '../../../protocol/assertion.ts'
import type { Observation } from '../../../protocol/result.ts'
import { assertion } from '../../support/facts.ts'
import { randomFrom } from '../../support/random.ts'

const seen = (change: Partial<Observation> = {}): Observation => ({
  responseTime: 200,
  failure: null,
  assertions: [],
  degraded: false,
  metrics: {},
  detail: null,
  ...change,
})
const failing = (code: string, detail: unknown = null): Observation =>
  seen({ failure: { code, message: code, network: true }, detail })
const asserted = (change: Partial<AssertionOutcome>): Observation =>
  seen({ assertions: [assertion({ passed: true }), assertion({ passed: false, ...change })] })
const time = (comparison: AssertionOutcome['comparison'], target: number, actual: number): Observation =>
  asserted({ source: 'RESPONSE_TIME', comparison, target, actual })

const status = (code: number) => ({ response: { status: code } })
const long: Disturbance = { stoodMs: 5000, tookMs: 30_000 }
const short: Disturbance = { stoodMs: 300, tookMs: 30_000 }
const brief: Disturbance = { stoodMs: 150, tookMs: 400 }

type Row = [what: string, observation: Observation, disturbance: Disturbance, stallEffect: string | null]
const rows: Row[] = [
  ['a time-out of which the loop stood a sixth', failing('TIMEOUT'), long, 'outcome'],
  ['a time-out of which it stood a hundredth', failing('TIMEOUT'), short, null],
  ['a connection that the server gave up', failing('ECONNRESET'), brief, 'outcome'],
  ['a write after the server gave up', failing('EPIPE'), brief, 'outcome'],
  ['a proxy that gave up', failing('PROXY_ECONNRESET'), brief, 'outcome'],
  ['a connection that timed out in the kernel', failing('ETIMEDOUT'), long, 'outcome'],
  ['a name server that did not answer in time', failing('ETIMEOUT'), long, 'outcome'],
  ['pings without a reply', failing('NO_REPLY'), long, 'outcome'],
  ['pings that were lost', failing('PACKET_LOSS'), long, 'outcome'],
  ['a script that may have been too slow', failing('SETUP_SCRIPT_FAILED'), long, 'outcome'],
  ['a server that did not get its request in time', failing('HTTP_STATUS', status(408)), brief, 'outcome'],
  ['a server that failed by itself', failing('HTTP_STATUS', status(500)), brief, null],
  ['a connection that was refused', failing('ECONNREFUSED'), long, null],
  ['a name that does not exist', failing('ENOTFOUND'), long, null],
  ['a certificate that has expired', failing('CERT_HAS_EXPIRED'), long, null],
  ['a response time that would have kept its limit', time('LESS_THAN', 100, 200), brief, 'outcome'],
  ['a response time that would not', time('LESS_THAN', 40, 200), brief, null],
  ['a response time that should be greater', time('GREATER_THAN', 300, 200), brief, null],
  ['a response time that may have been equal', time('EQUALS', 100, 200), brief, 'outcome'],
  ['a response time that cannot have been equal', time('EQUALS', 20, 200), brief, null],
  [
    'a latency',
    asserted({ source: 'LATENCY', comparison: 'LESS_THAN', target: 90, actual: 200 }),
    brief,
    'outcome',
  ],
  ['data that may not have been read', asserted({ source: 'RESPONSE_DATA' }), brief, 'outcome'],
  ['a body that is not as it should be', asserted({ source: 'JSON_BODY' }), brief, null],
  [
    'a time, beside something that is the target’s',
    seen({
      assertions: [
        ...time('LESS_THAN', 100, 200).assertions,
        assertion({ passed: false, source: 'JSON_BODY' }),
      ],
    }),
    brief,
    null,
  ],
  ['degraded by lost packets', seen({ degraded: true }), brief, 'outcome'],
  ['passed, with times that are mostly waiting here', seen(), brief, 'times'],
  ['passed, with times that are hardly false', seen({ responseTime: 20_000 }), brief, null],
  ['a stall that is shorter than networks vary', failing('TIMEOUT'), { stoodMs: 99, tookMs: 100 }, null],
]

for (const [what, observation, disturbance, stallEffect] of rows)
  t.equal(stallEffectOf(observation, disturbance), stallEffect, what)
t.comment(`${rows.length} kinds of what a run can see`)

const kinds = rows.map(([, observation]) => observation)
const random = randomFrom(10)
const pick = (limit: number): number => Math.floor(random() * limit)

t.test('without a stall nothing is suspect, and a longer one makes nothing less so', async (t) => {
  let count = 0
  for (; count < 5000; count += 1) {
    const observation = kinds[pick(kinds.length)] as Observation
    const tookMs = 1 + pick(30_000)
    const stoodMs = pick(tookMs)
    const before = stallEffectOf(observation, { stoodMs, tookMs })
    const after = stallEffectOf(observation, { stoodMs: stoodMs + pick(tookMs), tookMs })
    if (before !== null && after !== before)
      t.fail(`${before} became ${after} (${JSON.stringify(observation)})`)
    if (stallEffectOf(observation, { stoodMs: 0, tookMs }) !== null) t.fail('suspect without a stall')
  }
  t.comment(`${count} cases`)
})

t.test('a response time within its limit without the stalls is never held against the target', async (t) => {
  for (let count = 0; count < 5000; count += 1) {
    const real = pick(1000)
    const stoodMs = 100 + pick(3000)
    const limit = 1 + pick(3000)
    const measured = real + stoodMs
    if (real >= limit || measured < limit) continue
    const tookMs = measured + pick(10_000)
    if (stallEffectOf(time('LESS_THAN', limit, measured), { stoodMs, tookMs }) !== 'outcome')
      t.fail(`${real} + ${stoodMs} ms of ${limit} ms`)
  }
})

t.test('a run that passed is never anything worse than false in its times', async (t) => {
  for (let count = 0; count < 2000; count += 1) {
    const stallEffect = stallEffectOf(seen({ responseTime: pick(30_000) }), {
      stoodMs: pick(60_000),
      tookMs: pick(60_000),
    })
    if (stallEffect === 'outcome') t.fail('a run that passed')
  }
})
