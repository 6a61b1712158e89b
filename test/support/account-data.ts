/** What an account has, as the API answers it: every text that somebody gave or a target said, without the values that schemas list. */

import { wordOf } from '../../control-plane/pages/dashboard/words.ts'
import { isForPrograms } from '../../control-plane/platform/web/http/route.ts'
import { routes } from '../../control-plane/routes.ts'
import { enumsOf, isRaw } from './enums.ts'
import { callRoute, type World } from './world.ts'

const leaves = (value: unknown): string[] => {
  if (typeof value === 'string') return [value, ...value.split('\n')]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [...(isId(key) ? [key] : []), ...leaves(inner)])
}

/** Of maps by a name that somebody gave. */
const isId = (key: string): boolean => !/^[a-zA-Z]+$/.test(key)

export const accountData = async (world: World): Promise<Set<string>> => {
  // What the world calls things that share their word with a value.
  const found = new Set<string>()
  for (const route of routes) {
    const { method, access, response, responseType } = route
    if (method !== 'GET' || response === undefined || responseType !== undefined) continue
    if (isForPrograms(access)) continue
    // Whoever reads it runs a check, and waits for its end.
    if (route.path.includes('/trigger/')) continue
    const answer = await callRoute(world, route, { address: await world.address(route), key: world.ownerKey })
    for (const text of leaves(answer.body)) found.add(text)
  }
  for (const { field, value } of enumsOf(routes))
    if (isRaw(value) || wordOf(value, field) !== value) found.delete(value)
  for (const own of ['suite', 'agent-1', 'local', 'connect', world.plane.accountId]) found.add(own)
  return found
}
