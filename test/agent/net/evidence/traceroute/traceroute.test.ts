// Runs in test:all only: it waits for packets in networks of its own.
import t from 'tap'
import type { TraceReport } from '../../../../../agent/net/evidence/traceroute/report.ts'
import {
  inTraceLab,
  type LabOptions,
  type LabResult,
  traceLabProblem,
} from '../../../../support/trace-lab.ts'

const problem = traceLabProblem()
const skip = problem === null ? false : problem

const reportOf = ({ files }: LabResult): TraceReport | null => {
  const file = files.find(({ name, type }) => name === 'traceroute.json' && type === 'report')
  return file === undefined ? null : JSON.parse(Buffer.from(file.base64, 'base64').toString())
}

const textOf = ({ files }: LabResult): string =>
  Buffer.from(files.find(({ name }) => name === 'traceroute.txt')?.base64 ?? '', 'base64').toString()

const refused = { url: 'http://10.77.3.1:8080/', deadlineMs: 2000 }

const one = (options: Partial<LabOptions>): LabResult => {
  const [result] = inTraceLab({ checks: [refused], as: 'nobody', ...options })
  if (result === undefined) throw new Error('no result')
  return result
}

const addresses = (report: TraceReport | null) => report?.hops.map(({ address }) => address)

t.test(
  'a refused connection is traced over every router, by somebody without privileges',
  { skip },
  async (t) => {
    const result = one({})
    t.match(result.failure, { code: 'ECONNREFUSED', network: true })
    const report = reportOf(result)
    t.match(report, { address: '10.77.3.1', port: 8080, method: 'TCP', reached: true, finished: true })
    t.same(addresses(report), ['10.77.1.254', '10.77.2.2', '10.77.3.1'])
    for (const hop of report?.hops ?? []) {
      t.match(hop, { sent: 3, lossPercent: 0, mark: null })
      const { best, avg, worst, last, stdDev } = hop
      t.ok(
        Number(best) > 0 && Number(best) <= Number(avg) && Number(avg) <= Number(worst),
        JSON.stringify(hop),
      )
      t.ok(Number(last) <= Number(worst) && Number(stdDev) >= 0)
    }
    t.match(textOf(result), /^The traceroute to 10\.77\.3\.1 port 8080 \(TCP\) reached it after 3 hops/)
    t.match(textOf(result), /\n {2}2 {2}10\.77\.2\.2 +0\.0 +3 /)
    t.match(result.log, [/^No packet capture: CAPTURE is off$/, /reached it after 3 hops/])
  },
)

t.test('IPv6 is traced the same way', { skip }, async (t) => {
  const [result] = inTraceLab({
    as: 'nobody',
    checks: [{ url: 'http://[fd77:3::1]:8080/', deadlineMs: 2000, ipFamily: 'IPv6' }],
  })
  t.same(addresses(reportOf(result as LabResult)), ['fd77:1::254', 'fd77:2::2', 'fd77:3::1'])
  t.match(reportOf(result as LabResult), { method: 'TCP', reached: true })
})

t.test('a router that prohibits the way is named with its mark', { skip }, async (t) => {
  const result = one({ faults: ['ip -n second route add prohibit 10.77.3.1/32'] })
  t.match(result.failure, { network: true })
  const report = reportOf(result)
  t.match(report, { reached: false, finished: true, hops: [{ mark: null }, { mark: '!X' }] })
  t.equal(report?.hops.length, 2)
  t.match(
    result.log.join('\n'),
    /ends at hop 2, where 10\.77\.2\.2 says that it is administratively prohibited \(!X\)/,
  )
})

t.test(
  'where packets vanish the last who answered is named, and the result is not late for the silence',
  { skip },
  async (t) => {
    const result = one({
      checks: [{ ...refused, deadlineMs: 500 }],
      faults: ['ip -n second route add blackhole 10.77.3.1/32'],
    })
    t.match(result.failure, { code: 'TIMEOUT', network: true })
    const report = reportOf(result)
    t.match(report, { reached: false, finished: false })
    t.match(report?.hops, [{ address: '10.77.1.254' }, { address: null, lossPercent: 100, best: null }])
    t.equal(report?.hops.length, 2, 'one line stands for all the silence')
    const words = result.log.join('\n')
    t.match(words, /was last answered by hop 1, 10\.77\.1\.254; the target did not answer/)
    t.match(words, /The kernel says of the connection: SYN-SENT, \d retransmissions of its first segment/)
    t.ok(result.tookMs < 500 + 3000 + 10_000, `${Math.round(result.tookMs)} ms`)
  },
)

const noTcp = 'ip -n first rule add pref 10 ipproto tcp blackhole'

t.test('where nobody answers connections, echo requests are traced', { skip }, async (t) => {
  const pings = 'ip netns exec agent sh -c \'echo "0 2147483647" > /proc/sys/net/ipv4/ping_group_range\''
  const result = one({ checks: [{ ...refused, deadlineMs: 300 }], faults: [noTcp, pings] })
  const report = reportOf(result)
  t.match(report, { method: 'ICMP', reached: true })
  t.same(addresses(report), ['10.77.1.254', '10.77.2.2', '10.77.3.1'])
})

t.test('and datagrams where pings are not permitted', { skip }, async (t) => {
  const result = one({ checks: [{ ...refused, deadlineMs: 300 }], faults: [noTcp] })
  const report = reportOf(result)
  t.match(report, { method: 'UDP', reached: true })
  t.same(addresses(report), ['10.77.1.254', '10.77.2.2', '10.77.3.1'])
})

t.test('a target without a route ends at this machine', { skip }, async (t) => {
  const [result] = inTraceLab({
    as: 'nobody',
    checks: [refused],
    faults: ['ip -n agent route del default via 10.77.1.254'],
  })
  t.match(result?.failure, { code: 'ENETUNREACH' })
  t.match(result?.log.at(-1), /ends at hop 1, where this machine says !ENETUNREACH/)
})
