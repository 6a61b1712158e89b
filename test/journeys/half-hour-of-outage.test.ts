// Runs in test:all only: half an hour of due times is run by real agents.
// Runs on both engines in test:all: on PostgreSQL two control planes come back to the same due times.
// Runs in a process of its own: time goes by in it as the test says.
/**
 * The control plane is away for half an hour: three agents of a private location and two of a public one, which serves two accounts, go on. One
 * agent of each goes for good, one starts anew. Every due time, each ten seconds of two checks and each minute of the others, is worked out from outside
 * and looked for. The same by a clock that nobody moves, with thousands of checks: outage-of-thousands.test.ts.
 */
import { insertLocationKey } from '../../control-plane/monitoring/locations/queries.ts'
import { keyHash } from '../../control-plane/platform/web/http/auth/auth.ts'
import { allResults } from '../support/all-results.ts'
import { urlMonitor } from '../support/api.ts'
import { eachDatabase } from '../support/databases.ts'
import { isSettled, readLedger } from '../support/ledger.ts'
import { movedWorld } from '../support/moved-world.ts'
import { sumOf } from '../support/nothing-lost.ts'
import { httpServer } from '../support/servers.ts'
import { temporaryFolder } from '../support/test-agent.ts'

const minuteMs = 60_000
const eachMinute = { frequency: 1 }
const publicLocation = 'eu-west-1'
const publicKey = `pl_${'7'.repeat(32)}`

eachDatabase('every due time of half an hour ends once, in public locations too', async (t, db) => {
  const world = await movedWorld(t, { db, planes: db.engine.name === 'postgres' ? 2 : 1 })
  const { clock, pass, passUntil } = world
  const first = world.first()
  let hits = 0
  let awayAt = Number.POSITIVE_INFINITY
  const target = await httpServer(t, async ({ url }, response) => {
    hits += 1
    await world.answerAfter(20 + ((hits * 37) % 400))
    const minutes = (clock.now() - awayAt) / minuteMs
    response.statusCode = url === '/broken' && minutes > 12 ? 500 : 200
    response.end('ok')
  })
  await first.app.db.run(insertLocationKey, {
    id: first.app.newId(),
    locationId: publicLocation,
    accountId: null,
    hash: keyHash(publicKey),
    masked: '...tion',
    now: clock.now(),
  })
  const other = await first.addKey()
  const add = async (name: string, key: string, where: object): Promise<string> => {
    const monitor = { ...urlMonitor(name, `${target.origin}/${name}`), privateLocations: [], ...where }
    const { status, body, text } = await first.call('POST', '/v1/checks/url', { key, body: monitor })
    t.equal(status, 201, text)
    return body.id
  }
  const checks: { id: string; key: string; isPublic: boolean }[] = []
  for (let index = 0; index < 4; index += 1) {
    const [key, own] = [first.apiKey, { privateLocations: ['local'], ...(index === 0 ? {} : eachMinute) }]
    checks.push({ id: await add(`own-${index}`, key, own), key, isPublic: false })
  }
  for (const [key, name, often] of [
    [first.apiKey, 'here', {}],
    [other.apiKey, 'there', eachMinute],
    [other.apiKey, 'broken', eachMinute],
  ] as const)
    checks.push({
      id: await add(name, key, { locations: [publicLocation], ...often }),
      key,
      isPublic: true,
    })

  const spools = [0, 1, 2, 3, 4].map(() => temporaryFolder(t))
  const startAgent = (index: number) =>
    world.startAgent(index, index > 2 ? publicKey : first.agentKey, spools[index] as string)
  const agents = await Promise.all([0, 1, 2, 3, 4].map(startAgent))
  await passUntil('the orders', () => agents.every(({ agent }) => agent.levels().standingOrders > 0))
  await pass(70_000)

  world.goAway()
  awayAt = clock.now()
  await pass(10 * minuteMs)
  t.ok(
    agents.every(({ agent }) => agent.levels().alone === 1),
    'agents of both locations are alone',
  )
  for (const index of [0, 3]) await world.stopAgent(agents[index] as (typeof agents)[number])
  await pass(5 * minuteMs)
  await world.stopAgent(agents[1] as (typeof agents)[number])
  const again = await startAgent(1)
  await pass(15 * minuteMs)

  await world.comeBack()
  world.connect()
  const backAt = clock.now()
  const left = [again, agents[2], agents[4]]
  await passUntil('what agents had', () =>
    left.every((one) => one?.agent.levels().alone === 0 && one.agent.levels().lateReports === 0),
  )
  await passUntil('what is known of the outage', async () => {
    const [deferred] = await db.select((k) => k.selectFrom('deferred_judgements').select('check_id').limit(1))
    return deferred === undefined && (await isSettled(db, backAt))
  })
  await pass(minuteMs)

  const ledger = await readLedger(db, backAt)
  t.comment(sumOf(ledger))
  t.strictSame(ledger.lost, [], 'every due time is accounted for')
  t.strictSame(ledger.doubled, [], 'and none twice')
  t.strictSame(ledger.unexpected, [])
  t.ok(ledger.due >= checks.length * 31 + 2 * 5 * 31, `${ledger.due} due times`)

  const back = world.first()
  const finals = (await allResults(db)).filter(
    ({ result_type, due_at }) => result_type === 'FINAL' && due_at > awayAt + minuteMs && due_at <= backAt,
  )
  for (const { id, key, isPublic } of checks) {
    const own = finals.filter(({ check_id }) => check_id === id)
    t.ok(own.length >= 27, `${own.length} of 29 minutes were run`)
    t.ok(own.every(({ location }) => location === (isPublic ? publicLocation : 'local')))
    const answer = await back.call('GET', `/v2/check-results/${id}?limit=100`, { key })
    t.equal(answer.status, 200)
    t.ok(
      answer.body.entries.filter(({ arrivedLate }: { arrivedLate: boolean }) => arrivedLate).length >= 27,
      'its account reads what arrived late',
    )
  }
  const broken = finals.filter(({ check_id, has_failures }) => has_failures && check_id === checks.at(-1)?.id)
  t.ok(broken.length >= 16, `${broken.length} failures in its own slots`)
  const [state] = await db.select((k) =>
    k
      .selectFrom('alert_states')
      .select('doc')
      .where('check_id', '=', checks.at(-1)?.id as string),
  )
  const { failingSince } = JSON.parse(state?.doc ?? '{}').state
  t.ok(
    failingSince > awayAt + 12 * minuteMs && failingSince < awayAt + 14 * minuteMs,
    `failing since minute ${(failingSince - awayAt) / minuteMs}`,
  )
})
