// Runs in test:all only: it waits for packets in networks of its own.
/** What the loss of packets, late replies, assertions and the end of its time make of a run. */
import t from 'tap'
import { type Change, observe, seen, skip } from '../../support/observed-pings.ts'

const replies = (count: number) => Array.from({ length: count }, () => ['reply' as const])

t.test('packet loss over the maximum fails, over the lower threshold degrades', { skip }, async (t) => {
  const changes: Change[] = [
    { maxPacketLossThreshold: 24.9 },
    { maxPacketLossThreshold: 25 },
    { degradedPacketLossThreshold: 25, maxPacketLossThreshold: 25 },
    { degradedPacketLossThreshold: null, maxPacketLossThreshold: null },
    { shouldFail: true },
  ]
  const ran = observe(
    t,
    'ping-group-range',
    changes.map((change) => ({
      change: { pingCount: 4, ...change },
      answers: [['reply'], [], ['reply'], ['reply']],
    })),
  )
  const [failed, degraded, asAllowed, any, shouldFail] = ran.map((each) => seen(t, each))
  t.match(failed, { failure: { code: 'PACKET_LOSS' }, degraded: false })
  t.match(degraded, { failure: null, degraded: true })
  t.match(asAllowed, { failure: null, degraded: false })
  t.match(any, { failure: null, degraded: false, metrics: { packetLoss: 25 } })
  t.match(shouldFail, { failure: null, degraded: false })
})

t.test(
  'a slow reply is matched to its own ping, and one after its time counts as lost',
  { skip },
  async (t) => {
    const [ran] = observe(t, 'ping-group-range', [
      {
        fast: false,
        change: { pingCount: 1 },
        answers: [['late'], ['late', 'late'], ['reply']],
        // A late answer takes 600 ms; one that is given at once has nearly as long, however busy the machine is.
        series: { count: 3, intervalMs: 600, replyTimeoutMs: 550 },
      },
    ])
    t.match(ran?.series, {
      pings: [
        { sequence: 0, rtt: null, answer: null, error: null },
        { sequence: 1, rtt: null },
        { sequence: 2, rtt: Number, answer: { type: 0 } },
      ],
    })
    t.ok(Number(ran?.series?.late) >= 1, 'the second comes after the end, and nobody waits for it')
    const { response } = seen(t, ran!)
    t.match(response, { packetsReceived: 1, packetLoss: 0, lateReplies: 0 })
    t.ok(
      Number(response?.latency.avg) >= 590 && Number(response?.latency.avg) < 4000,
      `${response?.latency.avg} ms`,
    )
  },
)

t.test('assertions look at the latency and at the response as JSON', { skip }, async (t) => {
  const [ran] = observe(t, 'ping-group-range', [
    {
      change: {
        assertions: [
          { source: 'LATENCY', property: 'max', comparison: 'LESS_THAN', target: '1000' },
          { source: 'LATENCY', comparison: 'GREATER_THAN', target: '1000' },
          { source: 'LATENCY', property: 'median', comparison: 'LESS_THAN', target: '1' },
          { source: 'LATENCY', property: 'stddev', comparison: 'LESS_THAN', target: '1000' },
          { source: 'JSON_RESPONSE', property: '$.packetsReceived', comparison: 'EQUALS', target: '2' },
          {
            source: 'JSON_RESPONSE',
            property: '$.pingResults[*].ttl',
            comparison: 'GREATER_THAN',
            target: '63',
          },
        ],
      },
    },
  ])
  const { assertions, failure } = seen(t, ran!)
  t.equal(failure, null)
  t.same(
    assertions.map(({ passed }) => passed),
    [true, false, false, true, true, true],
  )
  t.match(assertions[1]?.error, /^expected latency to be greater than 1000 but it was \d+(\.\d+)?$/)
})

t.test('a run ends when its time is over or when it is cancelled, and stalls nobody', { skip }, async (t) => {
  const [late, cancelled, many] = observe(t, 'ping-group-range', [
    { change: { pingCount: 50 }, answers: replies(50), deadlineMs: 5200 },
    { change: { pingCount: 50 }, answers: replies(50), cancelAfterMs: 2000 },
    { change: { pingCount: 50 }, answers: replies(49) },
  ])
  const cut = seen(t, late!)
  t.ok(Number(cut.response?.packetsSent) < 20, 'what was sent until then is judged')
  t.match(cut, { failure: null, response: { pingCount: 50 } })
  const inFlight = Number(cut.response?.packetsSent) - Number(cut.response?.packetsReceived)
  t.ok(inFlight <= 1, 'the last one may have been on its way')
  t.same(cancelled?.outcome, { kind: 'cancelled' })
  t.match(seen(t, many!).response, { packetsReceived: 49, packetLoss: 2 })
  t.ok(Number(many?.usualStallMs) < 50, `the event loop usually came back after ${many?.usualStallMs} ms`)
})
