// Runs in test:all only: it takes a minute of due times.
/**
 * An installation that is upgraded and rolled under load: the store of the oldest released version, sixty checks, another control plane over
 * it, agents replaced three times as their chart asks, and a node that is gone with its agent. Every due time is there once, and the
 * rollouts cost none.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { allResultIds } from '../support/all-results.ts'
import { isSettled, readLedger } from '../support/ledger.ts'
import { sumOf } from '../support/nothing-lost.ts'
import { deploymentIn, type Pod, startControlPlanePod, startPod } from '../support/played-kubelet.ts'
import { agentKey, scratchFolder } from '../support/programs.ts'
import { startRecordingProxy } from '../support/recording-proxy.ts'
import { httpServer } from '../support/servers.ts'
import { loadStore, storeFixtures } from '../support/store-fixture.ts'
import { until } from '../support/until.ts'

const checkCount = 60
const [oldest] = storeFixtures()
if (oldest === undefined) throw new Error('there is no store of a released version')
/** A pod that is killed holds its jobs until their leases end. */
const leaseMs = 15_000

t.test('an upgrade and three rollouts under sixty checks', async (t) => {
  const dataDir = await scratchFolder(t)
  const databaseUrl = `sqlite:${join(dataDir, 'watchpost.db')}`
  await loadStore(oldest, databaseUrl)
  const installed = deploymentIn('control-plane-default.yaml')
  const secret = {
    'account-id': oldest.access.accountId,
    'api-key': oldest.access.apiKey,
    'encryption-key': oldest.access.encryptionKey,
    'agent-key': agentKey,
  }
  const service = await startRecordingProxy()
  t.teardown(() => service.close())
  const startPlane = async () => {
    const more = { API_REQUESTS_PER_MINUTE: '100000' }
    const pod = await startControlPlanePod(t, { pod: installed.template.spec, dataDir, secret, more })
    service.forwardTo(pod.plane.port)
    return pod
  }
  const headers = { authorization: `Bearer ${oldest.access.apiKey}`, 'content-type': 'application/json' }
  const call = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(service.url + path, { method, headers, ...given })
    t.ok(response.ok, `${method} ${path}: ${response.status}`)
    return (response.status === 204 ? null : await response.json()) as T
  }

  // Each answer takes a part of a second: at any moment some runs are under way.
  let running = 0
  const target = await httpServer(t, (_, response) => {
    running += 1
    setTimeout(() => {
      running -= 1
      response.end('ok')
    }, 700)
  })

  const older = await startPlane()
  for (const { id } of await call<{ id: string }[]>('GET', '/v1/checks?limit=100'))
    await call('DELETE', `/v1/checks/${id}`)
  const location = await call<{ keys: { rawKey: string }[] }>('POST', '/v1/private-locations', {
    name: 'Rolled',
    slugName: 'rolled',
  })
  const keyFile = join(await scratchFolder(t), 'api-key')
  await writeFile(keyFile, `${location.keys[0]?.rawKey}\n`, { mode: 0o600 })
  const { strategy, template } = deploymentIn('agent-uptime.yaml')
  t.match(strategy, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } })
  const pod = template.spec
  const start = () => startPod(t, { pod, url: service.url, keyFile })
  let pods: Pod[] = await Promise.all([start(), start()])
  const created: string[] = []
  for (let n = 0; n < checkCount; n += 1) {
    const { id } = await call<{ id: string }>('POST', '/v1/checks/url', {
      ...{
        name: `check ${n}`,
        frequency: 0,
        frequencyOffset: 10,
        locations: [],
        privateLocations: ['rolled'],
      },
      request: { url: `${target.origin}/${n}` },
    })
    created.push(id)
  }
  await until('results', () => service.acknowledged.size >= checkCount)

  // As the chart upgrades a store in one file: the old pod is gone before the new one starts.
  t.equal(installed.strategy['type' as never], 'Recreate')
  await older.end()
  service.forwardTo(null)
  await startPlane()
  await until('results of the newer one', () => service.acknowledged.size >= 2 * checkCount)

  const drains: number[] = []
  for (let roll = 0; roll < 3; roll += 1) {
    const next: Pod[] = []
    for (const old of pods) {
      next.push(await start())
      await until('runs under way', () => running > 0)
      drains.push(await old.end())
    }
    pods = next
  }

  const [lost, kept] = pods
  if (lost === undefined || kept === undefined) throw new Error('there are two pods')
  await until('runs under way', () => running > 0)
  const killedAt = Date.now()
  await lost.kill()
  await start()
  await until('leases to end', () => Date.now() > killedAt + leaseMs)

  const db = openDatabase(databaseUrl)
  t.teardown(() => db.close())
  const now = Date.now()
  await until('the recount', () => isSettled(db, now))
  const ledger = await readLedger(db, now)
  const own = (keys: readonly string[]) => keys.filter((key) => created.includes(key.split(' ')[0] ?? ''))
  t.equal(ledger.checks, checkCount)
  t.strictSame(own(ledger.lost), [], 'every due time is accounted for')
  t.strictSame(own(ledger.doubled), [], 'none twice')
  t.strictSame(own(ledger.unexpected), [], 'and nothing ran that was not due')
  const stored = new Set(await allResultIds(db))
  t.strictSame(
    [...service.acknowledged.keys()].filter((id) => !stored.has(id)),
    [],
    'what was acknowledged is there',
  )
  const missed = (await db.select((k) => k.selectFrom('missed_runs').selectAll()))
    .filter(({ check_id }) => created.includes(check_id))
    .flatMap(({ first_due_at, count, period_ms, reason }) =>
      Array.from({ length: count }, (_, n) => ({ at: first_due_at + n * period_ms, reason })),
    )
  t.comment(`${sumOf(ledger)}; drains took ${drains.map((ms) => Math.round(ms)).join(', ')} ms`)
  t.equal(ledger.results + missed.length, ledger.due)
  t.strictSame(
    missed.filter(({ at }) => at < killedAt - 1000),
    [],
    'no run is missed for an upgrade or a rollout',
  )
})
