/** P14: what a status page of fifty services weighs, and how many visitors one core serves when something is down. */
import http from 'node:http'
import { gzipSync } from 'node:zlib'
import { insertService } from '../control-plane/communication/status-page-services/queries.ts'
import { statusScript } from '../control-plane/pages/assets/all.ts'
import type { Database } from '../control-plane/platform/store/database/db.ts'
import { accountId, apiKey } from '../test/support/programs.ts'
import type { Bench, Row } from './bench.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { fillAccount } from './support/fill-account.ts'
import { install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { sized } from './support/size.ts'

const services = 50
const visitors = sized(1000, 20)
const requests = sized(20_000, 40)
const warmUps = sized(200, 2)
const aloneVisits = sized(500, 5)
const goals = { pageBytes: 14 * 1024, allBytes: 50 * 1024, firstByteMs: 5, perCoreSecond: 1000 }
const path = '/status/bench'

/** A page with services that are a hundred days old, and an incident on some of them. */
const makePage = async (db: Database, url: string): Promise<void> => {
  const ids: string[] = []
  for (let index = 0; index < services; index++) {
    const id = crypto.randomUUID()
    const created_at = Date.now() - 100 * 86_400_000
    await db.run(insertService, {
      id,
      account_id: accountId,
      name: `Service ${index}`,
      translations: '{}',
      created_at,
      updated_at: null,
    })
    ids.push(id)
  }
  const post = async (address: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}${address}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (answer.status !== 201) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
  }
  const cards = Array.from({ length: 5 }, (_, card) => ({
    name: `Card ${card}`,
    services: ids.slice(card * 10, card * 10 + 10).map((id) => ({ id })),
  }))
  await fillAccount(db, { checks: services * 4, groups: 10, services: ids })
  await post('/v1/status-pages', { name: 'Bench', url: 'bench', cards })
  for (let index = 0; index < 20; index++)
    await post('/v1/status-pages/incidents', {
      name: `Incident ${index}`,
      severity: index % 2 === 0 ? 'MINOR' : 'MAJOR',
      services: [{ id: ids[index * 2] }],
      incidentUpdates: [
        {
          description: 'It is over.',
          status: 'RESOLVED',
          publicIncidentUpdateDate: new Date(Date.now() - (index * 4 + 1) * 86_400_000).toISOString(),
        },
      ],
    })
}

type Visit = { firstByteMs: number; bytes: number }

/** Each visitor has an address of their own, as behind a proxy. */
const visit = (origin: string, agent: http.Agent, visitor: number): Promise<Visit> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(origin)
    const from = `10.${(visitor >> 16) & 255}.${(visitor >> 8) & 255}.${visitor & 255}`
    const headers = { 'accept-encoding': 'gzip', 'x-forwarded-for': from }
    const startedAt = performance.now()
    http
      .get({ hostname, port, path, agent, headers }, (answer) => {
        const firstByteMs = performance.now() - startedAt
        let bytes = 0
        answer.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        answer.on('end', () =>
          answer.statusCode === 200
            ? resolve({ firstByteMs, bytes })
            : reject(new Error(`${path}: ${answer.statusCode}`)),
        )
      })
      .on('error', reject)
  })

const quantile = (times: readonly number[], share: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? 0

const alone = async (origin: string): Promise<Row> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  for (let warm = 0; warm < warmUps; warm++) await visit(origin, agent, warm)
  const visits: Visit[] = []
  for (let index = 0; index < aloneVisits; index++) visits.push(await visit(origin, agent, index))
  agent.destroy()
  const pageBytes = visits[0]?.bytes ?? 0
  const allBytes = pageBytes + gzipSync(statusScript.bytes).length
  const times = visits.map((each) => each.firstByteMs)
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)]
  return {
    name: 'P14',
    work: `GET ${path} with ${services} services, one visitor`,
    ours: `${rounded(pageBytes / 1024, 1)} KB gzip, ${rounded(allBytes / 1024, 1)} KB in all, first byte p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
    ...{ against: '', ratio: '', goal: '≤ 14 KB, ≤ 50 KB, p50 ≤ 5 ms' },
    met: pageBytes <= goals.pageBytes && allBytes <= goals.allBytes && p50 <= goals.firstByteMs,
    numbers: { pageBytes, allBytes, firstByteP50Ms: rounded(p50, 2), firstByteP99Ms: rounded(p99, 2) },
    notes: ['Once a second a visit looks for changes in the store: that is in p99.'],
  }
}

const together = async (origin: string, pid: number): Promise<Row> => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: visitors })
  let sent = 0
  const before = cpuSeconds(pid)
  const startedAt = performance.now()
  const work = async (visitor: number): Promise<void> => {
    while (sent < requests) {
      sent += 1
      await visit(origin, agent, visitor)
    }
  }
  await Promise.all(Array.from({ length: visitors }, (_, visitor) => work(visitor)))
  agent.destroy()
  const seconds = (performance.now() - startedAt) / 1000
  const perCoreSecond = requests / (cpuSeconds(pid) - before)
  return {
    name: 'P14',
    work: `GET ${path}, ${grouped(visitors)} visitors at once`,
    ours: `${grouped(Math.round(requests / seconds))} requests/s, ${grouped(Math.round(perCoreSecond))} per second of CPU`,
    ...{ against: '', ratio: '', goal: `≥ ${grouped(goals.perCoreSecond)} per second of CPU` },
    met: perCoreSecond >= goals.perCoreSecond,
    numbers: { perSecond: Math.round(requests / seconds), perCoreSecond: Math.round(perCoreSecond) },
    notes: ['The visitors share the machine with the control plane.'],
  }
}

export const statusPageVisits: Bench = {
  id: 'P14',
  name: 'p14-status-page',
  measures: `bytes and time to the first byte of a status page of ${services} services, each with four checks behind it that have run in three locations, and how many requests of ${grouped(visitors)} visitors at once a second of the control plane's CPU serves`,
  run: async (b) => {
    const { db, controlPlane } = await install(b, { TRUSTED_PROXIES: '127.0.0.0/8' })
    await makePage(db, controlPlane.url)
    return [await alone(controlPlane.url), await together(controlPlane.url, controlPlane.pid)]
  },
}
