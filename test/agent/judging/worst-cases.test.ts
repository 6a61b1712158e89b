// Runs in a process of its own: it measures the CPU time between two turns of its event loop.
// Runs in test:all only: it measures the worst inputs.
import os from 'node:os'
import t, { type Test } from 'tap'
import { outcomeName, type RunResult, runJob } from '../../../agent/jobs/run-job.ts'
import type { RunBudget } from '../../../agent/judging/limits.ts'
import { createJudgingPool } from '../../../agent/judging/pool.ts'
import type { RealIo } from '../../../agent/program/real-io.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import type { Assertion } from '../../../protocol/assertion.ts'
import type { Job } from '../../../protocol/job.ts'
import { agentIo } from '../../support/agent-io.ts'
import { apiRequest } from '../../support/api-request.ts'
import { urlJob } from '../../support/fake-control-plane.ts'
import { byLength } from '../../support/length.ts'
import { type LoopMeter, loopMeter } from '../../support/loop-meter.ts'
import { httpServer } from '../../support/servers.ts'
import { bodies, type WorstCase, worstCases } from '../../support/worst-cases.ts'

/** Less than any of them needs, so that the table does not take minutes. */
const budget: RunBudget = {
  cpuMs: byLength({ short: 250, all: 250, long: 400 }),
  scrubCpuMs: 150,
  memoryMb: 512,
}

const ioOf = (t: Test, change: Partial<{ budget: RunBudget; size: number }> = {}): RealIo => {
  const io = agentIo()
  const judging = createJudgingPool({
    execPath: process.execPath,
    size: Math.max(1, os.availableParallelism() - 1),
    clock: realClock(),
    budget,
    ...change,
  })
  t.teardown(judging.close)
  return { ...io, judging }
}

/** Answers with the body whose name is the path. */
const bodyServer = (t: Test) =>
  httpServer(t, ({ url = '' }, response) => {
    const [, type = '', name = ''] = url.split('/')
    const body = bodies[name as keyof typeof bodies] ?? '{"status":"up","version":"1.2.3"}'
    response.setHeader('content-type', type === 'json' ? 'application/json' : 'text/plain').end(body)
  })

const jobOf = (url: string, assertions: Assertion[], change: Partial<Job> = {}): Job =>
  urlJob('', {
    checkType: 'API',
    spec: {
      request: apiRequest(url, { assertions: assertions as never }),
      shouldFail: false,
      setupScripts: [],
      tearDownScripts: [],
    },
    ...change,
  })

const urlOf = (origin: string, { source, body }: WorstCase): string =>
  `${origin}/${source === 'JSON_BODY' ? 'json' : 'text'}/${body}`

const errorsOf = ({ outcome }: RunResult): (string | null)[] =>
  outcome.kind === 'observed' ? outcome.observation.assertions.map(({ error }) => error) : []

const ranOut = /^ran out of the run's [\d.]+ s of processor time/

/** Far above what a slow machine takes for a turn, far below what one of these takes for itself. */
const longestStandMs = 100

const healthy: Assertion[] = [
  { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' },
  { source: 'JSON_BODY', property: '$.status', comparison: 'EQUALS', target: 'up' },
  { source: 'TEXT_BODY', property: '"version":"([0-9.]+)"', comparison: 'EQUALS', target: '1.2.3' },
]

/** Runs a healthy check again and again until `over`; how often it ran, and what it came to. */
const neighbour = async (origin: string, io: RealIo, over: () => boolean): Promise<string[]> => {
  const outcomes: string[] = []
  while (!over()) {
    outcomes.push(
      outcomeName(await runJob(jobOf(`${origin}/json/small`, healthy), io, new AbortController())),
    )
    await io.clock.sleep(500)
  }
  return outcomes
}

const withMeter = async (work: () => Promise<void>): Promise<LoopMeter> => {
  const meter = loopMeter()
  try {
    await work()
  } finally {
    meter.stop()
  }
  return meter
}

t.test('the worst patterns and paths', async (t) => {
  const { origin } = await bodyServer(t)
  const io = ioOf(t)
  let isOver = false
  let unfinished = 0
  let finished = 0
  const beside = neighbour(origin, io, () => isOver)
  const meter = await withMeter(async () => {
    for (const worst of worstCases) {
      const { source, property } = worst
      // What has failed is known not to hold, and what has passed to hold: whoever does not finish must not pass either.
      const assertions = (['IS_NULL', 'NOT_NULL'] as const).map((comparison) => ({
        source,
        property,
        comparison,
      }))
      const result = await runJob(jobOf(urlOf(origin, worst), assertions), io, new AbortController())
      const errors = errorsOf(result)
      t.equal(result.outcome.kind, 'observed', property)
      t.equal(outcomeName(result), 'failed', `${property} and its opposite do not pass together`)
      if (errors.some((error) => ranOut.test(error ?? ''))) unfinished += 1
      else finished += 1
    }
  })
  isOver = true
  const outcomes = await beside
  t.ok(outcomes.length > 0 && outcomes.every((outcome) => outcome === 'passed'), 'its neighbour is well')
  t.ok(meter.longestMs() < longestStandMs, `the loop stood for ${meter.longestMs()} ms of CPU time at most`)
  t.ok(unfinished >= 20, 'they are as bad as that')
  t.comment(
    `${worstCases.length} worst patterns and paths: ${unfinished} ran out of their time, ${finished} finished; ` +
      `the loop stood for ${meter.longestMs()} ms at most; ${outcomes.length} healthy runs beside them`,
  )
})

t.test('all of them in one check have one budget, and the run fails', async (t) => {
  const { origin } = await bodyServer(t)
  const io = ioOf(t)
  const assertions = worstCases
    .filter(({ source }) => source === 'TEXT_BODY')
    .flatMap(({ property }) => [
      { source: 'TEXT_BODY', property, comparison: 'IS_NULL' as const },
      { source: 'TEXT_BODY', property: `${property}|no such text`, comparison: 'IS_NULL' as const },
    ])
  const first: Assertion = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }
  let result: RunResult | null = null
  const before = io.clock.monotonic()
  const meter = await withMeter(async () => {
    const job = jobOf(`${origin}/text/abs`, [first, ...assertions])
    result = await runJob(job, io, new AbortController())
  })
  const errors = errorsOf(result as unknown as RunResult)
  t.equal(outcomeName(result as unknown as RunResult), 'failed')
  t.equal(errors[0], null, 'what was judged before keeps its outcome')
  t.match(errors.at(-1), ranOut)
  t.ok(meter.longestMs() < longestStandMs)
  t.comment(`${assertions.length} in one run: ${Math.round(io.clock.monotonic() - before)} ms`)
})
