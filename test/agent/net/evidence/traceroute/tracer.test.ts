import t from 'tap'
import type { PeerAddress } from '../../../../../agent/net/connect/lookup.ts'
import { createTracer } from '../../../../../agent/net/evidence/traceroute/tracer.ts'
import type { Trace } from '../../../../../agent/net/evidence/traceroute/traceroute.ts'
import { realClock } from '../../../../../agent/program/real-io.ts'

const targetOf = (last: number): PeerAddress => ({ address: `192.0.2.${last}`, family: 4, port: 443 })

/** A tracer whose traces end when the test says so, on a clock that the test moves. */
const controlled = () => {
  const open: { target: PeerAddress; end(): void; fail(error: Error): void }[] = []
  let now = 0
  const begin = (target: PeerAddress): Promise<Trace> =>
    new Promise((resolve, reject) => {
      const trace = { ...target, method: 'TCP' as const, hops: [], reached: true, finished: true }
      open.push({ target, end: () => resolve({ ...trace, startedAt: 0, tookMs: 1 }), fail: reject })
    })
  const tracer = createTracer(begin, { ...realClock(), monotonic: () => now })
  return {
    tracer,
    open,
    pass: (ms: number) => {
      now += ms
    },
  }
}

t.test('failures of one target share a trace, also those of the next minute', async (t) => {
  const { tracer, open, pass } = controlled()
  const both = [tracer(targetOf(1)), tracer(targetOf(1))]
  t.equal(open.length, 1)
  open[0]?.end()
  const [first, second] = await Promise.all(both)
  t.match(first, { trace: { address: '192.0.2.1' } })
  t.same(first, second)
  pass(59_000)
  t.same(await tracer(targetOf(1)), first)
  t.equal(open.length, 1)
  pass(2000)
  tracer(targetOf(1))
  t.equal(open.length, 2, 'a minute later it is traced again')
})

t.test('two targets are traced at once, and others go without rather than wait', async (t) => {
  const { tracer, open } = controlled()
  const first = tracer(targetOf(1))
  tracer(targetOf(2))
  t.match(await tracer(targetOf(3)), { reason: /^2 of other targets/ })
  open[0]?.end()
  await first
  tracer(targetOf(3))
  t.equal(open.length, 3)
})

t.test('of many failures at once 20 wait for their trace', async (t) => {
  const { tracer, open } = controlled()
  const all = Array.from({ length: 1000 }, () => tracer(targetOf(1)))
  open[0]?.end()
  const answers = await Promise.all(all)
  t.equal(answers.filter((answer) => 'trace' in answer).length, 20)
  t.equal(open.length, 1)
})

t.test('a trace that this machine could not make is no answer for the next', async (t) => {
  const { tracer, open } = controlled()
  const failed = tracer(targetOf(1))
  open[0]?.fail(new Error('no memory'))
  await t.rejects(failed, { message: 'no memory' })
  const next = tracer(targetOf(1))
  open[1]?.end()
  t.match(await next, { trace: { reached: true } })
})
