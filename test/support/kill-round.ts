/**
 * One installation whose programs are killed at random while checks are created and run; then a recount of what it
 * promised. Whatever the timing, the verdict is about invariants only.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { allResults } from './all-results.ts'
import { callApi, urlMonitor } from './api.ts'
import { isSettled, type Ledger, readLedger } from './ledger.ts'
import { listening, type Program, scratchFolder, spawnAgent, spawnControlPlane } from './programs.ts'
import { randomFrom } from './random.ts'
import { type RecordingProxy, startRecordingProxy } from './recording-proxy.ts'

export type KillRound = {
  seed: number
  kills: number
  /** Created before the first kill, and one after the other between the kills. */
  checks: { before: number; between: number }
  /** Null: an embedded store in the installation's own folder. */
  databaseUrl: string | null
  targetUrl: string
  /** Three victims in four are killed up to so long after they are up, the fourth up to so long after its start. */
  pauseMs: number
  /** How long the programs run undisturbed after the last kill before the recount. */
  calmMs: number
  /**
   * From then on, for what is still under way: a lease that a killed agent held ends after 15 s, and a retry of its run
   * may wait 30 s more for an agent.
   */
  settleWithinMs: number
}

export type Outcome = {
  /** Of the kills, of what was still under way after them, and of the recount. */
  tookMs: { kills: number; settling: number; recount: number }
  killed: { controlPlane: number; agent: number }
  /** Checks answered with 201, and those of them that the store does not have. */
  created: string[]
  lostChecks: string[]
  ledger: Ledger
  /** Results acknowledged as accepted, those of them that are not stored, and those accepted more than once. */
  acknowledged: number
  lostResults: string[]
  acceptedTwice: string[]
  /** Failed attempts that were retried. */
  attempts: number
  /** FINAL results by the API and by the store, for every check where they differ. */
  differsInApi: string[]
}

/** A machine with more to do than to start programs must not bring the kills to a halt. */
const longestStartMs = 1500

const isUp = {
  controlPlane: (program: Program) => program.line(/The API listens/),
  agent: (program: Program) => program.line(/connected to the control plane/),
}

type Pair = { controlPlane: Program; agent: Program }

export const runKillRound = async (t: Test, round: KillRound): Promise<Outcome> => {
  const random = randomFrom(round.seed)
  const folder = await scratchFolder(t)
  const databaseUrl = round.databaseUrl ?? `sqlite:${folder}/data/watchpost.db`
  const proxy = await startRecordingProxy()
  t.teardown(proxy.close)
  const startControlPlane = (): Program => {
    const program = spawnControlPlane({ dataDir: `${folder}/data`, env: { DATABASE_URL: databaseUrl } })
    // A program that is killed before it listens has no address: nothing to forward to.
    listening(program).then(
      ({ port }) => proxy.forwardTo(port),
      () => undefined,
    )
    return program
  }
  const startAgent = () => spawnAgent({ url: proxy.url, spoolDir: `${folder}/spool`, browsers: false })
  const pair: Pair = { controlPlane: startControlPlane(), agent: startAgent() }
  t.teardown(() => Promise.all([pair.agent.end('SIGKILL'), pair.controlPlane.end('SIGKILL')]))
  await listening(pair.controlPlane)
  const created: string[] = []
  await createChecks(round, proxy, created, round.checks.before)

  const creating = createChecks(round, proxy, created, round.checks.before + round.checks.between)
  const killed = { controlPlane: 0, agent: 0 }
  const startedAt = performance.now()
  for (let kill = 0; kill < round.kills; kill++) {
    const victim = random() < 0.5 ? 'controlPlane' : 'agent'
    if (random() < 0.75) await Promise.race([isUp[victim](pair[victim]), sleep(longestStartMs)])
    await sleep(round.pauseMs * random())
    if (victim === 'controlPlane') proxy.forwardTo(null)
    await pair[victim].end('SIGKILL')
    killed[victim] += 1
    pair[victim] = victim === 'agent' ? startAgent() : startControlPlane()
  }
  const killedAt = performance.now()
  await listening(pair.controlPlane)
  await creating
  await sleep(round.calmMs)
  const giveUpAt = performance.now() + round.settleWithinMs
  await someResult(proxy, giveUpAt)
  const until = Date.now()

  const db = openDatabase(databaseUrl)
  t.teardown(() => db.close())
  await settled(db, until, giveUpAt)
  const settledAt = performance.now()
  const ledger = await readLedger(db, until)
  const { url } = await listening(pair.controlPlane)
  const counted = await recount(db, proxy, { url, created, until })
  const tookMs = {
    kills: killedAt - startedAt,
    settling: settledAt - killedAt,
    recount: performance.now() - settledAt,
  }
  return { tookMs, killed, created, ledger, ...counted }
}

/** One check after the other, each until it is answered with 201; an answer that never came proves nothing. */
const createChecks = async (
  { targetUrl }: KillRound,
  proxy: RecordingProxy,
  created: string[],
  count: number,
): Promise<void> => {
  while (created.length < count) {
    const body = urlMonitor(`check ${created.length}`, targetUrl)
    try {
      const answer = await callApi<{ id: string }>(proxy.url, '/v1/checks/url', { method: 'POST', body })
      if (answer.status === 201) created.push(answer.body.id)
      else await sleep(50)
    } catch {
      // The control plane died before it answered: the next one is asked.
      await sleep(50)
    }
  }
}

/** On a machine so busy that no program lived long enough between the kills, the first result comes after them. */
const someResult = async ({ acknowledged }: RecordingProxy, giveUpAt: number): Promise<void> => {
  const accepted = () => [...acknowledged.values()].some((counts) => counts['accepted'] !== undefined)
  while (!accepted() && performance.now() < giveUpAt) await sleep(100)
}

const settled = async (db: Database, until: number, giveUpAt: number): Promise<void> => {
  while (!(await isSettled(db, until))) {
    if (performance.now() > giveUpAt) throw new Error('runs are still under way long after the last kill')
    await sleep(250)
  }
}

type Asked = { url: string; created: string[]; until: number }

const recount = async (db: Database, { acknowledged }: RecordingProxy, { url, created, until }: Asked) => {
  // Before the store is read: runs go on, and what is acknowledged later is not looked for.
  const accepted = [...acknowledged].filter(([, counts]) => counts['accepted'] ?? counts['duplicate'])
  const stored = await allResults(db)
  const storedIds = new Set(stored.map(({ id }) => id))
  const checks = new Set((await db.select((k) => k.selectFrom('checks').select('id'))).map(({ id }) => id))
  const perCheck = new Map<string, string[]>()
  for (const { id, check_id, due_at, result_type } of stored)
    if (due_at <= until && result_type === 'FINAL')
      perCheck.set(check_id, [...(perCheck.get(check_id) ?? []), id])
  const differsInApi: string[] = []
  for (const id of created) {
    const { body } = await callApi<{ entries: { id: string }[] }>(url, `/v2/check-results/${id}?limit=100`)
    const shown = new Set(body.entries.map((entry) => entry.id))
    if (shown.size !== body.entries.length || !(perCheck.get(id) ?? []).every((result) => shown.has(result)))
      differsInApi.push(id)
  }
  return {
    lostChecks: created.filter((id) => !checks.has(id)),
    acknowledged: accepted.length,
    lostResults: accepted.filter(([jobId]) => !storedIds.has(jobId)).map(([jobId]) => jobId),
    acceptedTwice: accepted.filter(([, counts]) => (counts['accepted'] ?? 0) > 1).map(([jobId]) => jobId),
    differsInApi,
    attempts: stored.filter(({ result_type }) => result_type === 'ATTEMPT').length,
  }
}
