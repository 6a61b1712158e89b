/**
 * A group that tells instead of its checks: all of them fail and come back, with `kill -9` of the control plane around the moments at which
 * the group turns. Afterwards it is counted what was told.
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

type GroupOutage = {
  checks: number
  /** Null: an embedded store in the installation's own folder. */
  databaseUrl: string | null
  /** Parts of the checks: when so many were run since the target turned, the control plane is killed; and when each message arrives. */
  killAt: readonly number[]
  settleWithinMs: number
}

type GroupTold = {
  kills: number
  /** The ids under which each kind of alert arrived. */
  ids: Record<string, string[]>
  /** Alerts of the group in the store, oldest first. */
  alerts: string[]
  /** What the store says of the group while everything failed, and at the end. */
  failing: { state: string; told: string | null; failing: number } | undefined
  over: { state: string; told: string | null; failing: number } | undefined
}

export const runGroupOutage = async (t: Teardown, outage: GroupOutage): Promise<GroupTold> => {
  const { checks, killAt, settleWithinMs } = outage
  const folder = await scratchFolder(t)
  const databaseUrl = outage.databaseUrl ?? `sqlite:${folder}/data/watchpost.db`
  const env = {
    DATABASE_URL: databaseUrl,
    // The address stays the same across the kills.
    PORT: String(await closedPort()),
    EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
  }
  const start = () => endsWith(t, spawnControlPlane({ dataDir: `${folder}/data`, env }))
  let running = start()
  const { url } = await listening(running)
  let kills = 0
  let restarting: Promise<void> = Promise.resolve()
  const kill = (): void => {
    kills += 1
    restarting = restarting.then(async () => {
      await running.end('SIGKILL')
      running = start()
      await listening(running)
    })
  }
  const hook = await webhookCounter(t)
  const arrived = new Set<string>()
  hook.onArrival(() => {
    const { id = '' } = hook.arrivals.at(-1) ?? {}
    if (!arrived.has(id)) kill()
    arrived.add(id)
  })
  const target = await turningTarget(
    t,
    killAt.map((part) => Math.ceil(part * checks)),
    kill,
  )
  await makeGroup(url, { hook: hook.origin, target: target.origin, checks })
  const db = openDatabase(databaseUrl)
  t.teardown(() => db.close())
  endsWith(t, spawnAgent({ url, spoolDir: `${folder}/spool`, browsers: false }))
  await settled(db, { told: 'failing', failing: checks, settleWithinMs })
  await restarting
  const failing = await stateOf(db)
  target.comesBack()
  const { status } = await callApi(url, '/v2/check-sessions/trigger', { method: 'POST', body: {} })
  if (status !== 201) throw new Error(`the runs were answered with ${status}`)
  await settled(db, { told: null, failing: 0, settleWithinMs })
  await restarting
  const ids: Record<string, string[]> = {}
  for (const { alertType, id } of hook.arrivals)
    ids[alertType] = [...new Set([...(ids[alertType] ?? []), id])]
  const alerts = await db.select((k) =>
    k
      .selectFrom('check_alerts')
      .select('alert_type')
      .where('problem', '=', 'GROUP')
      .orderBy('created_at')
      .orderBy('id'),
  )
  return { kills, ids, alerts: alerts.map((row) => row.alert_type), failing, over: await stateOf(db) }
}

/** It fails until it comes back; `at`: after so many requests since then, or since the beginning, `look` is called. */
const turningTarget = async (t: Teardown, at: readonly number[], look: () => void) => {
  let isDown = true
  let count = 0
  const origin = await localHttp(t, (_request, response) => {
    count += 1
    if (at.includes(count)) look()
    response.statusCode = isDown ? 503 : 200
    response.end()
  })
  return {
    origin,
    comesBack: () => {
      isDown = false
      count = 0
    },
  }
}

type Wanted = { hook: string; target: string; checks: number }

/** A first run is due at once, the next in an hour. */
const makeGroup = async (url: string, { hook, target, checks }: Wanted): Promise<void> => {
  const made = async <R>(path: string, body: object): Promise<R> => {
    const answer = await callApi<R>(url, path, { method: 'POST', body })
    if (answer.status !== 201) throw new Error(`${path} was answered with ${answer.status}`)
    return answer.body
  }
  const channel = await made<{ id: number }>('/v1/alert-channels', {
    type: 'WEBHOOK',
    config: { name: 'told', url: hook },
  })
  const group = await made<{ id: number }>('/v2/check-groups', {
    name: 'Shop',
    groupHealth: { failingWhen: 'PERCENTAGE', percentage: 50, tells: 'GROUP' },
    alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
  })
  for (let number = 0; number < checks; number++)
    await made('/v1/checks/url', {
      ...{ name: `check ${number}`, groupId: group.id, request: { url: target } },
      ...{ privateLocations: ['local'], frequency: 60, doubleCheck: false },
    })
}

const stateOf = async (db: Database): Promise<GroupTold['failing']> =>
  (await db.select((k) => k.selectFrom('check_group_health').select(['state', 'told', 'failing'])))[0]

type Goal = { told: string | null; failing: number; settleWithinMs: number }

const settled = async (db: Database, { told, failing, settleWithinMs }: Goal): Promise<void> => {
  const giveUpAt = performance.now() + settleWithinMs
  // The recount says what is missing.
  while (performance.now() < giveUpAt) {
    const state = await stateOf(db)
    const open = await db.select((k) =>
      k.selectFrom('alert_notifications').select('id').where('due_at', 'is not', null),
    )
    if (state?.told === told && state.failing === failing && open.length === 0) return
    await sleep(250)
  }
}
