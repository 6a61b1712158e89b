/** The control plane as it runs, asked over HTTP: how long answers take, what they cost, and how long its loop stood. */
import http from 'node:http'
import type { Observation } from '../../protocol/result.ts'
import { agentKey, type ControlPlaneProgram } from '../../test/support/programs.ts'
import type { Running } from '../bench.ts'
import { cpuSeconds } from '../support/cpu-time.ts'
import { getLoad } from '../support/get-load.ts'
import { percentile } from '../support/numbers.ts'
import { readOwnMetrics, type Stalls, stallsBetween } from '../support/own-metrics.ts'
import { poster } from '../support/post-json.ts'
import { claim, report, toBatches } from '../support/reports.ts'
import { sized } from '../support/size.ts'
import type { Question } from './questions.ts'

const warmUp = 3

export type Answered = Stalls & { p50Ms: number; p99Ms: number; cpuMs: number }

const timed = async (url: string, key: string): Promise<number> => {
  const startedAt = performance.now()
  const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
  return performance.now() - startedAt
}

/** One request at a time. Null: there is nothing of it to ask for. */
export const askFor = async (
  { pid, url }: ControlPlaneProgram,
  { path, requests }: Question,
  keys: readonly string[],
): Promise<Answered | null> => {
  if (path === null) return null
  const keyOf = (n: number): string => keys[n % keys.length] ?? ''
  for (let n = 0; n < Math.min(warmUp, requests - 1); n++) await timed(`${url}${path}`, keyOf(n))
  const before = await readOwnMetrics(url)
  const cpuBefore = cpuSeconds(pid)
  const times: number[] = []
  for (let n = 0; n < requests; n++) times.push(await timed(`${url}${path}`, keyOf(n)))
  const cpuMs = ((cpuSeconds(pid) - cpuBefore) * 1000) / requests
  const stalls = stallsBetween(before, await readOwnMetrics(url))
  return { p50Ms: percentile(times, 50), p99Ms: percentile(times, 99), cpuMs, ...stalls }
}

export type Ingested = Stalls & { perSecond: number; cpuUs: number }

const connections = 4

/** P3: due jobs are claimed, and their results sent over several connections. */
export const ingest = async (
  b: Running,
  { pid, url }: ControlPlaneProgram,
  { count, observation }: { count: number; observation: Observation },
): Promise<Ingested> => {
  const agents = Array.from({ length: connections }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }))
  b.teardown(() => {
    for (const agent of agents) agent.destroy()
  })
  const posts = agents.map((agent) => poster(url, agentKey, agent))
  const [first] = posts
  if (first === undefined) throw new Error('there is no connection')
  const batches = toBatches(await claim(first, 'bench', count), 'bench', observation)
  const before = await readOwnMetrics(url)
  const cpuBefore = cpuSeconds(pid)
  const startedAt = performance.now()
  const accepted = await report(posts, batches)
  const seconds = (performance.now() - startedAt) / 1000
  const cpuUs = ((cpuSeconds(pid) - cpuBefore) * 1e6) / count
  if (accepted !== count) throw new Error(`${accepted} of ${count} results were accepted`)
  return { perSecond: count / seconds, cpuUs, ...stallsBetween(before, await readOwnMetrics(url)) }
}

const requestsPerKey = sized(100, 2)

/** P7: requests per CPU-second of a process. */
export const readsPerCpuSecond = async (
  { pid, origin, path }: { pid: number; origin: string; path: string },
  keys: readonly string[],
): Promise<number> => {
  const load = { origin, path, requests: keys.length * requestsPerKey, connections: 32, keys }
  await getLoad(load)
  const before = cpuSeconds(pid)
  await getLoad(load)
  return load.requests / (cpuSeconds(pid) - before)
}
