/**
 * One of each resource in an account, made through the API when a test first needs it. A route's path says what it
 * needs: the id after `/v1/snippets/` is that of a snippet, made by `POST /v1/snippets` with the example of its
 * documentation. Only what is made in another way has a line in `makers`.
 */
import { exampleOf } from '../../control-plane/platform/web/http/openapi/example-of.ts'
import type { Declaration } from '../../control-plane/platform/web/http/route.ts'
import { routes } from '../../control-plane/routes.ts'
import { type Answer, type CallOptions, type TestApp, testApp } from './app.ts'
import { addPerson } from './members.ts'
import { bodies } from './world-bodies.ts'
import { type Call, makers, uploads } from './world-makers.ts'

export type World = {
  plane: TestApp
  /** An owner, with a user of their own. */
  ownerKey: string
  call: Call
  /** The id of the thing that an id in this place names, as `/v1/snippets`; what is inside another has an address. */
  id(place: string, address?: string): Promise<string>
  /** The route's address, with ids of this account in its path. */
  address(route: Declaration): Promise<string>
  /** Makes all that the routes need now, before a test itself takes what there may be only one of. */
  complete(chosen?: readonly Declaration[]): Promise<void>
  /** Forgets what the route's last id names, and all that was made from it: it has been deleted. */
  forget(route: Declaration): void
}

export const testWorld = async (
  t: Parameters<typeof testApp>[0],
  options: Parameters<typeof testApp>[1] = {},
) => createWorld(await testApp(t, options))

export const createWorld = async (plane: TestApp): Promise<World> => {
  const { apiKey: ownerKey } = await addPerson(plane, {
    email: `owner@${plane.accountId}.example`,
    role: 'OWNER',
  })
  const made = new Map<string, Promise<string>>()
  const madeFrom = new Map<string, Set<string>>()
  const making: string[] = []

  const call: Call = (method, path, body) =>
    plane.call(method, path, { key: ownerKey, ...(body === undefined ? {} : { body }) })

  const id = async (place: string, address = place): Promise<string> => {
    const user = making.at(-1)
    if (user !== undefined) madeFrom.set(place, (madeFrom.get(place) ?? new Set()).add(user))
    const known = made.get(place)
    if (known) return known
    making.push(place)
    try {
      const value = await make(place, address)
      made.set(place, Promise.resolve(value))
      return value
    } finally {
      making.pop()
    }
  }

  const make = async (place: string, address: string): Promise<string> => {
    const maker = makers[place]
    if (maker) return maker(world, address)
    const creation = routes.find(({ method, path }) => method === 'POST' && placeOf(path) === place)
    if (!creation) throw new Error(howToAdd(place))
    const answer = await call('POST', address, await bodyFor(world, creation))
    if (answer.status >= 300 || answer.body?.id === undefined)
      throw new Error(`POST ${address} with its example: ${answer.status} ${answer.text}. ${howToAdd(place)}`)
    return String(answer.body.id)
  }

  const address = async ({ path }: Pick<Declaration, 'path'>): Promise<string> => {
    let filled = ''
    let declared = ''
    for (const segment of path.split('/').slice(1)) {
      const isParameter = segment.startsWith(':')
      filled += `/${isParameter ? encodeURIComponent(await id(placeOf(declared), filled)) : segment}`
      declared += `/${segment}`
    }
    return filled
  }

  const forgetPlace = (place: string): void => {
    if (!made.delete(place)) return
    for (const user of madeFrom.get(place) ?? []) forgetPlace(user)
  }

  const world: World = {
    plane,
    ownerKey,
    call,
    id,
    address,
    complete: async (chosen = routes) => {
      for (const route of chosen) await address(route)
    },
    forget: ({ path }) => forgetPlace(placeOf(path.slice(0, path.lastIndexOf('/:')))),
  }
  return world
}

/** One name for the twins under `/accounts/me` and `/accounts/:accountId` and for the versions of one thing. */
export const placeOf = (path: string): string =>
  path
    // Pages of version 3 are made in their own way.
    .replace(/^\/(v\d|next)\/(?!status-pages)/, '/v1/')
    .replace(/^\/v1\/accounts\/:accountId\//, '/v1/accounts/me/')
    .replace(/:\w+/g, '*')

const howToAdd = (place: string): string =>
  `The world does not know what the id after ${place} names: let POST ${place} carry an example that the service accepts, or add a line to makers in test/support/world-makers.ts.`

/** A body that the service accepts: what the documentation shows, with things of this account where it names any. */
export const bodyFor = async (
  world: World,
  { method, path, body, example }: Declaration,
): Promise<unknown> => {
  if (body === undefined) return undefined
  const own = bodies[`${method} ${path}`] ?? bodies[`${method} ${placeOf(path)}`]
  return own ? own(world) : structuredClone(example?.body ?? exampleOf(body as object))
}

/** Calls a route as its documentation shows, at an address. */
export const callRoute = async (
  world: World,
  route: Declaration,
  { address, ...options }: CallOptions & { address: string },
): Promise<Answer> => {
  const upload = uploads[`${route.method} ${placeOf(route.path)}`]?.()
  const query = new URLSearchParams(
    Object.entries(upload?.query ?? route.example?.query ?? {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  ).toString()
  const body = await bodyFor(world, route)
  return world.plane.call(route.method, query === '' ? address : `${address}?${query}`, {
    ...(body === undefined ? {} : { body }),
    ...options,
    ...(upload === undefined ? {} : sent(route, upload.bytes, options.headers)),
  })
}

const sent = (
  { upload = '' }: Declaration,
  bytes: Buffer,
  headers: Record<string, string> = {},
): CallOptions => ({
  raw: new Uint8Array(bytes),
  headers: { ...headers, 'content-type': upload },
})
