import type { AssertionOutcome } from '../../protocol/assertion.ts'
import type { AssertionItem } from '../assertions/evaluate.ts'
import { type Body, isBody, type JsonOrigin } from '../assertions/material.ts'
import type { ReportTexts } from '../scrub/scrub-report.ts'

/** What another process can do for a run. */
export type JudgingTask =
  | { kind: 'assertions'; items: readonly AssertionItem[] }
  | { kind: 'scrub'; secrets: readonly string[]; report: ReportTexts }

/** What it says, as soon as it knows it: the outcome at an index of `items`, or the report; then that it is ready. */
export type JudgingAnswer =
  | { kind: 'outcome'; index: number; outcome: AssertionOutcome }
  | { kind: 'report'; report: ReportTexts }
  | { kind: 'ready' }

/** A task on its way: JSON, in which each body is only named, and the bytes of the bodies, one after the other. */
export type PackedTask = { json: Uint8Array; bodies: readonly Uint8Array[] }

type BodyName = { body: number }
type PackedJson = JudgingTask & { bodies: (Omit<Body, 'bytes'> & { length: number })[] }

/** Bodies go as they are, each once, however many assertions look at it. */
export const packTask = (task: JudgingTask): PackedTask => {
  const bodies: Body[] = []
  const name = (origin: string | JsonOrigin): unknown => {
    if (!isBody(origin)) return origin
    if (!bodies.includes(origin)) bodies.push(origin)
    return { body: bodies.indexOf(origin) } satisfies BodyName
  }
  const named = task.kind === 'scrub' ? task : { ...task, items: task.items.map((item) => from(item, name)) }
  const facts = bodies.map(({ bytes, ...rest }) => ({ ...rest, length: bytes.length }))
  return {
    json: Buffer.from(JSON.stringify({ ...named, bodies: facts })),
    bodies: bodies.map(({ bytes }) => bytes),
  }
}

/** The task as it was. `bytes`: of all bodies. */
export const unpackTask = (json: Buffer, bytes: Buffer): JudgingTask => {
  const { bodies, ...task } = JSON.parse(json.toString()) as PackedJson
  if (task.kind === 'scrub') return task
  let at = 0
  const whole = bodies.map(({ length, ...rest }): Body => {
    at += length
    return { ...rest, bytes: bytes.subarray(at - length, at) }
  })
  const find = (origin: unknown): unknown =>
    typeof origin === 'object' && origin !== null && 'body' in origin ? whole[origin.body as number] : origin
  return { ...task, items: task.items.map((item) => from(item, find)) }
}

/** The item with its text or document from elsewhere. */
const from = (item: AssertionItem, origin: (origin: string | JsonOrigin) => unknown): AssertionItem => {
  const { material } = item
  if (material === null || material.kind === 'value') return item
  return {
    ...item,
    material: (material.kind === 'text'
      ? { ...material, text: origin(material.text) }
      : { ...material, document: origin(material.document) }) as typeof material,
  }
}
