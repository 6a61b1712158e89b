/**
 * PostgreSQL goes away under a running control plane and comes back: requests are refused in one sentence, nobody dies,
 * the agent goes on and sends later what it has seen, and nothing that was acknowledged is lost.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../control-plane/database/open.ts'
import { callApi, urlMonitor } from '../support/api.ts'
import { isSettled, readLedger } from '../support/ledger.ts'
import { endsWith, scratchFolder, spawnAgent, startControlPlane } from '../support/programs.ts'
import { startRecordingProxy } from '../support/recording-proxy.ts'
import { httpServer } from '../support/servers.ts'
import { startPostgres } from '../support/start-postgres.ts'

t.setTimeout(110_000)

const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  const giveUpAt = performance.now() + 60_000
  while (!(await holds())) {
    if (performance.now() > giveUpAt) throw new Error(`${what}: not within a minute`)
    await sleep(100)
  }
}

t.test('the store goes away and comes back', async (t) => {
  const postgres = await startPostgres()
  t.teardown(postgres.stop)
  const folder = await scratchFolder(t)
  const target = await httpServer(t, (_request, response) => response.end('ok'))
  const controlPlane = endsWith(
    t,
    await startControlPlane({ dataDir: `${folder}/data`, env: { DATABASE_URL: postgres.url } }),
  )
  const { url, port } = controlPlane
  const proxy = await startRecordingProxy()
  t.teardown(proxy.close)
  proxy.forwardTo(port)
  const agent = endsWith(t, spawnAgent({ url: proxy.url, spoolDir: `${folder}/spool` }))
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
  await sleep(500)
  await postgres.goAway()
  await until('readiness', async () => (await probe('/-/readiness')) === 503)
  t.equal(await probe('/-/liveness'), 200, 'a restart would not help')
  t.equal(await probe('/health'), 200)
  const refused = await callApi(url, '/v1/checks')
  t.strictSame(refused, {
    status: 503,
    body: { statusCode: 503, error: 'Service Unavailable', message: 'Service Unavailable', attributes: {} },
  })
  await sleep(6000)
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

  const now = Date.now()
  const db = openDatabase(postgres.url)
  t.teardown(() => db.close())
  await until('the recount', () => isSettled(db, now))
  const ledger = await readLedger(db, now)
  t.strictSame(ledger.lost, [], 'every due time is accounted for')
  t.strictSame(ledger.doubled, [])
  const stored = new Set((await db.select((k) => k.selectFrom('results').select('id'))).map(({ id }) => id))
  const accepted = [...proxy.acknowledged].filter(([, counts]) => counts['accepted'] ?? counts['duplicate'])
  t.strictSame(
    accepted.filter(([id]) => !stored.has(id)),
    [],
    'every result that was acknowledged is there',
  )
  const checks = new Set((await db.select((k) => k.selectFrom('checks').select('id'))).map(({ id }) => id))
  t.strictSame(
    created.filter((id) => !checks.has(id)),
    [],
    'and so is every check',
  )
  t.comment(
    `${created.length} checks, ${ledger.due} due times: ${ledger.results} results, ${ledger.missed} missed runs ${JSON.stringify(ledger.missedByReason)}; answers ${JSON.stringify([...answers])}`,
  )
})
