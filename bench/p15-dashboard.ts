/** P15: how long the pages of the dashboard take in a large account, and how large they are. */
import { gzipSync } from 'node:zlib'
import { recordStatus } from '../control-plane/monitoring/watches/check-statuses/queries.ts'
import { openSession } from '../control-plane/platform/web/http/auth/session.ts'
import { accountId } from '../test/support/programs.ts'
import type { Bench, Row } from './bench.ts'
import { createKeys } from './support/api-keys.ts'
import { install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { appOver, createChecks } from './support/prepare.ts'
import { sized } from './support/size.ts'

const checks = sized(10_000, 120)
const requests = sized(50, 3)
const maxGzip = 40 * 1024
const maxBytes = 150 * 1024

type Page = { path: string; goalMs: number }
const pages: readonly Page[] = [
  { path: '/app', goalMs: 100 },
  { path: '/app/checks', goalMs: 100 },
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

const measured = async (root: string, cookie: string, { path, goalMs }: Page): Promise<Row> => {
  await timed(`${root}${path}`, cookie)
  const times: number[] = []
  let bytes = 0
  let packed = 0
  for (let i = 0; i < requests; i++) {
    const { ms, text } = await timed(`${root}${path}`, cookie)
    times.push(ms)
    bytes = Buffer.byteLength(text)
    packed = gzipSync(text).length
  }
  times.sort((a, c) => a - c)
  const p50 = times[Math.floor(requests * 0.5)] as number
  const p99 = times[Math.floor(requests * 0.99)] as number
  return {
    name: 'P15',
    work: `GET ${path}`,
    ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${(packed / 1024).toFixed(1)} KB gzip of ${(bytes / 1024).toFixed(0)} KB`,
    against: '',
    ratio: '',
    goal: `≤ ${goalMs} ms, ≤ 40 KB gzip`,
    met: p99 <= goalMs && packed <= maxGzip && bytes <= maxBytes,
    numbers: { p50Ms: rounded(p50, 2), p99Ms: rounded(p99, 2), bytes, gzipBytes: packed },
    notes: [],
  }
}

export const dashboard: Bench = {
  id: 'P15',
  name: 'p15-dashboard',
  measures: `time to the whole page of the dashboard and its size in an account of ${grouped(checks)} checks, a tenth of which fail; one request at a time, p50 and p99 of ${requests}`,
  run: async (b) => {
    const { db, controlPlane } = await install(b)
    const ids = await createChecks(db, checks, (index) => ({
      name: `check ${index}`,
      request: { url: 'http://127.0.0.1/' },
      frequency: 1440,
    }))
    const now = Date.now()
    await Promise.all(
      ids.map((checkId, index) => {
        const isBad = index % 10 === 0
        return db.run(recordStatus, {
          ...{
            checkId,
            accountId,
            state: isBad ? 'failing' : 'passing',
            hasFailures: isBad,
            hasErrors: false,
          },
          ...{ isDegraded: false, longestRunMs: 10, shortestRunMs: 10, updatedAt: null, location: 'local' },
          ...{ checkRunId: now, startedAt: now, sslDaysRemaining: null, now },
        })
      }),
    )
    await createKeys(db, 1)
    const app = appOver(db)
    const apiKeyId =
      (await db.select((k) => k.selectFrom('api_keys').select('id').where('name', '=', 'benchmark')))[0]
        ?.id ?? null
    const rows: Row[] = []
    for (const page of pages) {
      // Requests are counted by session.
      const header = await openSession(app, {
        accountId,
        userId: null,
        apiKeyId,
        address: '',
        browser: 'bench',
      })
      rows.push(await measured(controlPlane.url, header.split(';')[0] ?? '', page))
    }
    return rows
  },
}
