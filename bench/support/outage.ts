/**
 * An installation whose control plane is killed and comes back: thousands of checks, three agents of one location and one of another, all of them
 * processes. What became of each due time is recounted from outside.
 */
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { allResults } from '../../test/support/all-results.ts'
import { isSettled, type Ledger, readLedger } from '../../test/support/ledger.ts'
import {
  agentKey,
  type ControlPlaneProgram,
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
  type Teardown,
} from '../../test/support/programs.ts'
import { closedPort } from '../../test/support/servers.ts'
import { browsers, countResults } from './installation.ts'
import { percentile } from './numbers.ts'
import { benchKeyEnvironment, createChecks, keyOfNewLocation, openStore } from './prepare.ts'
import { startTarget } from './targets.ts'
import { until } from './wait.ts'

/** Checks of the other location, one in so many. */
const elsewhereEvery = 20
/** The longest that agents are waited for, and what they then bring. */
const settledWithinMs = 600_000

/** Of an outage: the due times of all checks in it, and what was seen of live results while late ones came in. */
export type OutageFigures = {
  awayMs: number
  /** Due while nobody was there, and how many of them were run. */
  due: number
  run: number
  late: number
  drainMs: number
  live: number
  liveP50Ms: number
  liveP99Ms: number
  ledger: Ledger
}

export type OutageInstallation = { away(ms: number): Promise<OutageFigures> }

/** `triesBrowsers`: whether agents do, when they start. */
type OutageOptions = { checks: number; periodSeconds: number; triesBrowsers?: boolean }

export const installForOutage = async (
  b: Teardown,
  { checks, periodSeconds, triesBrowsers = browsers }: OutageOptions,
): Promise<OutageInstallation> => {
  const folder = await scratchFolder(b)
  const dataDir = `${folder}/data`
  // The address stays the same, as it would for an operator.
  const env = { PORT: String(await closedPort()), ...benchKeyEnvironment }
  const start = () => listening(endsWith(b, spawnControlPlane({ dataDir, env })))
  let plane: ControlPlaneProgram = await start()
  const db = openStore(b, `sqlite:${dataDir}/watchpost.db`)
  const target = await startTarget(b, 'http')
  const key = await keyOfNewLocation(plane.url, 'there')
  await createChecks(db, checks, (index) => ({
    name: `check ${index}`,
    request: { url: `${target}/` },
    ...(periodSeconds < 60
      ? { frequency: 0, frequencyOffset: periodSeconds }
      : { frequency: periodSeconds / 60 }),
    privateLocations: [index % elsewhereEvery === 0 ? 'there' : 'local'],
  }))
  const agents = [0, 1, 2, 3].map((index) =>
    endsWith(
      b,
      spawnAgent({
        url: plane.url,
        spoolDir: `${folder}/spool${index}`,
        env: { API_KEY: index === 3 ? key : agentKey },
        browsers: triesBrowsers,
      }),
    ),
  )
  await Promise.all(agents.map((agent) => agent.line(/[1-9]\d* standing orders for when/)))
  await until('who has orders', { everyMs: 200, withinMs: 60_000 }, async () => {
    const holders = await db.select((k) => k.selectFrom('order_holders').select('agent_id'))
    return holders.length === agents.length
  })
  await until('the first runs', { everyMs: 200, withinMs: 120_000 }, async () => {
    return (await countResults(db)) >= checks
  })
  return {
    away: async (ms) => {
      await until('a due time that the outage will meet', { everyMs: 100, withinMs: 120_000 }, async () => {
        return isDueWithin(db, { from: Date.now() + 1000, to: Date.now() + ms / 2 })
      })
      await plane.end('SIGKILL')
      const killedAt = Date.now()
      await until('the outage', { everyMs: 100, withinMs: ms + 60_000 }, () => Date.now() >= killedAt + ms)
      plane = await start()
      const backAt = Date.now()
      await settled(db, backAt)
      return figuresOf(db, { killedAt, backAt })
    },
  }
}

/** Jobs are there some seconds before they are due. */
const isDueWithin = async (db: Database, { from, to }: { from: number; to: number }): Promise<boolean> => {
  const [due] = await db.select((k) =>
    k.selectFrom('jobs').select('id').where('due_at', '>', from).where('due_at', '<', to).limit(1),
  )
  return due !== undefined
}

/** Agents have brought what they had, and what was due has ended. */
const settled = (db: Database, backAt: number): Promise<void> =>
  until('the end of what was due', { everyMs: 500, withinMs: settledWithinMs }, async () => {
    const [awaited] = await db.select((k) => k.selectFrom('awaited_runs').select('id').limit(1))
    const [deferred] = await db.select((k) => k.selectFrom('deferred_judgements').select('check_id').limit(1))
    // What is awaited is found once the due times have been planned.
    if (Date.now() < backAt + 5000 || awaited !== undefined || deferred !== undefined) return false
    return isSettled(db, backAt)
  })

type Outage = { killedAt: number; backAt: number }

const figuresOf = async (db: Database, { killedAt, backAt }: Outage): Promise<OutageFigures> => {
  const ledger = await readLedger(db, backAt)
  const finals = (await allResults(db)).filter(({ result_type }) => result_type === 'FINAL')
  const since = finals.filter(({ created_at }) => created_at >= backAt)
  const isLate = ({ doc }: { doc: string }): boolean => JSON.parse(doc).arrivedLate === true
  const late = since.filter(isLate)
  const drainedAt = late.reduce((max, { created_at }) => Math.max(max, created_at), backAt)
  const live = since.filter(
    (one) => !isLate(one) && one.stopped_at >= backAt && one.stopped_at <= Math.max(drainedAt, backAt + 5000),
  )
  const delays = live.map(({ created_at, stopped_at }) => created_at - stopped_at)
  const isOfOutage = (dueAt: number): boolean => dueAt > killedAt && dueAt <= backAt
  const run = finals.filter(({ due_at }) => isOfOutage(due_at)).length
  const missed = (await db.select((k) => k.selectFrom('missed_runs').selectAll())).flatMap((row) =>
    Array.from({ length: row.count }, (_, i) => row.first_due_at + i * row.period_ms).filter(isOfOutage),
  ).length
  return {
    awayMs: backAt - killedAt,
    due: run + missed,
    run,
    late: late.length,
    drainMs: drainedAt - backAt,
    live: live.length,
    liveP50Ms: percentile(delays, 50),
    liveP99Ms: percentile(delays, 99),
    ledger,
  }
}

/** None is lost, none is there twice, and none is there that was not due. */
export const unaccounted = ({ lost, doubled, unexpected }: Ledger): number =>
  lost.length + doubled.length + unexpected.length
