/**
 * A router that fails, all that is behind it, and one check that is not; told to one webhook, with `kill -9` of the control plane in
 * the middle. Afterwards it is counted what was told.
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

type Outage = {
  behind: number
  /** Null: an embedded store in the installation's own folder. */
  databaseUrl: string | null
  /** Parts of the checks: when so many were run, the control plane is killed and started again. */
  killAt: readonly number[]
  settleWithinMs: number
}

type Told = {
  kills: number
  /** By the name of the check: the ids under which its failure arrived. */
  ids: Record<string, string[]>
  /** From the first failing request to the first webhook of each. */
  afterMs: Record<string, number>
  /** How many its message says are behind it. */
  dependents: number[]
  /** Checks whose failure is kept back, because of something that is known to be down. */
  keptBack: number
  alerts: number
}

const creationsAtOnce = 4
/** Below the API's limit on requests of a key in a minute. */
const creationsPerKey = 500

export const runOutage = async (t: Teardown, outage: Outage): Promise<Told> => {
  const folder = await scratchFolder(t)
  const databaseUrl = outage.databaseUrl ?? `sqlite:${folder}/data/watchpost.db`
  // The address stays the same across the kills.
  const env = {
    DATABASE_URL: databaseUrl,
    PORT: String(await closedPort()),
    EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
  }
  const start = () => endsWith(t, spawnControlPlane({ dataDir: `${folder}/data`, env }))
  let running = start()
  const { url } = await listening(running)
  const hook = await webhookCounter(t)
  const thresholds = outage.killAt.map((part) => Math.ceil(part * outage.behind))
  let [kills, requests, firstAt] = [0, 0, Number.NaN]
  let restarting: Promise<void> = Promise.resolve()
  const restart = async (): Promise<void> => {
    await running.end('SIGKILL')
    running = start()
    await listening(running)
  }
  const target = await localHttp(t, (_request, response) => {
    if (Number.isNaN(firstAt)) firstAt = Date.now()
    requests += 1
    response.statusCode = 503
    response.end()
    if (requests < (thresholds[kills] ?? Number.POSITIVE_INFINITY)) return
    kills += 1
    restarting = restarting.then(restart)
  })
  const names = await makeChecks(url, { hook: hook.origin, target, behind: outage.behind })
  endsWith(t, spawnAgent({ url, spoolDir: `${folder}/spool`, browsers: false }))
  const db = openDatabase(databaseUrl)
  t.teardown(() => db.close())
  await settled(db, outage)
  // A control plane that did not come back is the reason of everything that is missing.
  await restarting
  const ids: Record<string, string[]> = {}
  const afterMs: Record<string, number> = {}
  for (const { checkId, id, at } of hook.arrivals) {
    const name = names.get(checkId) ?? 'behind'
    ids[name] = [...new Set([...(ids[name] ?? []), id])]
    afterMs[name] ??= at - firstAt
  }
  const events = await db.select((k) => k.selectFrom('alert_notifications').select('event'))
  const [alerts] = await db.select((k) =>
    k.selectFrom('check_alerts').select((at) => at.fn.countAll<number>().as('total')),
  )
  const dependents = events.map(({ event }) => (JSON.parse(event) as { dependents: number }).dependents)
  return {
    ...{ kills, ids, afterMs, keptBack: await countKeptBack(db), alerts: Number(alerts?.total) },
    dependents: dependents.toSorted((a, b) => a - b),
  }
}

type Wanted = { hook: string; target: string; behind: number }

/** Whose names are known: the router, and the one that is not behind it. A first run is due at once, the next in an hour. */
const makeChecks = async (url: string, { hook, target, behind }: Wanted): Promise<Map<string, string>> => {
  const made = async <R>(path: string, body: object): Promise<R> => {
    const answer = await callApi<R>(url, path, { method: 'POST', body })
    if (answer.status !== 201) throw new Error(`${path} was answered with ${answer.status}`)
    return answer.body
  }
  await made('/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { name: 'told', url: hook },
    autoSubscribe: true,
  })
  const body = (name: string, more: object = {}) => ({
    ...{ name, request: { url: target }, privateLocations: ['local'] },
    ...{ frequency: 60, doubleCheck: false, ...more },
  })
  const router = await made<{ id: string }>('/v1/checks/url', body('router'))
  const dependsOn = [{ checkId: router.id }]
  const group = await made<{ id: number }>('/v2/check-groups', { name: 'behind', dependsOn })
  const keys = await Promise.all(
    Array.from({ length: Math.ceil(behind / creationsPerKey) }, () =>
      made<{ rawKey: string }>('/v1/accounts/me/service-keys', { name: 'storm', role: 'READ_WRITE' }),
    ),
  )
  const queue = Array.from({ length: behind }, (_, number) => number).values()
  const work = async (): Promise<void> => {
    for (const number of queue) {
      const key = keys[number % keys.length]?.rawKey
      const response = await fetch(`${url}/v1/checks/url`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body(`behind ${number}`, { groupId: group.id })),
      })
      if (response.status !== 201) throw new Error(`a check was answered with ${response.status}`)
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: creationsAtOnce }, work))
  const elsewhere = await made<{ id: string }>('/v1/checks/url', body('elsewhere'))
  return new Map([
    [router.id, 'router'],
    [elsewhere.id, 'elsewhere'],
  ])
}

/** What is only asked for may still be told; what is known to be down keeps back for as long as it lasts. */
const countKeptBack = async (db: Database): Promise<number> => {
  const rows = await db.select((k) => k.selectFrom('alert_states').select('doc'))
  const docs = rows.flatMap(({ doc }) =>
    doc === '' ? [] : [JSON.parse(doc) as { heldBack: { phase: string } | null }],
  )
  return docs.filter(({ heldBack }) => heldBack?.phase === 'down').length
}

const settled = async (db: Database, { behind, settleWithinMs }: Outage): Promise<void> => {
  const giveUpAt = performance.now() + settleWithinMs
  // The recount says what is missing.
  while (performance.now() < giveUpAt) {
    const sent = await db.select((k) =>
      k.selectFrom('alert_notifications').select('id').where('status', '=', 'SUCCESS'),
    )
    if (sent.length >= 2 && (await countKeptBack(db)) >= behind) return
    await sleep(100)
  }
}
