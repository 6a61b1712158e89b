/**
 * The life of a check as its results come in, each stage measured apart: its first run passes, the next one passes, the one after that
 * fails and is tried again, and the retry fails for good: the first failure, with a notification for its channel.
 */
import http from 'node:http'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import type { Observation } from '../../protocol/result.ts'
import { callApi } from '../../test/support/api.ts'
import { localHttp } from '../../test/support/local-http.ts'
import { agentKey } from '../../test/support/programs.ts'
import type { Running } from '../bench.ts'
import { cpuSeconds } from './cpu-time.ts'
import { type Post, poster } from './post-json.ts'
import { createChecks } from './prepare.ts'
import { claim, report, toBatches } from './reports.ts'

export const stages = ['first', 'later', 'retried', 'failed'] as const
export type Stage = (typeof stages)[number]

/** CPU of the control planes and of a server's processes, in µs a result. */
export type Round = { perSecond: number; ownCpuUs: number; serverCpuUs: number }

/** `serverCpu`: seconds that the store's server has used so far. */
export type Intake = {
  db: Database
  controlPlanes: { url: string; pid: number }[]
  observation: Observation
  serverCpu(): number
}

type Size = { rounds: number; perRound: number; connections: number }

/** A receiver that answers when all is over: what is measured is the way into the outbox, not the way out. */
const holdingReceiver = (b: Running): Promise<string> =>
  localHttp(b, () => new Promise<void>((resolve) => b.teardown(resolve)))

const createMonitored = async (b: Running, { db, controlPlanes }: Intake, count: number): Promise<void> => {
  const body = { type: 'WEBHOOK', config: { name: 'receiver', url: await holdingReceiver(b) } }
  const origin = controlPlanes[0]?.url ?? ''
  const channel = await callApi<{ id: number }>(origin, '/v1/alert-channels', { method: 'POST', body })
  await createChecks(db, count, (index) => ({
    name: `check ${index}`,
    request: { url: 'http://127.0.0.1/' },
    frequency: 1440,
    doubleCheck: true,
    alertChannelSubscriptions: [{ alertChannelId: channel.body.id, activated: true }],
  }))
}

/** Those of a round are due now, and not again while it lasts. */
const makeDue = async (db: Database, ids: readonly string[]): Promise<void> => {
  const now = Date.now()
  await db.execute((k, engine) =>
    k
      .updateTable('schedules')
      .set((set) => ({ next_at: now, phase_ms: set(set.val(now), '%', set.ref('period_ms')) }))
      .where('check_id', 'in', engine.textList(ids)),
  )
}

const failing = (observation: Observation): Observation => ({
  ...observation,
  failure: { code: 'ECONNREFUSED', message: 'connect ECONNREFUSED 192.0.2.1:443', network: true },
})

const connect = (b: Running, { controlPlanes }: Intake, connections: number): Post[] =>
  Array.from({ length: connections }, (_, n) => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    b.teardown(() => agent.destroy())
    return poster(controlPlanes[n % controlPlanes.length]?.url ?? '', agentKey, agent)
  })

/** All rounds of each stage. */
export const measureStages = async (
  b: Running,
  intake: Intake,
  { rounds, perRound, connections }: Size,
): Promise<Map<Stage, Round[]>> => {
  await createMonitored(b, intake, rounds * perRound)
  const posts = connect(b, intake, connections)
  const measured = new Map<Stage, Round[]>(stages.map((stage) => [stage, []]))
  for (let round = 0; round < rounds; round++) {
    let ids: string[] = []
    for (const stage of stages) {
      if (stage === 'later' || stage === 'retried') await makeDue(intake.db, ids)
      const jobs = await claim(posts[0] as Post, 'bench', perRound)
      ids = jobs.map(({ checkId }) => checkId)
      const fails = stage === 'retried' || stage === 'failed'
      const seen = fails ? failing(intake.observation) : intake.observation
      const one = await measureReports(intake, posts, toBatches(jobs, 'bench', seen))
      if (one.accepted !== perRound) throw new Error(`${one.accepted} of ${perRound} results were accepted`)
      measured.get(stage)?.push(one)
      b.say(`${intake.db.engine.name}, ${stage}: ${Math.round(one.perSecond)}/s`)
    }
  }
  return measured
}

const measureReports = async (
  { controlPlanes, serverCpu }: Intake,
  posts: Post[],
  batches: string[],
): Promise<Round & { accepted: number }> => {
  const ownCpu = () => controlPlanes.reduce((sum, { pid }) => sum + cpuSeconds(pid), 0)
  const before = { own: ownCpu(), server: serverCpu() }
  const startedAt = performance.now()
  const accepted = await report(posts, batches)
  const seconds = (performance.now() - startedAt) / 1000
  return {
    accepted,
    perSecond: accepted / seconds,
    ownCpuUs: ((ownCpu() - before.own) / accepted) * 1e6,
    serverCpuUs: ((serverCpu() - before.server) / accepted) * 1e6,
  }
}
