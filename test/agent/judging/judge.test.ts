// Runs in test:all only: it measures the worst inputs.
import t, { type Test } from 'tap'
import { itemsOf, judge as judgeItem } from '../../../agent/assertions/evaluate.ts'
import { createReadings } from '../../../agent/assertions/readings.ts'
import { type HttpSubject, httpSources } from '../../../agent/assertions/sources.ts'
import { DeadlinePassed, RunCancelled } from '../../../agent/base/deadline.ts'
import { runJob } from '../../../agent/jobs/run-job.ts'
import { decode } from '../../../agent/judging/do-task.ts'
import { createJudge, type Judge } from '../../../agent/judging/judge.ts'
import { type RunBudget, runBudget } from '../../../agent/judging/limits.ts'
import { createJudgingPool, type JudgingPool } from '../../../agent/judging/pool.ts'
import { realClock } from '../../../agent/program/real-io.ts'
import { scrubReport } from '../../../agent/scrub/scrub-report.ts'
import type { Assertion } from '../../../protocol/assertion.ts'
import type { Observation } from '../../../protocol/result.ts'
import { agentIo } from '../../support/agent-io.ts'
import { urlJob, urlSpec } from '../../support/fake-control-plane.ts'
import { httpServer } from '../../support/servers.ts'

const poolOf = (t: Test, budget: Partial<RunBudget> = {}, change: object = {}): JudgingPool => {
  const options = { execPath: process.execPath, size: 1, clock: realClock(), ...change }
  const pool = createJudgingPool({ ...options, budget: { ...runBudget, ...budget } })
  t.teardown(pool.close)
  return pool
}

/** Counts what is given to other processes. */
const counting = (pool: JudgingPool): JudgingPool & { tasks: number } => {
  const counted = {
    ...pool,
    tasks: 0,
    run: (task: Parameters<JudgingPool['run']>[0]) => {
      counted.tasks += 1
      return pool.run(task)
    },
  }
  return counted
}

const judgeOf = (pool: JudgingPool, signal = new AbortController().signal): Judge =>
  createJudge({ pool, checkId: 'a check', signal })

const subjectOf = (text: string, type = 'text/plain'): HttpSubject => ({
  status: 200,
  headers: { 'content-type': type },
  responseTime: 5,
  body: { bytes: Buffer.from(text), type, isUtf8: false, cut: false },
})

const pattern = (property: string): Assertion => ({
  source: 'TEXT_BODY',
  property,
  comparison: 'NOT_NULL',
})

/** Its match is the whole text, in which every character may be the end of each group. */
const endless = pattern('(?s)c((.*)(.*)(.*)(.*)b)')
const long = `c x y\n${'ab'.repeat(5_000_000)}`

t.test(
  'what is small is judged at once, what is not in another process, with the same outcomes',
  async (t) => {
    const pool = counting(poolOf(t))
    const everyday = ['"status":\\s*"(\\w+)"', 'version: ([\\d.]+)', '<title>(.*?)</title>']
    const assertions = [...everyday, 'error|exception|fatal', '[A-Z]{3}-\\d{4}', 'none (here)'].map(pattern)
    const end = '"status": "up" version: 1.2.3 <title>x</title> fatal ABC-1234'
    const small = subjectOf(end)
    const large = subjectOf(`${'{"id":123,"name":"something","tags":["ä"]}\n'.repeat(100_000)}${end}`)
    const path = (property: string) => ({ source: 'JSON_BODY', property, comparison: 'NOT_NULL' as const })
    const numbers = JSON.stringify(Array.from({ length: 100_000 }, (_, id) => ({ id })))
    const documents = ['$[3].id', '$..id', '$[?@.id == 5].id', '', '$.none', '$[', 'a'].map(path)
    for (const [subject, wanted, tasks] of [
      [small, assertions, 0],
      [large, assertions, 1],
      [subjectOf('[{"id":1},{"id":5}]', 'application/json'), documents, 1],
      [subjectOf(numbers, 'application/json'), documents, 2],
      [subjectOf('[', 'application/json'), documents, 2],
      [subjectOf(numbers, 'text/plain'), documents, 3],
    ] as const) {
      const readings = createReadings({ decode })
      const expected = itemsOf(wanted, subject, httpSources).map((item) => judgeItem(item, readings))
      t.same(await judgeOf(pool).evaluate(wanted, subject, httpSources), expected)
      t.equal(pool.tasks, tasks)
    }
  },
)

t.test('many small things are not a large one', async (t) => {
  const pool = counting(poolOf(t))
  const text = 'lorem ipsum 1.2 '.repeat(600)
  const assertions = Array.from({ length: 100 }, (_, index) => pattern(`(\\w+ )+${index}(x?)[0-9]{5}`))
  const judge = judgeOf({ ...pool, monotonic: slowClock(0.5) })
  const outcomes = await judge.evaluate(assertions, subjectOf(text), httpSources)
  t.equal(outcomes.length, 100)
  t.equal(pool.tasks, 1)
})

/** Each look at it is so many milliseconds after the last. */
const slowClock = (step: number): (() => number) => {
  let now = 0
  return () => {
    now += step
    return now
  }
}

t.test('a body is decoded once, and a path or pattern read once, however many look at it', async (t) => {
  let decoded = 0
  const readings = createReadings({
    decode: (body) => {
      decoded += 1
      return decode(body)
    },
  })
  const subject = subjectOf('{"a":[1,2]}', 'application/json')
  const assertions = (['NOT_NULL', 'NOT_EMPTY'] as const).flatMap((comparison) => [
    { source: 'JSON_BODY', property: '$.a', comparison },
    { source: 'TEXT_BODY', property: '(\\d),', comparison },
  ])
  const found = itemsOf(assertions, subject, httpSources).map(({ material }) =>
    readings.of(material as never),
  )
  t.equal(decoded, 1)
  t.equal(found[0], found[2], 'the very same array')
  t.equal(found[1], '1')
})

t.test('a run that has no time left says so, keeps what it knows, and fails', async (t) => {
  const pool = poolOf(t, { cpuMs: 300, scrubCpuMs: 100 })
  const assertions = [pattern('ab'), endless, pattern('(ab)')]
  const outcomes = await judgeOf(pool).evaluate(assertions, subjectOf(long), httpSources)
  t.match(outcomes, [
    { passed: true, error: null },
    { passed: false, actual: null, error: /^ran out of the run's 0.3 s of processor time before/ },
    { passed: false, actual: null, error: /^ran out of the run's 0.3 s of processor time before/ },
  ])
  t.equal((await judgeOf(pool).evaluate([pattern('ab')], subjectOf(long), httpSources))[0]?.passed, true)
})

t.test('a process that has no memory left says so, and harms nobody', async (t) => {
  const pool = poolOf(t, { memoryMb: 48 })
  const json = subjectOf(`[${'{"a":[]},'.repeat(1_000_000)}1]`, 'application/json')
  const paths = ['$[0]', '$[1]'].map((property) => ({
    source: 'JSON_BODY',
    property,
    comparison: 'NOT_NULL' as const,
  }))
  t.match(await judgeOf(pool).evaluate(paths, json, httpSources), [
    { passed: false, error: /^ran out of the run's 48 MB of memory before/ },
    { passed: false, error: /^ran out of the run's 48 MB of memory before/ },
  ])
})

/** Calls `act` when the first outcome is known. */
const onFirstOutcome = (pool: JudgingPool, act: () => void): JudgingPool => ({
  ...pool,
  run: (task) =>
    pool.run({
      ...task,
      onAnswer: (answer) => {
        task.onAnswer(answer)
        act()
      },
    }),
})

t.test("the run's own limit is above all", async (t) => {
  const pool = poolOf(t, { cpuMs: 600_000 })
  const assertions = [pattern('(ab)'), endless]
  const judged = (reason: Error) => {
    const controller = new AbortController()
    const judge = judgeOf(
      onFirstOutcome(pool, () => controller.abort(reason)),
      controller.signal,
    )
    return judge.evaluate(assertions, subjectOf(long), httpSources)
  }
  const outcomes = await judged(new DeadlinePassed(30_000)).catch((error: Error) => error)
  // A machine that gave it no time is no fault of the check.
  if (outcomes instanceof Error)
    t.match(outcomes, { name: 'CannotRun', message: /too little processor time/ })
  else
    t.match(outcomes, [
      { passed: true },
      { passed: false, error: "the run's limit of 30 s passed before this assertion was judged" },
    ])
  await t.rejects(judged(new RunCancelled()), RunCancelled, 'nobody wants it')
})

t.test('who never got a process has not failed, and takes no place from those that wait', async (t) => {
  const pool = poolOf(t, { cpuMs: 1200 })
  const working = judgeOf(pool).evaluate([endless], subjectOf(long), httpSources)
  const late = new AbortController()
  const waiting = judgeOf(pool, late.signal).evaluate([endless], subjectOf(long), httpSources)
  const next = judgeOf(pool).evaluate([pattern('(ab)')], subjectOf(long), httpSources)
  late.abort(new DeadlinePassed(30_000))
  await t.rejects(waiting, { name: 'CannotRun', message: /no process free/ })
  t.match(await working, [{ passed: false, error: /^ran out of/ }])
  t.match(await next, [{ passed: true }])
})

t.test('nothing of a run is shown whose secrets could not be taken out', async (t) => {
  const { origin } = await httpServer(t, (_, response) => response.end('the secret value-0 is here'))
  const pool = poolOf(t, { cpuMs: 50, scrubCpuMs: 50 })
  const variables = Array.from({ length: 8000 }, (_, index) => ({
    key: `SECRET_${index}`,
    value: `value-${index} ${'ü%&<"'.repeat(80)}`,
    secret: true,
  }))
  const job = urlJob('', { spec: urlSpec(origin), variables })
  const { outcome, log, artifacts } = await runJob(
    job,
    { ...agentIo(), judging: pool },
    new AbortController(),
  )
  t.match(outcome, { kind: 'could-not-run', reason: /secrets could not be taken out/ })
  t.same([log, artifacts], [[], []])
})

t.test('secrets are taken out in another process as they are here', async (t) => {
  const pool = counting(poolOf(t))
  const secrets = Array.from({ length: 3000 }, (_, index) => `a secret value ${index}`)
  const observation = {
    responseTime: 1,
    failure: null,
    assertions: [],
    degraded: false,
    metrics: {},
    detail: { said: `it is a secret value 7, ${encodeURIComponent('a secret value 8')}` },
  } as unknown as Observation
  const texts = ['a secret value 299', 'nothing']
  const lines = ['a secret', ' value 5'].map((msg) => ({ time: 1, level: 'INFO' as const, msg }))
  const report = { observation, lines, texts }
  const clean = await judgeOf(pool).scrub(secrets, report)
  t.equal(pool.tasks, 1)
  t.same(clean, scrubReport(secrets, report))
  t.match(clean.texts, [/^\[secret\]/, 'nothing'])
  t.notMatch(JSON.stringify(clean), /secret.value/)
  t.same(await judgeOf(pool).scrub(['a secret'], report), scrubReport(['a secret'], report))
  t.equal(pool.tasks, 1, 'a little is done here')
})
