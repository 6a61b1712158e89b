/** P15: how long the pages of the dashboard take in a large account, and how large they are. */
import { gzipSync } from 'node:zlib'
import { rollupTick } from '../control-plane/monitoring/results/rollups/rollup-tick.ts'
import { recordStatus } from '../control-plane/monitoring/watches/check-statuses/queries.ts'
import { openSession } from '../control-plane/platform/web/http/auth/session.ts'
import type { WholeApp } from '../control-plane/whole-app.ts'
import { accountId } from '../test/support/programs.ts'
import { takeIn } from '../test/support/rollups.ts'
import { type StoredResult, storeCheck } from '../test/support/stored-results.ts'
import type { Bench, Row } from './bench.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { fillAccount } from './support/fill-account.ts'
import { install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { appOver } from './support/prepare.ts'
import { sized } from './support/size.ts'

const checks = sized(10_000, 120)
const requests = sized(50, 1)
const maxGzip = 40 * 1024
const maxBytes = 150 * 1024
/** What is sorted by what was measured is known of all after so many. */
const warmUps = sized(12, 1)
const groups = sized(200, 4)

type Page = { path: string; name?: string; goalMs: number }
const pages: readonly Page[] = [
  { path: '/app', goalMs: 100 },
  { path: '/app/checks', goalMs: 100 },
  { path: '/app/checks?view=groups', goalMs: 100 },
  { path: '/app/checks?view=groups&open=1.2.3.4', goalMs: 100 },
  { path: '/app/groups', goalMs: 100 },
  { path: '/app/groups/1', goalMs: 100 },
  { path: '/app/checks?sort=uptime', goalMs: 100 },
  { path: '/app/checks?search=check+99', goalMs: 50 },
  { path: '/app/checks?search=not+there', goalMs: 50 },
  { path: '/app/checks?state=failing&tag=none', goalMs: 50 },
]

const timed = async (url: string, cookie: string): Promise<{ ms: number; text: string }> => {
  const startedAt = performance.now()
  const answer = await fetch(url, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
  return { ms: performance.now() - startedAt, text }
}

/** Requests are counted by session, and a busy page is answered sixty times a minute. */
type Program = { url: string; openSession: () => Promise<string>; cpuMs: () => number }

const measured = async (
  { url: root, openSession, cpuMs }: Program,
  { path, name = path, goalMs }: Page,
): Promise<Row> => {
  const before = await openSession()
  for (let i = 0; i < warmUps; i++) await timed(`${root}${path}`, before)
  const cookie = await openSession()
  const cpuBefore = cpuMs()
  const times: number[] = []
  let bytes = 0
  let packed = 0
  for (let i = 0; i < requests; i++) {
    const { ms, text } = await timed(`${root}${path}`, cookie)
    times.push(ms)
    bytes = Buffer.byteLength(text)
    packed = gzipSync(text).length
  }
  const cpu = (cpuMs() - cpuBefore) / requests
  times.sort((a, c) => a - c)
  const p50 = times[Math.floor(requests * 0.5)] as number
  const p99 = times[Math.floor(requests * 0.99)] as number
  return {
    name: 'P15',
    work: `GET ${name}`,
    ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, CPU ${cpu.toFixed(1)} ms, ${(packed / 1024).toFixed(1)} KB gzip of ${(bytes / 1024).toFixed(0)} KB`,
    against: '',
    ratio: '',
    goal: `≤ ${goalMs} ms, ≤ 40 KB gzip`,
    met: p99 <= goalMs && packed <= maxGzip && bytes <= maxBytes,
    numbers: {
      ...{ p50Ms: rounded(p50, 2), p99Ms: rounded(p99, 2), cpuMs: rounded(cpu, 2) },
      ...{ bytes, gzipBytes: packed },
    },
    notes: [],
  }
}

const busyDays = sized(3, 0.01)
const rowsAtOnce = 5000

/** A check of three locations, each ten seconds, that fails now and sometimes failed before. */
const fillBusiest = async (app: WholeApp, now: number): Promise<string> => {
  const where = { app, accountId }
  const checkId = await storeCheck(where, { name: 'the busiest' })
  const rows: StoredResult[] = []
  let n = 0
  for (let at = now - busyDays * 86_400_000; at < now; at += 10_000) {
    for (const location of ['local', 'eu', 'us']) {
      n += 1
      const hasFailures = at > now - 600_000 || n % 997 === 0
      const doc = hasFailures ? { error: 'expected status code to equal 200 but it was 503' } : {}
      rows.push({
        checkId,
        at: at + (n % 1000),
        location,
        responseTime: 100 + ((n * 7919) % 300),
        hasFailures,
        doc,
      })
    }
    if (rows.length >= rowsAtOnce) await takeIn(where, rows.splice(0))
  }
  await takeIn(where, rows)
  await app.db.run(recordStatus, {
    ...{ checkId, accountId, state: 'failing', hasFailures: true, hasErrors: false, isDegraded: false },
    ...{ longestRunMs: 10, shortestRunMs: 10, updatedAt: null, location: 'local' },
    ...{ checkRunId: now, startedAt: now, sslDaysRemaining: null, now },
  })
  await rollupTick(app, new AbortController().signal)
  return checkId
}

export const dashboard: Bench = {
  id: 'P15',
  name: 'p15-dashboard',
  measures: `time to the whole page of the dashboard and its size in an account of ${grouped(checks)} checks, a tenth of which fail and a tenth are degraded, nine tenths in ${groups} groups, with runs from three locations; one request at a time, p50, p99 and CPU time of the control plane, each of ${requests}`,
  run: async (b) => {
    const { db, controlPlane } = await install(b)
    const app = appOver(db)
    await fillAccount(db, { checks, groups })
    const now = Date.now()
    // Whoever may change things sees the larger pages.
    const [owner] = await db.select((k) =>
      k.selectFrom('api_keys').select('id').where('role', '=', 'OWNER').limit(1),
    )
    const apiKeyId = owner?.id ?? null
    const busiest = await fillBusiest(app, now)
    const program: Program = {
      url: controlPlane.url,
      openSession: async () => {
        const browser = { accountId, userId: null, apiKeyId, address: '', browser: 'bench' }
        return (await openSession(app, browser)).split(';')[0] ?? ''
      },
      cpuMs: () => 1000 * cpuSeconds(controlPlane.pid),
    }
    const rows: Row[] = []
    for (const page of [
      ...pages,
      { path: `/app/checks/${busiest}`, name: '/app/checks/{the busiest}', goalMs: 100 },
    ]) {
      rows.push(await measured(program, page))
    }
    return rows
  },
}
