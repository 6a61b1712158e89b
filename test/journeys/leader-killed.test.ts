// Runs in test:all only: it starts three servers and what leads them.
/**
 * The leader of a PostgreSQL cluster is killed under 50 results a second, as docs/deploy/postgresql.md sets it up: Patroni,
 * etcd, a synchronous standby. One control plane reaches it by HAProxy, the other by the names of all servers. Then every due time
 * is worked out from outside and looked for: none is lost, none is there twice. The first result that is taken again comes within a
 * minute, of a machine that this test has to itself.
 */
import { randomBytes } from 'node:crypto'
import { availableParallelism, loadavg } from 'node:os'
import t from 'tap'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { callApi, urlMonitor } from '../support/api.ts'
import { nothingLost, sumOf } from '../support/nothing-lost.ts'
import { startPatroniCluster, withoutPatroni } from '../support/patroni-cluster.ts'
import { endsWith, scratchFolder, spawnAgent, startControlPlane } from '../support/programs.ts'
import { type RecordingProxy, startRecordingProxy } from '../support/recording-proxy.ts'
import { httpServer } from '../support/servers.ts'
import { until } from '../support/until.ts'

/** Every ten seconds. */
const checks = 500
const mostSeconds = 60

/** How many times longer everything takes because others want the processors, too. */
const crowding = (): number => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism())

t.test('the leader is killed', { skip: withoutPatroni }, async (t) => {
  const beganAt = performance.now()
  const said = (what: string) => t.comment(`${Math.round((performance.now() - beganAt) / 1000)} s: ${what}`)
  const cluster = await startPatroniCluster(t)
  said('the cluster is whole')
  const folder = await scratchFolder(t)
  const target = await httpServer(t, (_request, response) => response.end('ok'))
  const ENCRYPTION_KEY = randomBytes(32).toString('base64')
  const start = async (name: string, databaseUrl: string) => {
    const plane = endsWith(
      t,
      await startControlPlane({
        dataDir: `${folder}/${name}`,
        env: { DATABASE_URL: databaseUrl, ENCRYPTION_KEY, ARTIFACTS_URL: `file:${folder}/artifacts` },
      }),
    )
    const proxy = await startRecordingProxy()
    t.teardown(proxy.close)
    proxy.forwardTo(plane.port)
    endsWith(t, spawnAgent({ url: proxy.url, spoolDir: `${folder}/${name}-spool`, browsers: false }))
    return { plane, proxy }
  }
  const named = await start('named', cluster.url)
  const proxied = await start('proxied', cluster.proxiedUrl)
  t.notMatch(named.plane.output(), /no standby is synchronous/)

  const created: string[] = []
  const create = async (index: number): Promise<void> => {
    const { plane } = index % 2 === 0 ? named : proxied
    const { body } = await callApi<{ id: string }>(plane.url, '/v1/checks/url', {
      method: 'POST',
      body: urlMonitor(`check ${index}`, `${target.origin}/`),
    })
    created.push(body.id)
  }
  for (let index = 0; index < checks; index += 20)
    await Promise.all(Array.from({ length: 20 }, (_, at) => create(index + at)))
  said(`${checks} checks`)
  const taken = ({ proxy }: { proxy: RecordingProxy }) => proxy.acknowledged.size
  await until('two results of each check', () => taken(named) + taken(proxied) >= 2 * checks)
  said('two results of each')

  const before = { named: taken(named), proxied: taken(proxied) }
  const both = [named, proxied]
  const refused = () => both.reduce((sum, { proxy }) => sum + proxy.refused(), 0)
  const takenByBoth = () => both.reduce((sum, one) => sum + taken(one), 0)
  const refusedBefore = refused()
  await cluster.killLeader()
  const killedAt = performance.now()
  // What was under way has been answered by then.
  await until('the leader is missed', async () => refused() > refusedBefore || (await cluster.isWhole()), 250)
  const takenAtLast = takenByBoth()
  await until('a result is taken again', () => takenByBoth() > takenAtLast)
  const seconds = (performance.now() - killedAt) / 1000
  const most = mostSeconds * crowding()
  t.comment(
    `the first result after the kill was accepted after ${seconds.toFixed(1)} s (load ${loadavg()[0]?.toFixed(1)})`,
  )
  t.ok(seconds <= most, `the first result after ${seconds.toFixed(1)} s, of ${most.toFixed(0)} at most`)
  await until('a new leader with a synchronous standby', cluster.isWhole, 500)
  await until(
    'results by either way',
    () => taken(named) > before.named + 50 && taken(proxied) > before.proxied + 50,
  )
  t.comment(`${Math.round(performance.now() - killedAt)} ms from the kill until both take results again`)
  t.ok(named.plane.running(), 'the control plane that knows all servers has lived through it')
  t.ok(proxied.plane.running(), 'and so has the one behind HAProxy')

  const db = openDatabase(cluster.url)
  t.teardown(() => db.close())
  const acknowledged = new Map([...named.proxy.acknowledged, ...proxied.proxy.acknowledged])
  const ledger = await nothingLost(t, db, { acknowledged, created })
  t.strictSame(ledger.unexpected, [])
  t.ok(ledger.results >= 2 * checks)
  said(sumOf(ledger))
})
