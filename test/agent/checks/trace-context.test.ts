import t, { type Test } from 'tap'
import { withTraceparent } from '../../../agent/checks/trace-context.ts'
import { runUrl } from '../../../agent/checks/url.ts'
import type { UrlSpec } from '../../../protocol/checks/url.ts'
import { agentIo } from '../../support/agent-io.ts'
import { urlSpec } from '../../support/fake-control-plane.ts'
import { runContext } from '../../support/run-context.ts'
import { httpServer } from '../../support/servers.ts'

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/

const keepingServer = async (t: Test, redirectTo: (origin: string) => string | null = () => null) => {
  const seen: Array<string | undefined> = []
  const server = await httpServer(t, (request, response) => {
    seen.push(request.headers['traceparent'] as string | undefined)
    const to = request.url === '/' ? redirectTo(server.origin) : null
    if (to !== null) response.writeHead(302, { location: to })
    response.end()
  })
  return { ...server, seen }
}

const run = (url: string, sendTraceparent?: boolean) => {
  const io = agentIo()
  const spec = { ...(urlSpec(url, {}, false) as UrlSpec), ...(sendTraceparent ? { sendTraceparent } : {}) }
  return runUrl(spec, io, runContext(io, new AbortController().signal))
}

t.test('a check that does not ask for it sends no traceparent', async (t) => {
  const server = await keepingServer(t)
  const { trace } = await run(`${server.origin}/`)
  t.strictSame(server.seen, [undefined])
  t.equal(trace, undefined)
})

t.test('each attempt is a trace of its own, which its observation names', async (t) => {
  const server = await keepingServer(t)
  const first = await run(`${server.origin}/`, true)
  const second = await run(`${server.origin}/`, true)
  const sent = server.seen.map((text) => form.exec(text ?? '')?.slice(1))
  t.strictSame(sent, [
    [first.trace?.traceId, first.trace?.spanId],
    [second.trace?.traceId, second.trace?.spanId],
  ])
  t.not(first.trace?.traceId, second.trace?.traceId)
})

t.test('a redirect on the same host stays in the trace, one to another host leaves it', async (t) => {
  const near = await keepingServer(t, (origin) => `${origin}/further`)
  await run(`${near.origin}/`, true)
  t.match(near.seen, [form, form])
  const far = await keepingServer(t, (origin) => `${origin.replace('127.0.0.1', 'localhost')}/further`)
  const { trace } = await run(`${far.origin}/`, true)
  t.match(far.seen[0], form)
  t.equal(far.seen.length, 2)
  t.equal(far.seen[1], undefined)
  t.match(trace, { traceId: /^[0-9a-f]{32}$/ })
})

t.test("a header of the check's own is left as it is", (t) => {
  const headers = { TraceParent: 'mine' }
  const request = { headers } as unknown as Parameters<typeof withTraceparent>[0]
  t.strictSame(withTraceparent(request, true, agentIo()), { request: { headers }, trace: null })
  t.end()
})

t.test('ids are never all zeros', (t) => {
  const request = { headers: {} } as unknown as Parameters<typeof withTraceparent>[0]
  let zeros = 16
  const unguessable = () => (zeros-- > 0 ? 0 : 7)
  const { trace } = withTraceparent(request, true, { unguessable })
  t.strictSame(trace, { traceId: '07'.repeat(16), spanId: '07'.repeat(8) })
  t.end()
})
