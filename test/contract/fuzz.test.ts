// Runs in test:all only: it sends thousands of requests.
/**
 * Thousands of generated requests to every operation: whatever arrives, the answer is a documented one, in time, and
 * nothing of ours fails. TEST_SEED repeats a run.
 */
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { loops } from '../../control-plane/loops.ts'
import { type Declaration, isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { routes } from '../../control-plane/routes.ts'
import { checkTypes } from '../../protocol/check-type.ts'
import { runtimeIds } from '../../protocol/runtime.ts'
import type { Answer } from '../support/app.ts'
import { documentCheck } from '../support/contract-document.ts'
import { claimRequest } from '../support/engine-room.ts'
import { fc } from '../support/fast-check.ts'
import { createSender, type FuzzRequest, requestsOf } from '../support/fuzz-requests.ts'
import { byLength } from '../support/length.ts'
import { seed, seedNote } from '../support/seed.ts'
import { bodyFor, testWorld, type World } from '../support/world.ts'

const runsPerOperation = byLength({ short: 2, all: 3, long: 16 })

/** Longer than any rate limit gives one request, so that few are spent on 429. */
const betweenRequestsMs = 3_000

const keyFor = ({ access }: Declaration, world: World): Record<string, string> => {
  if (access === 'PUBLIC') return {}
  return { authorization: `Bearer ${isForPrograms(access) ? world.plane.agentKey : world.ownerKey}` }
}

/** Ids are still there while they are needed. */
const destructiveLast = (a: Declaration, b: Declaration): number =>
  Number(a.method === 'DELETE') - Number(b.method === 'DELETE')

/** Checks run in the test's location, so that jobs are made of what is stored. */
const runnable = ({ method, path }: Declaration, body: unknown): unknown =>
  method === 'POST' && path.startsWith('/v1/checks/')
    ? { ...(body as object), privateLocations: ['local'] }
    : body

const shown = ({ method, path, headers, body }: FuzzRequest): string => {
  const { authorization: _, ...rest } = headers
  return `${method} ${path.slice(0, 500)} ${JSON.stringify(rest)} ${body === null ? '' : Buffer.from(body).toString().slice(0, 2000)}`
}

/**
 * Streams of events do not end by themselves; test/control-plane/pages/status/request-context.test.ts reads one. Who runs checks by an
 * address waits half a minute for an agent, second by second; test/control-plane/monitoring/watches/triggers calls them.
 */
const fuzzed = routes.filter(
  ({ responseType, path }) => responseType !== 'text/event-stream' && !path.includes('/trigger/:'),
)

/** What waits for longer waits for jobs or events. */
const longPollMs = 5000

const fuzz = async (t: Test, engine: 'sqlite' | 'postgres', numRuns: number): Promise<void> => {
  const world = await testWorld(t, { engine })
  await world.complete()
  const { plane } = world
  // Long polls wait on the clock: here time flies while they do. How long the store may take is shorter, and stands still.
  const { sleep } = plane.app.clock
  plane.app.clock.sleep = async (ms, signal) => {
    if (ms < longPollMs) return sleep(ms, signal)
    await nextTurn()
    plane.advance(ms)
  }
  const { problems } = await documentCheck(plane)
  const { send, close } = createSender(plane.url)
  t.teardown(close)
  const statuses = new Map<number, number>()

  for (const [index, route] of fuzzed.sort(destructiveLast).entries()) {
    const known = {
      address: await world.address(route),
      headers: keyFor(route, world),
      body: runnable(route, await bodyFor(world, route)),
    }
    const property = fc.asyncProperty(requestsOf(route, known), async (request) => {
      plane.advance(betweenRequestsMs)
      const answer = await send(request).catch((error: unknown) => {
        throw new Error(`no answer: ${error}\n${shown(request)}`)
      })
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      const wrong = problems(route, answer as Answer)
      if (wrong.length > 0) throw new Error(`${wrong.join('; ')}\n${shown(request)}`)
    })
    const run = await fc.check(property, { seed: seed + index, numRuns, endOnFailure: true })
    if (run.failed)
      t.fail(`${route.method} ${route.path}`, { problem: (run.errorInstance as Error)?.message })
  }

  // What was stored must not break what works in the background, nor the agents' jobs.
  // A check's first run is due whatever windows were made: whether there are others depends on the seed.
  const body = { name: 'last', request: { url: 'http://127.0.0.1/' }, privateLocations: ['local'] }
  t.equal((await world.call('POST', '/v1/checks/url', body)).status, 201, 'a check can be created')
  let jobs = 0
  for (let minute = 0; minute < 3; minute++) {
    plane.advance(60_000)
    for (const { name, tick } of loops)
      await tick(plane.app, new AbortController().signal).catch((error: Error) =>
        t.fail(`the loop ${name} goes on`, { problem: error.stack }),
      )
    const wanted = claimRequest({ checkTypes: [...checkTypes], runtimeIds: [...runtimeIds], maxMain: 100 })
    const claimed = await plane.call('POST', '/agent/v1/claim', { key: plane.agentKey, body: wanted })
    t.equal(claimed.status, 200, 'agents are given jobs')
    jobs += claimed.body.jobs.length
  }
  t.ok(jobs > 0, `${jobs} of what was created are jobs`)
  const failures = plane.logged.filter(({ level }) => Number(level) >= 50)
  t.strictSame(failures.slice(0, 5), [], 'nothing was logged as a failure of ours')
  t.equal((await world.call('GET', '/v1/checks')).status, 200, 'the service still answers')
  const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status} × ${count}`)
  t.comment(`${engine}: ${seedNote}, ${fuzzed.length} operations, ${total} requests: ${counts.join(', ')}`)
}

t.test('generated requests get documented answers (sqlite)', async (t) => fuzz(t, 'sqlite', runsPerOperation))

t.test('generated requests get documented answers (postgres)', async (t) =>
  fuzz(t, 'postgres', Math.floor(runsPerOperation / 2)),
)

/** What comes back for bytes that need not be HTTP, until the service closes the connection. */
const exchange = (url: string, bytes: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    const chunks: Buffer[] = []
    socket.setTimeout(60_000, () => socket.destroy(new Error('no answer in time')))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
    socket.end(bytes)
  })

t.test(
  'a body that never comes in full, and bytes that are no HTTP, end the connection without a failure',
  async (t) => {
    const world = await testWorld(t)
    const { plane, ownerKey } = world
    const head = `POST /v1/snippets HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${ownerKey}\r\ncontent-type: application/json\r\n`
    const sent = [
      `${head}content-length: 500\r\n\r\n{"name":`,
      `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"nam\r\n`,
      `${head}transfer-encoding: chunked\r\n\r\nzz\r\n`,
      `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`,
      `${head}content-length: -1\r\n\r\n`,
      `GET /v1/checks HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      'GET /v1/che',
      '\0\0\0\0\r\n\r\n',
    ]
    for (const bytes of sent) {
      const answer = await exchange(plane.url, bytes)
      t.match(answer, /^(HTTP\/1\.1 4\d\d |$)/, JSON.stringify(bytes.slice(-40)))
    }
    t.strictSame(
      plane.logged.filter(({ level }) => Number(level) >= 50),
      [],
    )
    t.equal((await world.call('GET', '/v1/snippets')).status, 200)
  },
)
