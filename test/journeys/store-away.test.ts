// Runs in test:all only: it fills a disk or takes a store away.
/**
 * PostgreSQL goes away under a running control plane and comes back: requests are refused in one sentence, nobody dies,
 * the agent goes on and sends later what it has seen, and nothing that was acknowledged is lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../control-plane/platform/store/database/open.ts'
import { callApi, urlMonitor } from '../support/api.ts'
import { holdingTarget } from '../support/holding-target.ts'
import { nothingLost, sumOf } from '../support/nothing-lost.ts'
import { endsWith, scratchFolder, spawnAgent, startControlPlane } from '../support/programs.ts'
import { startRecordingProxy } from '../support/recording-proxy.ts'
import { startPostgres } from '../support/start-postgres.ts'
import { until } from '../support/until.ts'

t.test('the store goes away and comes back', async (t) => {
  const postgres = await startPostgres()
  t.teardown(postgres.stop)
  const folder = await scratchFolder(t)
  const target = await holdingTarget(t)
  const controlPlane = endsWith(
    t,
    await startControlPlane({ dataDir: `${folder}/data`, env: { DATABASE_URL: postgres.url } }),
  )
  const { url, port } = controlPlane
  const proxy = await startRecordingProxy()
  t.teardown(proxy.close)
  proxy.forwardTo(port)
  const agent = endsWith(t, spawnAgent({ url: proxy.url, spoolDir: `${folder}/spool`, browsers: false }))
  const create = (name: string) =>
    callApi<{ id: string }>(url, '/v1/checks/url', {
      method: 'POST',
      body: urlMonitor(name, `${target.origin}/`),
    })
  const created: string[] = []
  for (let index = 0; index < 20; index++) created.push((await create(`check ${index}`)).body.id)
  await until('results', () => proxy.acknowledged.size >= 20)
  const probe = async (path: string): Promise<number> => (await fetch(url + path)).status
  t.equal(await probe('/-/readiness'), 200)

  // Requests are under way all the time, so that connections are cut in the middle of transactions.
  const answers = new Map<number, number>()
  const over = new AbortController()
  const busy = Array.from({ length: 8 }, async (_, index) => {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const { status, body } = await create(`busy ${index} ${turn}`)
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (status === 201) created.push(body.id)
      else await sleep(50)
    }
  })
  await until('checks beside all that', () => (answers.get(201) ?? 0) >= 20)
  target.hold()
  await until('runs under way', () => target.waiting() >= 5)
  await postgres.goAway()
  const refusedBefore = proxy.refused()
  target.release()
  await until('readiness', async () => (await probe('/-/readiness')) === 503)
  t.equal(await probe('/-/liveness'), 200, 'a restart would not help')
  t.equal(await probe('/health'), 200)
  const refused = await callApi(url, '/v1/checks')
  t.strictSame(refused, {
    status: 503,
    body: { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable', attributes: {} },
  })
  await until('refusals', () => (answers.get(503) ?? 0) >= 20)
  await until('results that nobody takes', () => proxy.refused() >= refusedBefore + 2)
  await postgres.comeBack()
  await until('readiness', async () => (await probe('/-/readiness')) === 200)
  over.abort()
  await Promise.all(busy)
  t.strictSame([...answers.keys()].sort(), [201, 503])
  const before = proxy.acknowledged.size
  await until('results after the return', () => proxy.acknowledged.size > before + 20)

  t.ok(controlPlane.running(), 'the control plane has lived through it')
  t.ok(agent.running())
  const lines = controlPlane.output().split('\n')
  t.strictSame(
    lines.filter((line) => line.includes('A request failed')),
    [],
  )
  t.equal(lines.filter((line) => line.includes('The store cannot be reached')).length, 1, 'it is said once')

  const db = openDatabase(postgres.url)
  t.teardown(() => db.close())
  const ledger = await nothingLost(t, db, { ...proxy, created })
  t.comment(`${created.length} checks, ${sumOf(ledger)}; answers ${JSON.stringify([...answers])}`)
})
