// Runs in test:all only: it sends thousands of requests.
/** Who may call what follows from each route's `access`, for every route there is: this test knows none by name. */
import t, { type Test } from 'tap'
import { type Declaration, isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { type Role, roles } from '../../control-plane/platform/words/shapes/roles.ts'
import { routes } from '../../control-plane/routes.ts'
import type { Answer } from '../support/app.ts'
import { type DocumentCheck, documentCheck } from '../support/contract-document.ts'
import { addPerson } from '../support/members.ts'
import { callRoute, testWorld, type World } from '../support/world.ts'

type Stage = {
  world: World
  check: DocumentCheck
  keys: Record<Role, string>
  /** An owner of another account. */
  stranger: string
  statuses: Map<string, number>
}

const stage = async (t: Test, engine: 'sqlite' | 'postgres'): Promise<Stage> => {
  const world = await testWorld(t, { engine })
  const { plane } = world
  const keys = {} as Stage['keys']
  for (const role of roles) {
    const person = await addPerson(plane, { email: `${role.toLowerCase()}@example.com`, role })
    keys[role] = person.apiKey
  }
  // What belongs to one person was made by this one.
  keys.OWNER = world.ownerKey
  const { accountId } = await plane.addKey()
  const stranger = await addPerson(plane, { email: 'stranger@example.com', role: 'OWNER', accountId })
  return { world, check: await documentCheck(plane), keys, stranger: stranger.apiKey, statuses: new Map() }
}

const name = ({ method, path }: Declaration): string => `${method} ${path}`
const hasId = ({ path }: Declaration): boolean => path.includes('/:')
const isAccounts = ({ access }: Declaration): boolean => access !== 'PUBLIC' && !isForPrograms(access)
/** Streams of events do not end by themselves, and who runs checks by an address waits for an agent by a clock that stands still here. */
const answering = routes.filter(
  ({ responseType, path }) => responseType !== 'text/event-stream' && !path.includes('/trigger/:'),
)

const rank = (access: Declaration['access']): number => roles.indexOf(access as Role)
/** Nobody's, or the same word for what each account has of its own: projects of files. */
const shared = /^\/v1\/(runtimes|code|test-session-error-groups\/projects)\//

/** What the world cannot make succeed: a group that holds a check, a token that only its receiver has,
 * what is not there, a plan that was committed before. */
const hopeless = new Set([
  'DELETE /v1/check-groups/:id',
  'POST /v1/invites/join',
  'POST /next/checkly-storage/upload',
  'DELETE /next/projects/imports/:importId',
])

/** What is not there is deleted already, and so is what others have. */
const deletedAlready = new Set(['DELETE /v1/projects/:logicalId', 'DELETE /next/projects/:logicalId'])

type Caller = { key: string | null; headers?: Record<string, string> }

/** Calls as somebody; what the answer breaks is a failure of the test. */
const as = async (t: Test, { world, check, statuses }: Stage, route: Declaration, caller: Caller) => {
  const answer = await callRoute(world, route, { address: await world.address(route), ...caller })
  statuses.set(String(answer.status), (statuses.get(String(answer.status)) ?? 0) + 1)
  const problems = check.problems(route, answer)
  if (problems.length > 0) t.fail(`${name(route)} answers as documented`, { problems })
  return answer
}

const refusals = async (t: Test, on: Stage, route: Declaration): Promise<void> => {
  const { world, keys, stranger } = on
  const status = async (key: string | null) => (await as(t, on, route, { key })).status
  if (route.access === 'PUBLIC') return
  t.equal(await status(null), 401, `${name(route)} without a key`)
  t.equal(await status(`wp_${'0'.repeat(43)}`), 401, `${name(route)} with an unknown key`)
  if (isForPrograms(route.access)) {
    t.equal(await status(`pl_${'0'.repeat(32)}`), 401, `${name(route)} with an unknown agent's key`)
    for (const role of roles) t.equal(await status(keys[role]), 401, `${name(route)} with a key of ${role}`)
    return
  }
  t.equal(await status(world.plane.agentKey), 401, `${name(route)} with an agent's key`)
  for (const role of roles.slice(0, rank(route.access)))
    t.equal(await status(keys[role]), 403, `${name(route)} as ${role}`)
  const headers = { 'x-service-account': world.plane.accountId }
  const answer = await as(t, on, route, { key: stranger, headers })
  t.equal(answer.status, 403, `${name(route)} in an account that is not the key's`)
  if (hasId(route) && !shared.test(route.path) && !deletedAlready.has(name(route)))
    t.equal(await status(stranger), 404, `${name(route)} with another account's ids`)
}

const refused = ({ status }: Answer): boolean => status === 401 || status === 403

const permissions = async (t: Test, on: Stage, route: Declaration): Promise<void> => {
  const { world, keys } = on
  if (!isAccounts(route)) {
    const answer = await as(t, on, route, { key: isForPrograms(route.access) ? world.plane.agentKey : null })
    t.notOk(refused(answer), `${name(route)} for whom it is made`)
    return
  }
  let succeeded = false
  for (const role of roles.slice(rank(route.access))) {
    const answer = await as(t, on, route, { key: keys[role] })
    succeeded ||= answer.status < 400
    t.notOk(refused(answer), `${name(route)} as ${role}: ${answer.status}`)
    if (route.method === 'GET')
      t.ok([200, 202].includes(answer.status), `${name(route)} reads what is there: ${answer.text}`)
    if (route.method === 'DELETE' && answer.status === 204) world.forget(route)
  }
  // Else the 404 for another account could be a 404 for everybody.
  if (!hopeless.has(name(route))) t.ok(succeeded, `${name(route)} succeeds for somebody`)
}

/** Reading first, deleting last and from the inside out: what is needed later is still there. */
const order = (route: Declaration): number =>
  ({ GET: 0, POST: 1, PUT: 2, PATCH: 3, DELETE: 1000 })[route.method] - route.path.split('/:').length

const walk = async (t: Test, on: Stage, chosen: readonly Declaration[]): Promise<void> => {
  await on.world.complete(chosen)
  for (const route of [...chosen].sort((a, b) => order(a) - order(b))) {
    // A minute later nobody has used up a rate limit.
    on.world.plane.advance(61_000)
    await refusals(t, on, route)
    await permissions(t, on, route)
  }
  const failures = on.world.plane.logged.filter(({ level }) => Number(level) >= 50)
  t.strictSame(failures, [], 'nothing was logged as a failure')
  t.comment(
    `${chosen.length} routes: ${[...on.statuses].map(([status, count]) => `${status} × ${count}`).join(', ')}`,
  )
}

t.test('every route lets in whom it declares and nobody else (sqlite)', async (t) =>
  walk(t, await stage(t, 'sqlite'), answering),
)

t.test('a sample of the routes on PostgreSQL', async (t) =>
  walk(
    t,
    await stage(t, 'postgres'),
    answering.filter((_, index) => index % 5 === 0),
  ),
)
