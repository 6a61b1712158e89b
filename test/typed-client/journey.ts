/**
 * What somebody writes who has nothing but /openapi.json: `watchpost-api` stands for the types that
 * client.test.ts generates from the served document, so this file compiles only as long as the document is right.
 */
import type { Client } from 'openapi-fetch'
import type { components, paths } from 'watchpost-api'

type Group = components['schemas']['CheckGroup']
type UrlMonitor = components['schemas']['UrlMonitor']
type Results = paths['/v2/check-results/{checkId}']['get']['responses'][200]['content']['application/json']
type Result = Pick<Results['entries'][number], 'checkId' | 'resultType' | 'hasFailures' | 'runLocation'>

export type Steps = {
  group: Group
  check: UrlMonitor
  first: Result
  changed: UrlMonitor
  listed: string[]
  /** Status of reading each after it was deleted. */
  gone: number[]
}

/** `run` lets an agent execute what is due. */
export const journey = async (client: Client<paths>, run: () => Promise<unknown>): Promise<Steps> => {
  const group = ok(
    await client.POST('/v1/check-groups', { body: { name: 'Shop', tags: ['shop'], concurrency: 2 } }),
  )
  const check = ok(
    await client.POST('/v1/checks/url', {
      body: {
        name: 'Cart',
        groupId: group.id,
        privateLocations: ['local'],
        request: {
          url: 'https://shop.example/cart',
          assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }],
        },
      },
    }),
  )
  await run()
  const results = ok(
    await client.GET('/v2/check-results/{checkId}', {
      params: { path: { checkId: check.id }, query: { limit: 5, hasFailures: false } },
    }),
  )
  const [first] = results.entries
  if (!first) throw new Error('There is no result')

  const path = { id: check.id }
  const changed = ok(
    await client.PUT('/v1/checks/url/{id}', { params: { path }, body: { name: 'Basket', muted: true } }),
  )
  const list = ok(await client.GET('/v1/checks', { params: { query: { search: 'bask', limit: 100 } } }))

  const inGroup = { params: { path: { id: group.id } } }
  const refused = await client.DELETE('/v1/check-groups/{id}', inGroup)
  if (refused.response.status !== 409) throw new Error('A group that holds a check could be deleted')
  ok(await client.DELETE('/v1/checks/{id}', { params: { path } }))
  ok(await client.DELETE('/v1/check-groups/{id}', inGroup))
  const gone = [
    (await client.GET('/v1/checks/{id}', { params: { path } })).response.status,
    (await client.GET('/v1/check-groups/{id}', inGroup)).response.status,
  ]
  return { group, check, first, changed, listed: list.map(({ name }) => name), gone }
}

const ok = <T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T => {
  if (!response.ok) throw new Error(`${response.url}: ${response.status} ${JSON.stringify(error)}`)
  return data as T
}
