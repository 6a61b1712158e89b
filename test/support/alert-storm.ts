/**
 * Many checks that all fail at once, told to one webhook; if wanted, with `kill -9` of the control plane while it delivers.
 * Afterwards a recount of what arrived, by check and by the id that every copy of a notification carries.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../../control-plane/platform/store/database/db.ts'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { callApi } from './api.ts'
import { localHttp } from './local-http.ts'
import {
  endsWith,
  listening,
  scratchFolder,
  spawnAgent,
  spawnControlPlane,
  type Teardown,
} from './programs.ts'
import { closedPort } from './servers.ts'
import { webhookCounter } from './webhook-counter.ts'

export type Storm = {
  checks: number
  /** Null: an embedded store in the installation's own folder. */
  databaseUrl: string | null
  /** Parts of the checks: when so many have been told of, the control plane is killed and started again. */
  killAt: readonly number[]
  /** And when such a part has begun to fail. */
  killWhenFailed?: number
  /** Told one by one, or with the storm brake of a new account. */
  brake: boolean
  /**
   * What checks: an agent that starts with the storm, or one that has been there for a while, so that trying its browser is over. It stands
   * still while the checks are made, so that these still fail together.
   */
  agent: 'starts' | 'waits'
  /** False: the agent finds none to try. */
  browsers?: boolean
  settleWithinMs: number
}

export type StormOutcome = {
  kills: number
  /** Checks that the webhook was told of, again in each copy. */
  arrivals: number
  /** Messages, without copies. */
  messages: number
  /** Checks that nothing was told of. */
  lost: string[]
  /** Checks whose one failure was told of under more than one id. */
  doubled: string[]
  /** Arrivals under an id that had arrived before. */
  repeated: number
  /** From the first failing request to the webhook of the last check that was told of. */
  lastMs: number
  /** The same for half of the checks. */
  halfMs: number
  /** The one that has nothing to do with it, with the brake: how many were in its message, and when that came after its first failing request. */
  unrelated: { members: number; ms: number } | null
  /** In the store. */
  alerts: number
  notifications: Record<string, number>
}

const creationsAtOnce = 20
/** Below the API's limit on requests of a key in a minute. */
const creationsPerKey = 500

export const runAlertStorm = async (t: Teardown, storm: Storm): Promise<StormOutcome> => {
  const { checks, killAt, brake, settleWithinMs } = storm
  const folder = await scratchFolder(t)
  const databaseUrl = storm.databaseUrl ?? `sqlite:${folder}/data/watchpost.db`
  // The address stays the same across the kills.
  const port = await closedPort()
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: String(port),
    EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
    LOG_LEVEL: 'info',
  }
  const start = () => endsWith(t, spawnControlPlane({ dataDir: `${folder}/data`, env }))
  let running = start()
  const { url } = await listening(running)
  const hook = await webhookCounter(t)
  const target = await failingTarget(t)
  await createChannel(url, hook.origin)
  if (!brake) await withoutBrake(url)
  const startAgent = () =>
    endsWith(
      t,
      spawnAgent({
        url,
        spoolDir: `${folder}/spool`,
        env: { LOG_LEVEL: 'info' },
        browsers: storm.browsers,
      }),
    )
  const waiting = storm.agent === 'waits' ? startAgent() : null
  if (waiting !== null) {
    await waiting.line(/browser checks (with|here)/)
    process.kill(waiting.pid, 'SIGSTOP')
  }
  const ids = await createChecks(url, target.origin, checks)
  const other = brake ? await failingTarget(t) : null
  // Another host, by its name.
  const unrelatedId =
    other === null ? null : await createOne(url, other.origin.replace('127.0.0.1', 'localhost'))

  const thresholds = killAt.map((part) => Math.ceil(part * checks))
  const told = new Set<string>()
  const toldAt: number[] = []
  let seen = 0
  let kills = 0
  let earlyKills = 0
  let restarting: Promise<void> = Promise.resolve()
  const restart = async (): Promise<void> => {
    await running.end('SIGKILL')
    running = start()
    await listening(running)
  }
  hook.onArrival(() => {
    for (const { checkId, at } of hook.arrivals.slice(seen)) {
      if (!told.has(checkId)) toldAt.push(at)
      told.add(checkId)
    }
    seen = hook.arrivals.length
    if (told.size < (thresholds[kills] ?? Number.POSITIVE_INFINITY)) return
    kills += 1
    restarting = restarting.then(restart)
  })
  const failed = Math.ceil((storm.killWhenFailed ?? Number.POSITIVE_INFINITY) * checks)
  target.onRequest((count) => {
    if (count !== failed) return
    earlyKills += 1
    restarting = restarting.then(restart)
  })
  // All first runs are due: they were, when the checks were created.
  if (waiting === null) startAgent()
  else process.kill(waiting.pid, 'SIGCONT')
  const db = openDatabase(databaseUrl)
  t.teardown(() => db.close())
  await settled(db, unrelatedId === null ? checks : checks + 1, settleWithinMs)
  // A control plane that did not come back is the reason of everything that is missing.
  await restarting

  const idsOf = new Map<string, Set<string>>()
  for (const { checkId, id } of hook.arrivals) idsOf.set(checkId, (idsOf.get(checkId) ?? new Set()).add(id))
  const failedAt = target.firstAt()
  const distinct = new Set(hook.arrivals.map(({ id, checkId }) => `${id} ${checkId}`)).size
  const [alerts] = await db.select((k) =>
    k.selectFrom('check_alerts').select((at) => at.fn.countAll<number>().as('total')),
  )
  const alone = hook.arrivals.find(({ checkId }) => checkId === unrelatedId)
  return {
    unrelated:
      alone === undefined || other === null
        ? null
        : {
            members: new Set(hook.arrivals.filter(({ id }) => id === alone.id).map(({ checkId }) => checkId))
              .size,
            ms: alone.at - other.firstAt(),
          },
    kills: kills + earlyKills,
    arrivals: hook.arrivals.length,
    messages: new Set(hook.arrivals.map(({ id }) => id)).size,
    lost: ids.filter((id) => !idsOf.has(id)),
    doubled: [...idsOf].filter(([, seen]) => seen.size > 1).map(([checkId]) => checkId),
    repeated: hook.arrivals.length - distinct,
    lastMs: (toldAt.at(-1) ?? Number.NaN) - failedAt,
    halfMs: (toldAt[Math.floor(toldAt.length / 2)] ?? Number.NaN) - failedAt,
    alerts: Number(alerts?.total),
    notifications: await notificationsByStatus(db),
  }
}

/** So that each failure is a message of its own. */
export const withoutBrake = async (url: string): Promise<void> => {
  const body = { alertSettings: { stormBrake: { enabled: false } } }
  const { status } = await callApi(url, '/v1/accounts/me', { method: 'PATCH', body })
  if (status !== 200) throw new Error(`the alert settings were answered with ${status}`)
}

const createChannel = async (url: string, hook: string): Promise<void> => {
  const body = { type: 'WEBHOOK', config: { name: 'storm', url: hook } }
  const { status } = await callApi(url, '/v1/alert-channels', { method: 'POST', body })
  if (status !== 201) throw new Error(`the channel was answered with ${status}`)
}

/** A first run is due at once, the next in some minutes: within a storm every check fails once. */
const createChecks = async (url: string, target: string, count: number): Promise<string[]> => {
  const ids: string[] = []
  const numbers = Array.from({ length: count }, (_, index) => index)
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(count / creationsPerKey) }, () => createKey(url)),
  )
  const queue = numbers.values()
  const work = async (): Promise<void> => {
    for (const number of queue) ids.push(await createCheck(url, target, { number, keys }))
  }
  await Promise.all(Array.from({ length: creationsAtOnce }, work))
  return ids
}

const createOne = async (url: string, target: string): Promise<string> =>
  createCheck(url, target, { number: -1, keys: [await createKey(url)] })

const createKey = async (url: string): Promise<string> => {
  const body = { name: 'storm', role: 'READ_WRITE' }
  const answer = await callApi<{ rawKey: string }>(url, '/v1/accounts/me/service-keys', {
    method: 'POST',
    body,
  })
  return answer.body.rawKey
}

const createCheck = async (
  url: string,
  target: string,
  { number, keys }: { number: number; keys: string[] },
): Promise<string> => {
  const response = await fetch(`${url}/v1/checks/url`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys[number % keys.length]}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      name: `check ${number}`,
      request: { url: target },
      privateLocations: ['local'],
      frequency: 60,
      doubleCheck: false,
    }),
  })
  if (response.status !== 201) throw new Error(`a check was answered with ${response.status}`)
  return ((await response.json()) as { id: string }).id
}

const failingTarget = async (t: Teardown) => {
  let firstAt = Number.NaN
  let count = 0
  let looking: (count: number) => void = () => {}
  const origin = await localHttp(t, (_request, response) => {
    if (Number.isNaN(firstAt)) firstAt = Date.now()
    count += 1
    looking(count)
    response.statusCode = 503
    response.end()
  })
  return {
    origin,
    firstAt: () => firstAt,
    onRequest: (look: typeof looking) => {
      looking = look
    },
  }
}

const notificationsByStatus = async (db: Database): Promise<Record<string, number>> => {
  const rows = await db.select((k) =>
    k
      .selectFrom('alert_notifications')
      .select((at) => ['status', at.fn.countAll<number>().as('total')])
      .groupBy('status'),
  )
  return Object.fromEntries(rows.map(({ status, total }) => [status, Number(total)]))
}

const settled = async (db: Database, count: number, withinMs: number): Promise<void> => {
  const giveUpAt = performance.now() + withinMs
  for (;;) {
    const { SUCCESS = 0, FAILURE = 0, ...rest } = await notificationsByStatus(db)
    if (SUCCESS + FAILURE >= count && Object.keys(rest).length === 0) return
    // The recount says what is missing.
    if (performance.now() > giveUpAt) return
    await sleep(500)
  }
}
