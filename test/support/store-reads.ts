/** Everything that can be read of an account: each GET route once, and the lists of what one page does not hold. */
import { type Declaration, isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { routes } from '../../control-plane/routes.ts'
import type { Answer } from './app.ts'
import type { AnsweredRead } from './store-fixture.ts'
import type { World } from './world.ts'

/** What the program alone says, files beside the store, and an address whose reading is a ping. */
const elsewhere =
  /^\/((openapi|swagger)\.json|v1\/(runtimes.*|locations|analytics\/metrics|accounts\/.*\/entitlements)|accounts\/.*\/metrics|ping\/.*|check(s|-groups)\/:\w+\/trigger\/.*|.*\/assets\/:\w+|results\/:token\/.*|result-files\/.*|status\/:url\/events|trace-viewer\/.*|docs.*)?$/

/** What leads to another address looks nothing up. */
const reads = routes.filter(
  ({ method, path, access, status }) =>
    method === 'GET' && status !== 303 && !isForPrograms(access) && !elsewhere.test(path),
)

type Read = Pick<AnsweredRead, 'path' | 'withKey'>

export const answersOf = async (world: World): Promise<AnsweredRead[]> => {
  const addresses: Read[] = []
  for (const route of reads)
    addresses.push({ path: await addressOf(world, route), withKey: route.access !== 'PUBLIC' })
  const answers: AnsweredRead[] = []
  for (const read of [...addresses, ...(await longLists(world))])
    answers.push({
      ...read,
      ...shortOf(await world.plane.call('GET', read.path, keyFor(world.ownerKey, read))),
    })
  const bad = answers.filter(({ status }) => status !== 200)
  if (bad.length > 0)
    throw new Error(`Not every read succeeds:\n${bad.map((one) => JSON.stringify(one)).join('\n')}`)
  return answers
}

export const keyFor = (key: string, { withKey }: Read): { key: string | null } => ({
  key: withKey ? key : null,
})

export const shortOf = ({
  status,
  headers,
  body,
}: Answer): Pick<AnsweredRead, 'status' | 'type' | 'body'> => ({
  status,
  type: headers.get('content-type') ?? '',
  body: body ?? null,
})

const addressOf = async (world: World, route: Declaration): Promise<string> => {
  const query = Object.entries(route.example?.query ?? {}).map(([name, value]): [string, string] => [
    name,
    String(value),
  ])
  const address = await world.address(route)
  return query.length === 0 ? address : `${address}?${new URLSearchParams(query)}`
}

const longLists = async (world: World): Promise<Read[]> => {
  const path = '/v1/checks?limit=100'
  const checks: { id: string }[] = (await world.call('GET', path)).body
  const all = [
    path,
    '/v1/check-groups?limit=100',
    '/v1/check-alerts?limit=100',
    '/v1/missed-runs?limit=100',
    '/v1/private-locations?versions=true',
    '/v1/accounts/me/members',
    ...checks.map(({ id }) => `/v2/check-results/${id}?limit=100&resultType=ALL`),
    ...checks.map(({ id }) => `/v1/checks/${id}?includeDependencies=true&applyGroupSettings=true`),
  ]
  return all.map((each) => ({ path: each, withKey: true }))
}
