// Runs in test:all only: an outage takes as long as it takes.
// Runs on both engines in test:all: on PostgreSQL two control planes are killed and come back.
/**
 * The control plane is killed and monitoring goes on: two agents of one location and one of another run their standing orders. One agent
 * is killed and one restarted meanwhile, and before they are back a check is changed, one muted and one deleted. Then every due time is
 * worked out from outside and looked for.
 */
import { randomBytes } from 'node:crypto'
import t, { type Test } from 'tap'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { allRows } from '../support/all-results.ts'
import { callApi, urlMonitor } from '../support/api.ts'
import { engineNames, freshDatabaseUrl } from '../support/databases.ts'
import { isSettled, readLedger } from '../support/ledger.ts'
import { sumOf } from '../support/nothing-lost.ts'
import {
  agentKey,
  apiKey,
  type ControlPlaneProgram,
  endsWith,
  scratchFolder,
  spawnAgent,
  startControlPlane,
} from '../support/programs.ts'
import { receiver } from '../support/receiver.ts'
import { startRecordingProxy } from '../support/recording-proxy.ts'
import { httpServer } from '../support/servers.ts'
import { until } from '../support/until.ts'

const names = ['steady', 'blip', 'broken', 'changed', 'muted', 'deleted', 'elsewhere'] as const
type Name = (typeof names)[number]

/** Counts requests by path; paths that fail answer 500. */
const startTarget = async (t: Test) => {
  const hits = new Map<string, number>()
  const failing = new Set<string>()
  const { origin } = await httpServer(t, ({ url = '/' }, response) => {
    const path = url.slice(1)
    hits.set(path, (hits.get(path) ?? 0) + 1)
    response.statusCode = failing.has(path) ? 500 : 200
    response.end('ok')
  })
  return { origin, failing, count: (path: string) => hits.get(path) ?? 0 }
}

/** Whatever address agents have of it stays the same while it is away. */
const startPlanes = async (
  t: Test,
  { count, databaseUrl }: { count: number; databaseUrl: string | null },
) => {
  const folder = await scratchFolder(t)
  const store = databaseUrl ?? `sqlite:${folder}/plane0/watchpost.db`
  const ENCRYPTION_KEY = randomBytes(32).toString('base64')
  const shared = { ENCRYPTION_KEY, ARTIFACTS_URL: `file:${folder}/artifacts` }
  const env = {
    STANDING_ORDERS_SECOND_OWNER_SECONDS: '3',
    EGRESS_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...(databaseUrl === null ? {} : { DATABASE_URL: databaseUrl, ...shared }),
  }
  const planes: ControlPlaneProgram[] = []
  const start = async (): Promise<void> => {
    for (let index = 0; index < count; index += 1)
      planes[index] = endsWith(t, await startControlPlane({ dataDir: `${folder}/plane${index}`, env }))
  }
  await start()
  const proxies = await Promise.all(Array.from({ length: count }, startRecordingProxy))
  for (const proxy of proxies) t.teardown(proxy.close)
  const connect = () => {
    for (const [index, proxy] of proxies.entries())
      proxy.forwardTo((planes[index] as ControlPlaneProgram).port)
  }
  connect()
  const db = openDatabase(store)
  t.teardown(() => db.close())
  const kill = async (): Promise<void> => {
    for (const proxy of proxies) proxy.forwardTo(null)
    await Promise.all(planes.map((plane) => plane.end('SIGKILL')))
  }
  const url = (): string => (planes[0] as ControlPlaneProgram).url
  const wayFor = (agent: number): string => proxies[agent % count]?.url as string
  return { db, folder, start, connect, kill, url, wayFor, output: () => planes.map((one) => one.output()) }
}

t.jobs = 2
for (const engine of engineNames)
  t.test(`monitoring goes on while the control plane is away (${engine})`, async (t) => {
    const beganAt = performance.now()
    const said = (what: string) => t.comment(`${Math.round((performance.now() - beganAt) / 1000)} s: ${what}`)
    const target = await startTarget(t)
    const hook = await receiver(t)
    const isPostgres = engine === 'postgres'
    const databaseUrl = isPostgres ? await freshDatabaseUrl(t, 'postgres') : null
    const planes = await startPlanes(t, { count: isPostgres ? 2 : 1, databaseUrl })
    const post = async <T>(path: string, body: object): Promise<T> => {
      const created = await callApi<T>(planes.url(), path, { method: 'POST', body })
      t.equal(created.status, 201, path)
      return created.body
    }
    const location = await post<{ id: string }>('/v1/private-locations', { name: 'there', slugName: 'there' })
    const { rawKey } = await post<{ rawKey: string }>(`/v1/private-locations/${location.id}/keys`, {})
    const channel = await post<{ id: number }>('/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { name: 'hook', url: `${hook.origin}/`, method: 'POST' },
    })
    const monitorOf = (name: Name, path: string = name) => ({
      ...urlMonitor(name, `${target.origin}/${path}`),
      privateLocations: [name === 'elsewhere' ? 'there' : 'local'],
      alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
    })
    const ids = new Map<Name, string>()
    for (const name of names)
      ids.set(name, (await post<{ id: string }>('/v1/checks/url', monitorOf(name))).id)
    const startAgent = (agent: number) =>
      endsWith(
        t,
        spawnAgent({
          url: planes.wayFor(agent),
          spoolDir: `${planes.folder}/spool${agent}`,
          env: { API_KEY: agent === 2 ? rawKey : agentKey },
          browsers: false,
        }),
      )
    const agents = [0, 1, 2].map(startAgent)
    for (const agent of agents) await agent.line(/[1-9]\d* standing orders for when/)
    await until('who has orders', async () => {
      const holders = await planes.db.select((k) => k.selectFrom('order_holders').select('agent_id'))
      return holders.length === 3
    })
    await until('the first hits', () => names.every((name) => target.count(name) > 0))
    said('all agents have orders')

    await planes.kill()
    const killedAt = Date.now()
    for (const name of ['blip', 'broken', 'muted']) target.failing.add(name)
    await Promise.all(agents.map((agent) => agent.line(/alone: the control plane has not answered/)))
    said('alone')
    await agents[0]?.end('SIGKILL')
    await agents[1]?.end('SIGKILL')
    const restarted = startAgent(1)
    await restarted.line(/standing orders of an earlier run/)
    const before = { blip: target.count('blip'), elsewhere: target.count('elsewhere') }
    await until('a failure that is seen alone', () => target.count('blip') > before.blip)
    target.failing.delete('blip')
    const recovered = target.count('blip')
    await until('a recovery that is seen alone', () => target.count('blip') > recovered)
    await until('two runs elsewhere', () => target.count('elsewhere') > before.elsewhere + 1)
    said('enough was seen')

    await planes.start()
    const call = (method: string, name: Name, body?: object) =>
      callApi(planes.url(), `/v1/checks/${method === 'DELETE' ? '' : 'url/'}${ids.get(name)}`, {
        method,
        body,
      })
    t.equal((await call('PUT', 'changed', monitorOf('changed', 'changed-since'))).status, 200)
    t.equal((await call('PUT', 'muted', { ...monitorOf('muted'), muted: true })).status, 200)
    const gone = await fetch(`${planes.url()}/v1/checks/${ids.get('deleted')}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${apiKey}` },
    })
    t.equal(gone.status, 204)
    planes.connect()
    startAgent(0)
    const backAt = Date.now()
    said('back')
    await until('what is known of the outage', async () => {
      const [awaited] = await planes.db.select((k) => k.selectFrom('awaited_runs').select('id').limit(1))
      const [deferred] = await planes.db.select((k) =>
        k.selectFrom('deferred_judgements').select('check_id').limit(1),
      )
      return awaited === undefined && deferred === undefined && (await isSettled(planes.db, backAt))
    })
    said('settled')
    await until('the alert', () => hook.received.length > 0)

    const ledger = await readLedger(planes.db, backAt)
    t.strictSame(ledger.lost, [], 'every due time is accounted for')
    t.strictSame(ledger.doubled, [], 'and none twice')
    t.strictSame(ledger.unexpected, [])
    said(sumOf(ledger))
    const late = (await allRows(planes.db)).filter((row) => row.check_run_id >= killedAt)
    t.comment(`${late.length} results since the kill`)
    const { body: results } = await callApi<{ entries: { arrivedLate?: boolean; checkVersion?: number }[] }>(
      planes.url(),
      `/v2/check-results/${ids.get('elsewhere')}?limit=100`,
    )
    t.ok(
      results.entries.filter(({ arrivedLate }) => arrivedLate).length >= 2,
      'what was run alone arrived late',
    )
    const told = hook.received.map(({ json }) => `${json.check_name} ${json.alert_type}`)
    t.strictSame(told, ['broken ALERT_FAILURE_REMAIN'], 'one alert, about now')
    const [state] = await planes.db.select((k) =>
      k
        .selectFrom('alert_states')
        .select('doc')
        .where('check_id', '=', ids.get('broken') as string),
    )
    const { failingSince } = JSON.parse(state?.doc ?? '{}').state
    t.ok(
      failingSince >= killedAt && failingSince < backAt,
      'since when it has failed, not since when that is known',
    )
    for (const output of planes.output())
      t.notMatch(output, /"level":(50|60)/, 'the control plane met no error')
  })
