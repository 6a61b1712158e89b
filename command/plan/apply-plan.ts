/** Makes what a plan says: what others need first, many at a time, and what is to go at the end. */
import { createSemaphore, withPermit } from '../../protocol/semaphore.ts'
import type { Client, Violation } from '../client.ts'
import { referencesOf } from '../files/read-files.ts'
import type { Io } from '../io.ts'
import { type Json, kindNames } from '../kinds.ts'
import { depths, type Plan, type Step } from './make-plan.ts'
import { resolved } from './references.ts'
import { digestOf } from './server-state.ts'

export type Applied = { done: Step[]; failed: { step: Step; message: string }[]; warnings: string[] }

/** Of a step: first its key, then what stands in the way of it, then what it is. */
type Task = { step: Step; does: 'adopt' | 'forget' | 'clear' | 'write' | 'delete' }
type Change = Task & { change: Json; bytes: number }
type Result = {
  id: string | null
  warnings: string[]
  error: { statusCode: number; message: string; attributes: { violations?: Violation[] } } | null
}

const batchOf = 100
const batchBytes = 4 * 1024 * 1024
const atOnce = 3

export const applyPlan = async (io: Io, client: Client, plan: Plan): Promise<Applied> => {
  const applied: Applied = { done: [], failed: [], warnings: [] }
  const steps = plan.steps.filter(({ action }) => action !== 'none')
  let last = io.now()
  const tell = () => {
    if (io.now() - last < 1000) return
    last = io.now()
    io.progress(
      `${applied.done.length} of ${steps.length} done${applied.failed.length > 0 ? `, ${applied.failed.length} failed` : ''}`,
    )
  }
  for (const layer of layersOf(plan, steps)) {
    const room = createSemaphore({ total: atOnce })
    const possible = layer.filter((task) => {
      const missing = missingFor(task, plan)
      if (missing !== null)
        applied.failed.push({ step: task.step, message: `needs ${missing}, which is not there` })
      return missing === null
    })
    const changes = possible.map((task) => changeOf(task, plan))
    const batches = inBatches(changes).map((batch) =>
      withPermit(room, async () => {
        await send(client, plan, { batch, applied })
        tell()
      }),
    )
    await Promise.all(batches)
  }
  return applied
}

/** Keys that are to go or to come, then what is replaced, what others need, what needs it, and what is deleted. */
const layersOf = ({ steps: all }: Plan, steps: readonly Step[]): Task[][] => {
  const depth = depths(all.flatMap(({ resource }) => resource ?? []))
  const written = steps.filter(({ action }) => action !== 'delete')
  const depthOf = ({ kind, key }: Step): number => depth.get(`${kind}.${key}`) ?? 0
  const deepest = Math.max(0, ...written.map(depthOf))
  const keys = steps.flatMap((step): Task[] => (step.keyed === 'yes' ? [] : [{ step, does: step.keyed }]))
  const replaced = steps.filter(({ action }) => action === 'replace')
  const deleted = steps.filter(({ action, keyed }) => action === 'delete' && keyed === 'yes')
  const layers: Task[][] = [
    keys,
    replaced.map((step) => ({ step, does: 'clear' })),
    ...Array.from({ length: deepest + 1 }, (_, at) =>
      written.filter((step) => depthOf(step) === at).map((step): Task => ({ step, does: 'write' })),
    ),
    ...kindNames
      .toReversed()
      .map((kind) =>
        deleted.filter((step) => step.kind === kind).map((step): Task => ({ step, does: 'delete' })),
      ),
  ]
  return layers.filter(({ length }) => length > 0)
}

/** Without it a check would be made all the same, in no group. */
const missingFor = ({ step, does }: Task, { ids }: Plan): string | null => {
  const needed = does === 'write' ? referencesOf(step.body).map(({ kind, key }) => `${kind}.${key}`) : []
  return needed.find((name) => !ids.has(name)) ?? null
}

const changeOf = (task: Task, plan: Plan): Change => {
  const change = changeThat(task, plan)
  return { ...task, change, bytes: JSON.stringify(change).length }
}

const changeThat = ({ step, does }: Task, plan: Plan): Json => {
  const { kind, key, id } = step
  if (does === 'forget') return { action: 'forget', kind, key }
  if (does === 'adopt') return { action: 'adopt', kind, key, id }
  return does === 'write' ? writtenChange(step, plan) : { action: 'delete', kind, key, id }
}

const writtenChange = (step: Step, { ids, bodies }: Plan): Json => {
  const { kind, key, id, resource } = step
  const body = resolved(step.body, { ids, bodies }) as Json
  const digest = resource === null ? '' : digestOf(resource)
  return step.action === 'update'
    ? { action: 'update', kind, key, id, digest, body }
    : { action: 'create', kind, key, digest, body }
}

const inBatches = (changes: readonly Change[]): Change[][] => {
  const batches: Change[][] = []
  let bytes = 0
  for (const change of changes) {
    const current = batches.at(-1)
    if (current === undefined || current.length >= batchOf || bytes + change.bytes > batchBytes) {
      batches.push([change])
      bytes = change.bytes
    } else {
      current.push(change)
      bytes += change.bytes
    }
  }
  return batches
}

type Sent = { batch: readonly Change[]; applied: Applied }

const send = async (client: Client, { project, ids }: Plan, { batch, applied }: Sent): Promise<void> => {
  const { body } = await client.post(`/v1/code/${project}/changes`, {
    changes: batch.map(({ change }) => change),
  })
  const results = body.results as Result[]
  for (const [at, { step, does }] of batch.entries()) {
    const result = results[at]
    const problem =
      result === undefined ? 'the control plane stopped before it came to it' : messageOf(result.error)
    if (problem !== null) applied.failed.push({ step, message: problem })
    else noteDone({ step, does }, { result: result as Result, ids, applied })
  }
}

type Noted = { result: Result; ids: Map<string, string>; applied: Applied }

const noteDone = ({ step, does }: Task, { result, ids, applied }: Noted): void => {
  const name = `${step.kind}.${step.key}`
  if (does === 'clear' || does === 'delete') ids.delete(name)
  else if (result.id !== null) ids.set(name, result.id)
  applied.warnings.push(...result.warnings.map((warning) => `${name}: ${warning}`))
  if (does === 'write' || step.action === 'delete') applied.done.push(step)
}

const messageOf = (error: Result['error']): string | null =>
  error === null
    ? null
    : (error.attributes.violations?.map((violation) => violation.message).join('; ') ?? error.message)
