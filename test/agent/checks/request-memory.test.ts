import t from 'tap'
import { DeadlinePassed, RunCancelled } from '../../../agent/base/deadline.ts'
import type { ApiJob } from '../../../agent/checks/api-request.ts'
import { holdRequestMemory, requestBytes } from '../../../agent/checks/request-memory.ts'
import type { ApiSpec } from '../../../protocol/checks/api.ts'
import { createSemaphore } from '../../../protocol/semaphore.ts'
import { apiRequest } from '../../support/api-request.ts'
import { fakeClock } from '../../support/fake-clock.ts'
import { urlJob } from '../../support/fake-control-plane.ts'

const megabyte = 1024 * 1024

const setUp = () => {
  const clock = fakeClock()
  const io = { clock, requestMemory: createSemaphore({ total: 10 * megabyte }) }
  const controller = new AbortController()
  const hold = (megabytes: number) =>
    holdRequestMemory(megabytes * megabyte, { io, signal: controller.signal })
  return { clock, controller, hold }
}

t.test('small requests wait for nobody', async (t) => {
  const { hold } = setUp()
  await hold(10)
  for (let count = 0; count < 1000; count += 1) t.ok(await hold(0.1))
})

t.test('large ones wait for their turn, and nobody overtakes', async (t) => {
  const { clock, hold } = setUp()
  const order: string[] = []
  const first = await hold(8)
  const second = hold(8).then((release) => {
    order.push('second')
    return release
  })
  const third = hold(1).then((release) => {
    order.push('third')
    return release
  })
  first()
  first()
  ;(await second)()
  ;(await third)()
  t.same(order, ['second', 'third'])
  t.equal(clock.timers(), 0)
  t.ok(await hold(10), 'all is free again')
})

t.test('one that is larger than all there is has all of it', async (t) => {
  const { hold } = setUp()
  const first = await hold(20)
  const second = hold(1)
  first()
  t.ok(await second)
})

t.test('who waits for too long could not be run, and lets others pass', async (t) => {
  const { clock, hold } = setUp()
  await hold(5)
  const waiting = hold(8)
  const small = hold(5)
  clock.advance(20_000)
  await t.rejects(waiting, { name: 'CannotRun', message: /no memory for a large request within 20 seconds/ })
  t.ok(await small)
})

t.test('the end of a run ends its wait', async (t) => {
  const late = setUp()
  await late.hold(10)
  const waiting = late.hold(5)
  late.controller.abort(new DeadlinePassed(1000))
  await t.rejects(waiting, { name: 'CannotRun' })
  const cancelled = setUp()
  await cancelled.hold(10)
  const unwanted = cancelled.hold(5)
  cancelled.controller.abort(new RunCancelled())
  await t.rejects(unwanted, { name: 'RunCancelled' })
})

t.test('what a request will take is known before there is anything of it', async (t) => {
  const job = (request: Partial<ApiSpec['request']>): ApiJob => ({
    ...urlJob(''),
    variables: [{ key: 'BIG', value: 'x'.repeat(1000), secret: false }],
    spec: {
      request: apiRequest('http://h/', { bodyType: 'RAW', ...request }),
      shouldFail: false,
      setupScripts: [],
      tearDownScripts: [],
    },
  })
  t.equal(requestBytes(job({ body: 'x'.repeat(500) })), 1000)
  t.equal(requestBytes(job({ body: 'x'.repeat(500), bodyType: 'NONE' })), 0)
  t.equal(requestBytes(job({ body: '{{{BIG}}}{{$UUID}}{{UNKNOWN}}' })), 2 * (1000 + 29))
  t.ok(requestBytes(job({ body: '{{BIG}}' })) >= 2000)
  t.equal(requestBytes(job({ body: '{{{BIG}}}'.repeat(20_000) })), 16 * megabyte, 'no more than may be sent')
})
