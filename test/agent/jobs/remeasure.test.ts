import type http from 'node:http'
import t, { type Test } from 'tap'
import { runners } from '../../../agent/checks/index.ts'
import { remeasuredPerSecond } from '../../../agent/jobs/remeasure-budget.ts'
import { type RunResult, runJob } from '../../../agent/jobs/run-job.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import type { ApiSpec } from '../../../protocol/checks/api.ts'
import type { Job } from '../../../protocol/job.ts'
import { createLoopWatch, type LoopWatch } from '../../../protocol/loop-watch.ts'
import type { Observation } from '../../../protocol/result.ts'
import { agentIo } from '../../support/agent-io.ts'
import { apiRequest } from '../../support/api-request.ts'
import { urlJob, urlSpec } from '../../support/fake-control-plane.ts'
import { heldTimer } from '../../support/held-timer.ts'
import { httpServer } from '../../support/servers.ts'

/** Says that the loop has stood for so long, one measurement after the other. */
const stands = (...stalls: number[]): LoopWatch => ({
  begin: () => {
    const stoodMs = stalls.shift() ?? 0
    return () => stoodMs
  },
  onStall: () => undefined,
})

type Listener = (response: http.ServerResponse, count: number) => void

const target = async (t: Test, answer: Listener = (response) => response.end('ok')) => {
  const methods: string[] = []
  const { origin } = await httpServer(t, (request, response) => {
    methods.push(request.method ?? '')
    answer(response, methods.length)
  })
  return { origin, methods }
}

const resetFirst: Listener = (response, count) =>
  count === 1 ? response.socket?.resetAndDestroy() : response.end('ok')
const resetAlways: Listener = (response) => response.socket?.resetAndDestroy()

const run = (job: Job, loopWatch: LoopWatch, clock = realClock()): Promise<RunResult> =>
  runJob(job, agentIo({ loopWatch, clock }), new AbortController())

const apiJob = (url: string, request: Partial<ApiSpec['request']>, spec: Partial<ApiSpec> = {}): Job =>
  urlJob(url, {
    checkType: 'API',
    spec: {
      request: apiRequest(url, request),
      shouldFail: false,
      setupScripts: [],
      tearDownScripts: [],
      ...spec,
    } satisfies ApiSpec,
  })

const observationOf = ({ outcome }: RunResult): Observation => {
  if (outcome.kind !== 'observed') throw new Error(JSON.stringify(outcome))
  return outcome.observation
}
const wordsOf = ({ log }: RunResult): string => log.map(({ msg }) => msg).join('\n')

t.test('a failure that a stall may have caused is measured again, and the second time counts', async (t) => {
  const { origin, methods } = await target(t, resetFirst)
  const result = await run(urlJob(origin), stands(400, 0))
  t.equal(observationOf(result).failure, null)
  t.same(methods, ['GET', 'GET'])
  t.match(wordsOf(result), /stood for 400 ms .*: it is measured again/)
  t.equal(observationOf(result).stalledMs, undefined)
})

t.test('twice suspect is never the failure of the target', async (t) => {
  const { origin, methods } = await target(t, resetAlways)
  const result = await run(urlJob(origin), stands(400, 700))
  t.match(result.outcome, { kind: 'could-not-run', reason: /stood for 400 ms .*closed the connection/ })
  t.equal(methods.length, 2, 'and not more often')
  t.match(wordsOf(result), /stood for 700 ms/)
})

t.test('a failure that comes again without a stall is one', async (t) => {
  const { origin } = await target(t, resetAlways)
  t.match(observationOf(await run(urlJob(origin), stands(400, 0))).failure, { code: 'ECONNRESET' })
  t.match(observationOf(await run(urlJob(origin), stands(0))).failure, { code: 'ECONNRESET' })
})

t.test('what must not be sent twice is not', async (t) => {
  const { origin, methods } = await target(t, resetAlways)
  const result = await run(apiJob(origin, { method: 'POST' }), stands(400, 0))
  t.match(result.outcome, { kind: 'could-not-run', reason: /stood for 400 ms/ })
  t.same(methods, ['POST'])
  t.match(wordsOf(result), /must not be sent twice/)
})

t.test(
  'a run that passed with false times is measured again, or says by how much they may be false',
  async (t) => {
    const { origin, methods } = await target(t)
    const again = await run(urlJob(origin), stands(400, 0))
    t.equal(observationOf(again).stalledMs, undefined)
    t.equal(methods.length, 2)
    const twice = observationOf(await run(urlJob(origin), stands(400, 500)))
    t.equal(twice.failure, null, 'it passed all the same')
    t.equal(twice.stalledMs, 500)
    const posted = await run(apiJob(origin, { method: 'POST' }), stands(400))
    t.equal(observationOf(posted).stalledMs, 400)
    t.equal(methods.filter((method) => method === 'POST').length, 1)
    t.match(wordsOf(posted), /its times may be false/)
  },
)

t.test('a run that passed once is not failed by a second measurement that is worse', async (t) => {
  const { origin } = await target(t, (response, count) =>
    count === 1 ? response.end('ok') : response.socket?.resetAndDestroy(),
  )
  const seen = observationOf(await run(urlJob(origin), stands(400, 400)))
  t.equal(seen.failure, null)
  t.equal(seen.stalledMs, 400)
})

t.test('a second measurement that had too little time says nothing of its target', async (t) => {
  const limit = heldTimer(300)
  const { origin, methods } = await target(t, (response, count) => {
    if (count === 1) response.socket?.resetAndDestroy()
    else limit.pass()
  })
  const job = urlJob(origin, { deadlineMs: 300, spec: urlSpec(origin) })
  const result = await run(job, stands(400, 0), limit.clock)
  t.match(result.outcome, { kind: 'could-not-run', reason: /stood for 400 ms/ })
  t.equal(methods.length, 2)
  t.match(wordsOf(result), /The time of the run was up/)
})

t.test('a loop that really stood: the time of the answer is not the target’s', async (t) => {
  const { origin, methods } = await target(t, (response) => {
    const end = performance.now() + 500
    while (performance.now() < end);
    response.end('ok')
  })
  const assertions = [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '400' } as const]
  const result = await run(apiJob(origin, { method: 'POST', assertions }), createLoopWatch(realClock()))
  t.match(result.outcome, {
    kind: 'could-not-run',
    reason: /The event loop of this agent stood for \d{3,} ms/,
  })
  t.same(methods, ['POST'])
})

t.test('which jobs are sent again: those that only look', async (t) => {
  const script = { name: 'the setup script', code: '' }
  const tcp = (data: string | null) => ({
    request: { hostname: 'h', port: 1, data, ipFamily: 'IPv4', assertions: [] },
    shouldFail: false,
  })
  const rows: [Job, boolean][] = [
    [urlJob('http://h/'), true],
    [urlJob('', { checkType: 'DNS' }), true],
    [urlJob('', { checkType: 'ICMP' }), true],
    [urlJob('', { checkType: 'TCP', spec: tcp(null) }), true],
    [urlJob('', { checkType: 'TCP', spec: tcp('PING\n') }), false],
    ...(['GET', 'HEAD'] as const).map((method): [Job, boolean] => [apiJob('http://h/', { method }), true]),
    ...(['POST', 'PUT', 'PATCH', 'DELETE'] as const).map((method): [Job, boolean] => [
      apiJob('http://h/', { method }),
      false,
    ]),
    [apiJob('http://h/', {}, { setupScripts: [script] }), false],
    [apiJob('http://h/', {}, { tearDownScripts: [script] }), false],
  ]
  for (const [job, isRepeatable] of rows)
    t.equal(
      runners[job.checkType]?.isRepeatable(job),
      isRepeatable,
      `${job.checkType} ${JSON.stringify(job.spec)}`,
    )
})

t.test('an agent that is busy does not make itself busier by measuring all that passed again', async (t) => {
  const { origin, methods } = await target(t)
  const io = agentIo({ loopWatch: stands(...Array.from({ length: 200 }, () => 400)) })
  const began = performance.now()
  const runs = 60
  for (let index = 0; index < runs; index += 1) {
    const seen = observationOf(await runJob(urlJob(origin), io, new AbortController()))
    t.equal(seen.stalledMs, 400, 'what is not measured again says so')
  }
  const seconds = (performance.now() - began) / 1000
  const again = methods.length - runs
  t.ok(
    again >= 1 && again <= remeasuredPerSecond * (1 + seconds) + 1,
    `${again} of ${runs} in ${seconds.toFixed(1)} s`,
  )
})
