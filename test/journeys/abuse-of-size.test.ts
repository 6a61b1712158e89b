// Runs in test:all only: it measures the worst inputs.
/**
 * Checks that want to be large: with templates, with what scripts hand over, hide and print, alone and many at once. Each ends in
 * a result with a sentence that names the limit, and the agent's process stays small meanwhile.
 */
import { readFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { ApiSpec } from '../../protocol/checks/api.ts'
import type { Job } from '../../protocol/job.ts'
import type { Outcome, Report } from '../../protocol/result.ts'
import { apiRequest } from '../support/api-request.ts'
import { type FakeControlPlane, fakeControlPlane, urlJob } from '../support/fake-control-plane.ts'
import { endsWith, type Program, scratchFolder, spawnAgent } from '../support/programs.ts'
import { httpServer } from '../support/servers.ts'
import { testApiKey } from '../support/test-agent.ts'

/** One check alone took over 1,000 MB. */
const maxMegabytes = 400

const big = { key: 'BIG', value: 'x'.repeat(64 * 1024), secret: false }
/** Nearly 8 MB, and far more. */
const eight = '{{{BIG}}}'.repeat(127)
const huge = '{{{BIG}}}'.repeat(10_000)
const hundred = (value: string) => Array.from({ length: 100 }, (_, index) => ({ key: `x-${index}`, value }))

type Row = {
  what: string
  request?: Partial<ApiSpec['request']>
  setup?: string
  teardown?: string
  /** What the result says; null: it passes. */
  says: RegExp | null
}

const rows: Row[] = [
  {
    what: 'a hundred headers of 8 MB',
    request: { headers: hundred(eight) },
    says: /the headers are longer than 256 KB/,
  },
  {
    what: 'a header of 640 MB',
    request: { headers: [{ key: 'x', value: huge }] },
    says: /the headers are longer than 256 KB/,
  },
  {
    what: 'a hundred query parameters of 8 MB',
    request: { queryParameters: hundred(eight) },
    says: /the query parameters are longer than 256 KB/,
  },
  {
    what: 'query parameters that grow when they are encoded',
    request: { queryParameters: hundred('\u{1f600}'.repeat(1000)) },
    says: /the query parameters are longer than 256 KB/,
  },
  {
    what: 'an address of 8 MB',
    request: { url: `http://127.0.0.1/${eight}` },
    says: /the address .* longer than 256 KB/,
  },
  {
    what: 'a user and a password of 6 MB',
    request: { basicAuth: { username: '{{{BIG}}}'.repeat(100), password: '{{{BIG}}}'.repeat(100) } },
    says: /the headers are longer than 256 KB/,
  },
  {
    what: 'a body of 640 MB',
    request: { method: 'POST', bodyType: 'RAW', body: huge },
    says: /the body is longer than 8 MB/,
  },
  {
    what: 'all of it, shown to a script',
    request: { headers: hundred(eight), queryParameters: hundred(eight), body: huge },
    setup: '',
    says: /longer than 256 KB/,
  },
  {
    what: 'a script that sets 15,000 headers',
    setup: 'for (let i = 0; i < 15000; i += 1) request.headers["h" + i] = "x"',
    says: /set 15003 headers; at most 1000 are taken|set 15000 headers; at most 1000 are taken/,
  },
  {
    what: 'a script that sets 15,000 query parameters',
    setup: 'for (let i = 0; i < 15000; i += 1) request.queryParameters["q" + i] = "x"',
    says: /set 15000 query parameters; at most 1000 are taken/,
  },
  {
    what: 'a script that sets 15,000 variables',
    setup: 'for (let i = 0; i < 15000; i += 1) process.env["V" + i] = "x"',
    says: /set 15000 variables; at most 1000 are taken/,
  },
  {
    what: 'a script that hides 7,000 values and prints the last',
    setup:
      'for (let i = 0; i < 7000; i += 1) process.env.SERVICE_SECRET_A = "hush" + i; console.log("hush6999")',
    says: /may make at most 1000 values of 128 KB together secret/,
  },
  {
    what: 'a script that hides values of 160 KB',
    setup: 'for (let i = 0; i < 20; i += 1) process.env.SERVICE_SECRET_A = i + "s".repeat(8192)',
    says: /may make at most 1000 values of 128 KB together secret/,
  },
  {
    what: 'two scripts that together hide too much',
    setup: 'for (let i = 0; i < 600; i += 1) process.env.SERVICE_SECRET_A = REGION + i',
    teardown: 'for (let i = 0; i < 600; i += 1) process.env.SERVICE_SECRET_A = "teardown" + i',
    says: /teardown script was stopped: .* at most 1000 values/,
  },
  {
    what: 'a script that sets a body of 10 MB',
    setup: 'request.body = "x".repeat(10 * 1024 * 1024)',
    says: /changed more than the 256 KB/,
  },
  {
    what: 'a script that makes the answer 10 MB',
    teardown: 'response.body = "x".repeat(10 * 1024 * 1024)',
    says: /changed more than the 256 KB/,
  },
  {
    what: 'a script that prints 100 MB',
    setup: 'for (let i = 0; i < 100; i += 1) console.log("x".repeat(1024 * 1024))',
    says: null,
  },
  {
    what: 'a script that prints 50,000 lines',
    setup: 'for (let i = 0; i < 50000; i += 1) console.log("")',
    says: null,
  },
]

const jobOf = (origin: string, { what, request, setup, teardown }: Row): Job => ({
  ...urlJob(origin, { id: what.replaceAll(/\W+/g, '-'), checkType: 'API', deadlineMs: 110_000 }),
  variables: [big],
  spec: {
    request: apiRequest(origin, request),
    shouldFail: false,
    setupScripts: setup === undefined ? [] : [{ name: 'the setup script', code: setup }],
    tearDownScripts: teardown === undefined ? [] : [{ name: 'the teardown script', code: teardown }],
  } satisfies ApiSpec,
})

const setUp = async (t: Test): Promise<{ plane: FakeControlPlane; agent: Program }> => {
  const plane = await fakeControlPlane(t, { serverTime: Date.now, apiKey: testApiKey })
  const env = { API_KEY: testApiKey, SCRIPT_CONCURRENCY: '1' }
  const agent = endsWith(
    t,
    spawnAgent({ url: plane.origin, spoolDir: await scratchFolder(t), env, browsers: false }),
  )
  return { plane, agent }
}

/** The most memory that the process has ever had (proc(5)). */
const peakMegabytes = ({ pid }: Program): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

const wordsOf = (outcome: Outcome): string =>
  outcome.kind === 'observed' ? (outcome.observation.failure?.message ?? '') : JSON.stringify(outcome)

t.test('each ends in a result that names the limit', { skip: process.platform !== 'linux' }, async (t) => {
  const { plane, agent } = await setUp(t)
  const target = await httpServer(t, (_, response) => response.end('ok'))
  for (const row of rows) {
    const job = jobOf(target.origin, row)
    plane.offer(job)
    const report = (): Report | undefined => plane.reports.find(({ jobId }) => jobId === job.id)
    await plane.until(() => report() !== undefined)
    const { outcome } = report() as Report
    if (row.says === null) t.equal(wordsOf(outcome), '', row.what)
    else t.match(wordsOf(outcome), row.says, row.what)
    t.ok(JSON.stringify(report()).length < 1024 * 1024, `${row.what}: its report is no larger than 1 MB`)
  }
  t.notMatch(JSON.stringify(plane.reports), 'hush6999', 'what is not hidden is not shown')
  const peak = peakMegabytes(agent)
  t.comment(`${rows.length} abuses of size; the agent had ${Math.round(peak)} MB at most`)
  t.ok(peak < maxMegabytes, `${Math.round(peak)} MB`)
})

t.test('many large requests at once take turns', { skip: process.platform !== 'linux' }, async (t) => {
  const { plane, agent } = await setUp(t)
  const target = await httpServer(t, (request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  const count = 30
  const row = { what: '', request: { method: 'POST', bodyType: 'RAW', body: eight }, says: null } as const
  const jobs = Array.from({ length: count }, (_, index) => ({
    ...jobOf(target.origin, row),
    id: `large-${index}`,
  }))
  plane.offer(...jobs)
  await plane.until(() => plane.reports.length === count)
  t.same(
    plane.reports.map(({ outcome }) => wordsOf(outcome)),
    jobs.map(() => ''),
  )
  const peak = peakMegabytes(agent)
  t.comment(`${count} requests of 8 MB at once; the agent had ${Math.round(peak)} MB at most`)
  t.ok(peak < maxMegabytes, `${Math.round(peak)} MB`)
})
