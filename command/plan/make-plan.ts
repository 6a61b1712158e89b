/** What has to be done so that what is there is what the files say, in the order in which it can be done. */
import type { Client } from '../client.ts'
import { type Files, type Resource, referencesOf } from '../files/read-files.ts'
import { CommandError, type Io } from '../io.ts'
import { type Json, type KindName, kindNames, kinds, nameOf } from '../kinds.ts'
import { type Difference, differences } from './compare.ts'
import { type Bodies, type Ids, resolved, standIns } from './references.ts'
import { readSchemas, type ServerSchemas } from './server-schemas.ts'
import { keysOf, readShown, type ServerState } from './server-state.ts'

export type Step = {
  action: 'create' | 'update' | 'replace' | 'delete' | 'none'
  kind: KindName
  key: string
  /** What it is called; of a check its type, too. */
  label: string
  /** Of what is there. */
  id: string | null
  /** Its key is not yet, or no longer, the key of it. */
  keyed: 'yes' | 'adopt' | 'forget'
  resource: Resource | null
  /** As the file says it with what the control plane fills in; references still stand in it. */
  body: Json
  differences: Difference[]
}

export type Plan = { project: string; steps: Step[]; ids: Map<string, string>; bodies: Bodies }

export type PlanOptions = { adopt: boolean; prune: boolean }

/** @throws CommandError naming every problem */
export const makePlan = async (io: Io, client: Client, files: Files, options: PlanOptions): Promise<Plan> => {
  const [schemas, known] = await Promise.all([readSchemas(client), keysOf(client, files)])
  const bodies = completedBodies(files, schemas)
  const wanted = kindNames.filter(
    (kind) =>
      files.resources.some((resource) => resource.kind === kind) ||
      [...known.keys.values()].some((key) => key.kind === kind),
  )
  const state = { ...known, shown: await readShown(io, client, wanted) }
  const found = files.resources.map((resource) => ({ resource, ...findOne(resource, state, options) }))
  const ids = new Map(
    found.flatMap(({ resource, id }) => (id === null ? [] : [[`${resource.kind}.${resource.key}`, id]])),
  )
  const steps = found.map((one) => stepOf(one, { state, ids, bodies }))
  return { project: files.project, steps: [...steps, ...deletions(files, state, options)], ids, bodies }
}

/** @throws CommandError with what the control plane would refuse */
export const completedBodies = ({ resources }: Files, schemas: ServerSchemas): Map<string, Json> => {
  const bodies = new Map<string, Json>()
  const problems: string[] = []
  for (const { kind, key, body, file } of resources) {
    const { body: filled, violations } = schemas.complete(kind, standIns(body) as Json)
    problems.push(...violations.map(({ message }) => `${file}: ${kinds[kind].section}.${key}: ${message}`))
    bodies.set(`${kind}.${key}`, withoutUnsaid(body, withDefaults(body, filled) as Json))
  }
  if (problems.length > 0) throw new CommandError(problems)
  return bodies
}

/** Who is told, where the file does not say it: that is up to channels that subscribe new checks by themselves, and to people. */
const withoutUnsaid = (said: Json, { alertChannelSubscriptions, ...body }: Json): Json =>
  said['alertChannelSubscriptions'] === undefined ? body : { ...body, alertChannelSubscriptions }

/** What the file says, references included, and whatever else was filled in. */
const withDefaults = (said: unknown, filled: unknown): unknown => {
  if (Array.isArray(said) && Array.isArray(filled))
    return said.map((item, at) => withDefaults(item, filled[at]))
  if (typeof said !== 'object' || said === null || typeof filled !== 'object' || filled === null) return said
  const own = Object.entries(said).map(
    ([name, value]) => [name, withDefaults(value, (filled as Json)[name])] as const,
  )
  return { ...filled, ...Object.fromEntries(own) }
}

type Found = {
  resource: Resource
  id: string | null
  keyed: Step['keyed']
  shown: Json | null
  isSame: boolean
  stamp: string | null
}

const findOne = (resource: Resource, state: ServerState, { adopt }: PlanOptions): Omit<Found, 'resource'> => {
  const { kind, key, body } = resource
  const known = state.keys.get(`${kind}.${key}`)
  const all = state.shown.get(kind) ?? new Map<string, Json>()
  const shown = known?.id == null ? null : (all.get(known.id) ?? null)
  const nothing = { isSame: false, stamp: null }
  if (known?.id != null && shown !== null)
    return {
      id: known.id,
      keyed: 'yes',
      shown,
      isSame: known.isSame === true,
      stamp: known.resourceUpdatedAt,
    }
  const begunAt = known !== undefined && known.id === null ? Date.parse(known.begunAt) : null
  const other = [...all].find(
    ([id, one]) =>
      !state.owned.has(`${kind} ${id}`) &&
      nameOf(kind, one) === nameOf(kind, body) &&
      (kind !== 'check' || one['checkType'] === body['checkType']) &&
      // What was cut off has made it; anything older only if people say so.
      (adopt || (begunAt !== null && Date.parse(String(one['created_at'])) >= begunAt)),
  )
  if (other !== undefined) return { id: other[0], keyed: 'adopt', shown: other[1], ...nothing }
  return { id: null, keyed: known === undefined ? 'yes' : 'forget', shown: null, ...nothing }
}

type With = { state: ServerState; ids: Ids; bodies: Bodies }

const stepOf = ({ resource, id, keyed, shown, isSame, stamp }: Found, { ids, bodies }: With): Step => {
  const { kind, key } = resource
  const body = bodies.get(`${kind}.${key}`) ?? {}
  const label = labelOf(kind, body)
  const step = { kind, key, label, id, keyed, resource, body }
  if (shown === null) return { ...step, action: 'create', differences: differences(resource.body, {}) }
  const all = differences(resolved(body, { ids, bodies }), shown)
  if (kind === 'check' && all.some(({ path }) => path === 'checkType'))
    return { ...step, action: 'replace', differences: all }
  const isUntouched = isSame && stamp !== null && stamp === String(shown['updated_at'] ?? shown['created_at'])
  const told = all.filter(({ path, isHidden }) =>
    // Nobody has changed it since, and it is what it was then, however the API spells it; of subscriptions others may have their say.
    isUntouched ? path.startsWith('alertChannelSubscriptions') : !(isHidden && isSame),
  )
  const isNone = told.length === 0 && keyed === 'yes' && (isSame || all.length === 0)
  return { ...step, action: isNone ? 'none' : 'update', differences: told }
}

const labelOf = (kind: KindName, body: Json): string =>
  kind === 'check' ? `${body['checkType']} "${body['name']}"` : `"${nameOf(kind, body)}"`

const deletions = (
  { resources }: Files,
  { keys, shown, owned }: ServerState,
  { prune }: PlanOptions,
): Step[] => {
  const said = new Set(resources.map(({ kind, key }) => `${kind}.${key}`))
  const gone = [...keys].filter(([name]) => !said.has(name))
  const ours = gone.map(([, { kind, key, id }]): Step => {
    const there = id === null ? undefined : shown.get(kind)?.get(id)
    const label = there === undefined ? 'is gone already' : labelOf(kind, there)
    return { ...deletion, kind, key, label, id, keyed: there === undefined ? 'forget' : 'yes' }
  })
  // Of the kinds that the files speak of: a file of checks takes no private locations with it.
  const spoken = new Set(resources.map(({ kind }) => kind))
  const others = !prune
    ? []
    : [...spoken].flatMap((kind) =>
        [...(shown.get(kind) ?? [])]
          .filter(([id]) => !owned.has(`${kind} ${id}`))
          .map(
            ([id, there]): Step => ({
              ...deletion,
              kind,
              key: `unkeyed-${id.replace(/[^\w-]/g, '_')}`,
              label: labelOf(kind, there),
              id,
              keyed: 'yes',
            }),
          ),
      )
  return [...ours, ...others]
}

const deletion = {
  action: 'delete',
  resource: null,
  body: {},
  differences: [],
} as const satisfies Partial<Step>

/** How many others have to be there first. @throws CommandError where resources refer to each other in a circle */
export const depths = (resources: readonly Resource[]): Map<string, number> => {
  const byName = new Map(resources.map((resource) => [`${resource.kind}.${resource.key}`, resource]))
  const known = new Map<string, number>()
  const depthOf = (name: string, trail: readonly string[]): number => {
    const before = known.get(name)
    if (before !== undefined) return before
    if (trail.includes(name))
      throw new CommandError([`they refer to each other: ${[...trail, name].join(' → ')}`])
    const needed = referencesOf(byName.get(name)?.body).map(({ kind, key }) => `${kind}.${key}`)
    const depth = Math.max(-1, ...needed.map((other) => depthOf(other, [...trail, name]))) + 1
    known.set(name, depth)
    return depth
  }
  for (const name of byName.keys()) depthOf(name, [])
  return known
}
