/** P6: how long the first page of the check list takes in a large account. */
import type { Bench } from './bench.ts'
import { createKeys } from './support/api-keys.ts'
import { fillAccount } from './support/fill-account.ts'
import { install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { sized } from './support/size.ts'

const checks = sized(10_000, 120)
const groups = sized(200, 4)
const requests = sized(50, 1)
const goalMs = 100
const pages = [
  '/v1/checks?limit=100',
  '/v1/checks?limit=100&status=failing',
  '/v1/check-statuses',
  '/v1/check-statuses?limit=1000&page=10',
]

const timed = async (url: string, key: string): Promise<number> => {
  const startedAt = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
  return performance.now() - startedAt
}

export const checkList: Bench = {
  id: 'P6',
  name: 'p6-check-list',
  measures: `time to the whole answer of the first page of checks (100 of ${grouped(checks)}), of the failing ones, of all statuses in one answer, and of their last page of 1,000, of checks in ${groups} groups with runs from three locations; one request at a time, p50 and p99 of ${requests}`,
  run: async (b) => {
    const { db, controlPlane } = await install(b)
    await fillAccount(db, { checks, groups })
    const [key = ''] = await createKeys(db, 1)
    const rows = []
    for (const path of pages) {
      const url = `${controlPlane.url}${path}`
      await timed(url, key)
      const times: number[] = []
      for (let i = 0; i < requests; i++) times.push(await timed(url, key))
      times.sort((a, c) => a - c)
      const p50 = times[Math.floor(requests * 0.5)] as number
      const p99 = times[Math.floor(requests * 0.99)] as number
      rows.push({
        name: 'P6',
        work: `GET ${path}`,
        ours: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
        against: '',
        ratio: '',
        goal: `≤ ${goalMs} ms`,
        met: p99 <= goalMs,
        numbers: { p50Ms: rounded(p50, 2), p99Ms: rounded(p99, 2) },
        notes: [],
      })
    }
    return rows
  },
}
