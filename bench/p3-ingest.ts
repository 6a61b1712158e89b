/** P3: how many results a second the control plane takes in. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import pino from 'pino'
import { runUrl } from '../agent/checks/url.ts'
import { createJudge } from '../agent/judging/judge.ts'
import { realIo } from '../agent/real-io.ts'
import { createRunLog } from '../agent/run-log.ts'
import { migrate } from '../control-plane/platform/database/migrate.ts'
import { openDatabase } from '../control-plane/platform/database/open.ts'
import { agentPaths, type ClaimResponse, type ReportResponse } from '../protocol/agent-api.ts'
import type { Job } from '../protocol/job.ts'
import type { Observation } from '../protocol/result.ts'
import { agentKey, startProgram } from '../test/support/programs.ts'
import type { Bench, Running } from './bench.ts'
import { cpuSeconds } from './support/cpu-time.ts'
import { countResults, type Installation, install } from './support/installation.ts'
import { grouped, rounded } from './support/numbers.ts'
import { type Post, poster } from './support/post-json.ts'
import { createChecks } from './support/prepare.ts'

const rounds = 3
const perRound = 20_000
const connections = 4
/** As the agent cuts them (agent/outbox.ts). */
const maxReports = 1000
const maxBytes = 900_000
const claimAtOnce = 10_000
const goal = 15_000

/** What the agent's own runner sees of the target: a real observation, with headers, timings and assertions. */
const observe = async (origin: string): Promise<Observation> => {
  const io = realIo({
    log: pino({ level: 'silent' }),
    dnsServers: [],
    extraCaCerts: null,
    blockedNetworks: [],
    allowedNetworks: [],
    scriptConcurrency: 1,
    preparedBrowsers: 0,
    browsersFolder: '/none',
    scriptIsolation: 'best',
    capture: false,
    host: process,
    nodeVersion: process.versions.node,
  })
  const spec = {
    request: {
      url: `${origin}/`,
      method: 'GET' as const,
      followRedirects: true,
      skipSSL: false,
      ipFamily: 'IPv4' as const,
      assertions: [{ source: 'STATUS_CODE' as const, comparison: 'EQUALS' as const, target: '200' }],
    },
    shouldFail: false,
  }
  const { signal } = new AbortController()
  const judge = createJudge({ pool: io.judging, checkId: 'bench', signal })
  return runUrl(spec, io, { signal, runLog: createRunLog(io.clock), judge })
}

/** A target that says little: a result of about a kilobyte, as the goal has it. */
const plainTarget = async (b: Running): Promise<string> => {
  const server = http.createServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
  b.teardown(() => {
    server.close()
  })
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const claim = async (post: Post, agentId: string): Promise<Job[]> => {
  const jobs: Job[] = []
  while (jobs.length < perRound) {
    const body = {
      agentId,
      version: '1',
      platform: 'linux',
      checkTypes: ['URL'],
      runtimeIds: [],
      maxUptime: Math.min(claimAtOnce, perRound - jobs.length),
      maxMain: 0,
      waitMs: 0,
    }
    const claimed = (await post(agentPaths.claim, JSON.stringify(body))) as ClaimResponse
    if (claimed.jobs.length === 0) throw new Error(`only ${jobs.length} jobs could be claimed`)
    jobs.push(...claimed.jobs)
  }
  return jobs
}

const toBatches = (jobs: Job[], agentId: string, observation: Observation): string[] => {
  const tail = `,"outcome":${JSON.stringify({ kind: 'observed', observation })},"log":[]}`
  const now = Date.now()
  const lines = jobs.map(
    ({ id, fence }) =>
      `{"jobId":"${id}","fence":${fence},"startedAt":${now},"stoppedAt":${now + observation.responseTime}${tail}`,
  )
  const size = Math.min(maxReports, Math.floor(maxBytes / (lines[0]?.length ?? 1)))
  return Array.from(
    { length: Math.ceil(lines.length / size) },
    (_, i) => `{"agentId":"${agentId}","reports":[${lines.slice(i * size, (i + 1) * size).join(',')}]}`,
  )
}

/** Sends all batches over several connections, each with one request under way; returns how many were accepted. */
const report = async (posts: Post[], batches: string[]): Promise<number> => {
  const waiting = [...batches]
  let accepted = 0
  const work = async (post: Post): Promise<void> => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const { outcomes } = (await post(agentPaths.report, batch)) as ReportResponse
      accepted += outcomes.filter(({ outcome }) => outcome === 'accepted').length
    }
  }
  await Promise.all(posts.map(work))
  return accepted
}

type Round = { perSecond: number; controlPlaneCores: number }

const measureRound = async (
  { controlPlane }: Installation,
  posts: Post[],
  observation: Observation,
): Promise<Round> => {
  const jobs = await claim(posts[0] as Post, 'bench')
  const batches = toBatches(jobs, 'bench', observation)
  const cpu = cpuSeconds(controlPlane.pid)
  const startedAt = performance.now()
  const accepted = await report(posts, batches)
  const seconds = (performance.now() - startedAt) / 1000
  if (accepted !== perRound) throw new Error(`${accepted} of ${perRound} results were accepted`)
  return {
    perSecond: perRound / seconds,
    controlPlaneCores: (cpuSeconds(controlPlane.pid) - cpu) / seconds,
  }
}

/** The same rows through the driver alone, in a process of its own. */
const measureRaw = async (b: Running, { folder, dataDir }: Installation, round: number): Promise<number> => {
  const file = join(folder, `raw-${round}.db`)
  const empty = openDatabase(`sqlite:${file}`)
  await migrate(empty, Date.now())
  await empty.close()
  const program = startProgram('bench/support/raw-inserts-program.ts', {
    args: [join(dataDir, 'watchpost.db'), file, String(perRound)],
  })
  b.teardown(() => program.end('SIGKILL'))
  const [, perSecond] = await program.line(/^rows per second (\d+)$/)
  return Number(perSecond)
}

export const ingest: Bench = {
  id: 'P3',
  name: 'p3-ingest',
  measures:
    `results per second through POST ${agentPaths.report} of a control plane on SQLite, on disk when answered, sent in ` +
    `batches as an agent cuts them on ${connections} connections, against inserts of the same rows with better-sqlite3 ` +
    `alone (${maxReports} a transaction, same pragmas and schema); best of ${rounds} rounds of ${grouped(perRound)}`,
  run: async (b) => {
    const installation = await install(b)
    const { db, controlPlane } = installation
    const observation = await observe(await plainTarget(b))
    await createChecks(db, rounds * perRound, (index) => ({
      name: `check ${index}`,
      request: { url: 'http://127.0.0.1/' },
      frequency: 1440,
    }))
    const agents = Array.from(
      { length: connections },
      () => new http.Agent({ keepAlive: true, maxSockets: 1 }),
    )
    b.teardown(() => {
      for (const agent of agents) agent.destroy()
    })
    const posts = agents.map((agent) => poster(controlPlane.url, agentKey, agent))
    const ours: Round[] = []
    for (let round = 0; round < rounds; round++)
      ours.push(await measureRound(installation, posts, observation))
    const stored = await countResults(db)
    if (stored !== rounds * perRound)
      throw new Error(`${stored} results are stored, not ${rounds * perRound}`)
    await controlPlane.end('SIGKILL')
    const raw: number[] = []
    for (let round = 0; round < rounds; round++) raw.push(await measureRaw(b, installation, round))
    const best = ours.reduce((a, c) => (c.perSecond > a.perSecond ? c : a))
    const limit = Math.max(...raw)
    const bytes = JSON.stringify(observation).length
    return [
      {
        name: 'P3',
        work: 'results taken in per second, durable',
        ours: `${grouped(best.perSecond)}/s`,
        against: `raw inserts ${grouped(limit)}/s`,
        ratio: `${rounded((100 * best.perSecond) / limit)} %`,
        goal: `≥ ${grouped(goal)}/s`,
        met: best.perSecond >= goal,
        numbers: {
          perSecond: rounded(best.perSecond),
          perControlPlaneCpuSecond: rounded(best.perSecond / best.controlPlaneCores),
          rounds: ours.map(({ perSecond }) => rounded(perSecond)).join(' '),
          controlPlaneCores: rounded(best.controlPlaneCores, 2),
          rawPerSecond: limit,
          rawRounds: raw.join(' '),
          resultBytes: bytes,
        },
        notes: [
          `${bytes} bytes a result; the control plane used ${best.controlPlaneCores.toFixed(2)} cores; checks were created by the handler of POST /v1/checks/url without HTTP, their jobs claimed through the API`,
        ],
      },
    ]
  },
}
