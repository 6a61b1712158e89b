// Runs in test:all only: it waits for packets in networks of its own.
import t from 'tap'
import { journeyInLab, labProblem } from '../support/ping-lab.ts'
import { scratchFolder } from '../support/programs.ts'

const problem = labProblem()
const skip = problem === null ? false : problem

const check = (name: string, request: object, more: object = {}) => ({
  name,
  request: { pingCount: 1, ...request },
  privateLocations: ['local'],
  locations: [],
  frequency: 10,
  ...more,
})

t.test(
  'an ICMP check that is created runs at once, and its result says what was measured',
  { skip },
  async (t) => {
    const folder = await scratchFolder(t)
    const [up, gone] = journeyInLab('ping-group-range', folder, [
      check('loopback', {
        hostname: '127.0.0.1',
        assertions: [{ source: 'LATENCY', property: 'avg', comparison: 'LESS_THAN', target: '1000' }],
      }),
      check('no route', { hostname: '198.51.100.1' }),
    ])
    t.match(up, {
      checkType: 'ICMP',
      hasFailures: false,
      hasErrors: false,
      error: null,
      apiCheckResult: null,
      icmpCheckResult: {
        request: { hostname: '127.0.0.1', pingCount: 1, ipFamily: 'IPv4' },
        assertions: [{ passed: true, property: 'avg' }],
        response: { packetsReceived: 1, packetLoss: 0, pingResults: [{ success: true, sequence: 0 }] },
      },
    })
    const { responseTime, icmpCheckResult } = up as {
      responseTime: number
      icmpCheckResult: { response: { latency: { avg: number } } }
    }
    t.equal(responseTime, icmpCheckResult.response.latency.avg, 'the response time is the average latency')
    t.ok(responseTime > 0 && responseTime < 5000, `${responseTime} ms`)
    t.match(gone, {
      hasFailures: true,
      hasErrors: false,
      error: 'The network of 198.51.100.1 cannot be reached',
      icmpCheckResult: { response: null },
    })
  },
)

t.test('an agent that may not ping reports its own failure, not the target’s', { skip }, async (t) => {
  const [result] = journeyInLab('none', await scratchFolder(t), [
    check('loopback', { hostname: '127.0.0.1' }),
  ])
  t.match(result, {
    hasFailures: false,
    hasErrors: true,
    error: /^This agent may not send pings: .*ping_group_range.*NET_RAW/,
    icmpCheckResult: null,
  })
})
