// Runs in test:all only: it waits for packets in networks of its own.
import t from 'tap'
import { notPermitted } from '../../../agent/net/ping/ping-socket.ts'
import { observe, seen, skip } from '../../support/observed-pings.ts'
import type { Answer } from '../../support/ping-lab.ts'

for (const permission of ['ping-group-range', 'net-raw'] as const)
  t.test(`with ${permission} alone`, { skip }, async (t) => {
    await t.test('pings are measured in fractions of a millisecond, over IPv4 and IPv6', async (t) => {
      const ran = observe(t, permission, [
        { change: { pingCount: 5 } },
        { change: { hostname: '::1', ipFamily: 'IPv6' } },
      ])
      const [four, six] = ran.map((each) => seen(t, each))
      t.equal(four?.failure, null)
      t.match(four?.response, {
        hostname: '127.0.0.1',
        resolvedIp: '127.0.0.1',
        ipFamily: 'IPv4',
        pingCount: 5,
        packetsSent: 5,
        packetsReceived: 5,
        packetSize: 64,
        packetLoss: 0,
        duplicates: 0,
        lateReplies: 0,
      })
      t.same(
        four?.response?.pingResults.map(({ sequence, type, code, success, ttl }) => [
          sequence,
          type,
          code,
          success,
          ttl,
        ]),
        [0, 1, 2, 3, 4].map((sequence) => [sequence, 0, 0, true, 64]),
      )
      const rtts = four?.response?.pingResults.map(({ rtt }) => Number(rtt)) ?? []
      t.ok(
        rtts.every((rtt) => rtt > 0) && Math.min(...rtts) < 1 && rtts.some((rtt) => !Number.isInteger(rtt)),
        `${rtts} ms`,
      )
      const { avg, min, max, stdDev } = four?.response?.latency ?? {}
      t.equal(min, Math.min(...rtts))
      t.equal(max, Math.max(...rtts))
      t.equal(four?.responseTime, avg)
      t.match(four?.metrics, {
        packetLoss: 0,
        dns: 0,
        latencyAvg: avg,
        latencyMin: min,
        latencyMax: max,
        latencyStdDev: stdDev,
      })
      t.match(six?.response, {
        resolvedIp: '::1',
        ipFamily: 'IPv6',
        packetsReceived: 2,
        pingResults: [{ type: 129, ttl: 64 }, {}],
      })
    })

    await t.test(
      'a kernel without time stamps is no hindrance, and the result says who measured',
      async (t) => {
        const ran = observe(t, permission, [
          { change: { pingCount: 1 } },
          { change: { pingCount: 3 }, withoutStamps: true },
          { change: { hostname: '::1', ipFamily: 'IPv6' } },
        ])
        const [before, four, six] = ran.map((each) => seen(t, each))
        t.match(before?.response, { timing: 'KERNEL', packetsReceived: 1 })
        t.match(four?.response, { timing: 'AGENT', packetsReceived: 3, packetLoss: 0 })
        t.match(six?.response, { timing: 'AGENT', packetsReceived: 2, resolvedIp: '::1' })
        for (const { rtt } of four?.response?.pingResults ?? []) t.ok(Number(rtt) > 0, `${rtt} ms`)
      },
    )

    await t.test(
      'without stamps late, repeated and missing replies are what they are with them',
      async (t) => {
        const [ran] = observe(t, permission, [
          {
            withoutStamps: true,
            change: { pingCount: 4 },
            answers: [['reply'], ['late'], ['reply', 'reply'], []],
          },
        ])
        t.match(seen(t, ran!).response, {
          timing: 'AGENT',
          packetsReceived: 3,
          packetLoss: 25,
          duplicates: 1,
        })
      },
    )

    await t.test('a target that never answers has failed, after the time for a reply', async (t) => {
      const [ran] = observe(t, permission, [{ answers: [] }])
      const { failure, response, metrics, responseTime } = seen(t, ran!)
      t.match(failure, {
        code: 'NO_REPLY',
        network: true,
        message: /^127\.0\.0\.1 answered none of 2 pings within \d+(\.\d)? s$/,
      })
      t.match(response, {
        packetLoss: 100,
        latency: { avg: null, stdDev: null },
        pingResults: [{ success: false, type: null, rtt: null, ttl: null }, {}],
      })
      t.same(metrics, { packetLoss: 100, dns: 0 })
      t.equal(responseTime, 0)
    })

    await t.test('wrong, mangled and repeated replies are told from right ones', async (t) => {
      const [ran] = observe(t, permission, [
        {
          change: { pingCount: 8 },
          answers: [
            ['wrong-id', 'reply'],
            ['wrong-data', 'wrong-sequence', 'reply'],
            ['reply', 'reply', 'reply'],
            ['truncated', 'garbage', 'reply'],
            ['wrong-data'],
            ['redirect', 'reply'],
            ['unreachable'],
            ['unreachable', 'reply'],
          ],
        },
      ])
      const { response, failure } = seen(t, ran!)
      t.same(
        response?.pingResults.map(({ success }) => success),
        [true, true, true, true, false, true, false, true],
      )
      t.match(response, { packetsReceived: 6, packetLoss: 25, lateReplies: 0 })
      // The reply to 1 that claimed to be one to 2 came before 2 was sent, or at the same time on a busy machine.
      t.ok([2, 3].includes(Number(response?.duplicates)))
      t.match(response?.pingResults[6], { type: 3, code: 1, from: '127.0.0.1', rtt: null })
      t.match(failure, {
        code: 'PACKET_LOSS',
        network: true,
        message:
          /^2 of 8 pings of 127\.0\.0\.1 were lost within .* s: 25 % is more than the 20 % that are allowed; 127\.0\.0\.1 says: host unreachable$/,
      })
    })
  })

t.test('a router that prohibits a ping administratively is quoted', { skip }, async (t) => {
  const answers: Answer[][] = [['prohibited'], ['prohibited']]
  const [ran] = observe(t, 'ping-group-range', [{ change: { pingCount: 2 }, answers }])
  t.match(seen(t, ran!).failure, {
    code: 'NO_REPLY',
    message: /; 127\.0\.0\.1 says: communication administratively prohibited$/,
  })
})

t.test('without any permission', { skip }, async (t) => {
  const [four, six] = observe(t, 'none', [{}, { change: { hostname: '::1' } }])
  t.same(four?.outcome, { kind: 'could-not-run', reason: notPermitted }, 'the run says what would help')
  t.same(six?.outcome, { kind: 'could-not-run', reason: notPermitted })
  t.match(notPermitted, /net\.ipv4\.ping_group_range.* or .*NET_RAW/)
})
