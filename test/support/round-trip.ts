/** A resource that is made, read and sent back. */
import type { World } from './world.ts'

export type RoundTrip = {
  name: string
  /** Makes one, and says where it is read. */
  make(world: World): Promise<string>
  /** Where what was read is sent back, when that is not where it is read. */
  writes?: (address: string) => Array<readonly [method: string, address: string]>
}

export type Body = Record<string, unknown>

export const created = async (world: World, path: string, body: unknown): Promise<Body> => {
  const answer = await world.call('POST', path, body)
  if (answer.status >= 300)
    throw new Error(`POST ${path} ${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
  return answer.body
}

export const madeAt = (path: string, bodyOf: (world: World) => unknown): RoundTrip['make'] => {
  return async (world) => `${path}/${(await created(world, path, await bodyOf(world))).id}`
}

export const both = (
  name: string,
  {
    path,
    least,
    most,
    ...rest
  }: { path: string; least: (world: World) => unknown; most: (world: World) => unknown } & Pick<
    RoundTrip,
    'writes'
  >,
): RoundTrip[] => [
  { name: `${name}, the least`, make: madeAt(path, least), ...rest },
  { name: `${name}, every field`, make: madeAt(path, most), ...rest },
]

export const putAndPatch = (address: string): Array<readonly [method: string, address: string]> => [
  ['PUT', address],
  ['PATCH', address],
]
