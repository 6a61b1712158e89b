/** What is there: the keys of the project, and the resources of the kinds that are asked for. */
import { createHash } from 'node:crypto'
import { createSemaphore, withPermit } from '../../protocol/semaphore.ts'
import type { Client } from '../client.ts'
import type { Files, Resource } from '../files/read-files.ts'
import { CommandError, type Io } from '../io.ts'
import { idOf, isObject, type Json, type KindName, kinds } from '../kinds.ts'

export type Key = {
  kind: KindName
  key: string
  id: string | null
  isSame: boolean | null
  resourceUpdatedAt: string | null
  begunAt: string
}

export type ServerState = {
  /** By `kind.key`. */
  keys: Map<string, Key>
  /** By kind, then by id. */
  shown: Map<KindName, Map<string, Json>>
  /** `kind id` of what keys of any project have made. */
  owned: Set<string>
}

const atOnce = 6

export const keysOf = async (
  client: Client,
  { project, resources }: Files,
): Promise<Omit<ServerState, 'shown'>> => {
  const digests = resources.map((resource) => ({
    kind: resource.kind,
    key: resource.key,
    digest: digestOf(resource),
  }))
  const { body } = await client.post(`/v1/code/${project}/comparisons`, { digests }, { again: true })
  const keys = (body.keys as Key[]).map((key) => [`${key.kind}.${key.key}`, key] as const)
  const elsewhere = (body.elsewhere as { kind: string; id: string }[]).map(({ kind, id }) => `${kind} ${id}`)
  const here = (body.keys as Key[]).map(({ kind, id }) => `${kind} ${id}`)
  return { keys: new Map(keys), owned: new Set([...elsewhere, ...here]) }
}

/** Of what the file says, whatever the order of its fields. */
export const digestOf = ({ body }: Pick<Resource, 'body'>): string =>
  createHash('sha256')
    .update(JSON.stringify(sorted(body)))
    .digest('hex')

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((name) => [name, sorted(value[name])]),
  )
}

export const readShown = async (
  io: Io,
  client: Client,
  names: readonly KindName[],
): Promise<ServerState['shown']> => {
  const room = createSemaphore({ total: atOnce })
  const get = (path: string) => withPermit(room, () => client.get(path))
  const lists = names.map(async (kind) => {
    const all = await readList({ get }, kind)
    if (all.length >= 500) io.progress(`read ${all.length} ${kinds[kind].section}`)
    return [kind, new Map(all.map((shown) => [idOf(kind, shown), shown]))] as const
  })
  return new Map(await Promise.all(lists))
}

const readList = async ({ get }: Pick<Client, 'get'>, kind: KindName): Promise<Json[]> => {
  const { path, list } = kinds[kind]
  if (list === 'whole') return (await get(path)).body
  if (list === 'cursor') return readByCursor({ get }, path)
  const first = await get(`${path}?limit=100&page=1`)
  const total = Number(/\/(\d+)$/.exec(first.headers.get('content-range') ?? '')?.[1])
  if (Number.isNaN(total)) throw new CommandError([`${path} does not say how many there are`])
  const others = Array.from({ length: Math.max(0, Math.ceil(total / 100) - 1) }, (_, at) =>
    get(`${path}?limit=100&page=${at + 2}`),
  )
  return [first, ...(await Promise.all(others))].flatMap(({ body }) => body as Json[])
}

const readByCursor = async ({ get }: Pick<Client, 'get'>, path: string): Promise<Json[]> => {
  const all: Json[] = []
  for (let next: string | null = ''; next !== null; ) {
    const { body } = await get(`${path}?limit=100${next === '' ? '' : `&nextId=${encodeURIComponent(next)}`}`)
    all.push(...(body.entries as Json[]))
    next = body.nextId ?? null
  }
  return all
}
