/** Rules about fields, asked of the API: what is taken is stored and shown again, what is not is a 400 that names it. */
import type { Test } from 'tap'
import type { Answer, TestApp } from './app.ts'
import type { RuleTest } from './contract-rules.ts'

export type Resource = {
  /** `POST` here creates one; an update's rules are those of the creation unless a test says otherwise. */
  create: string
  /** `GET` of this and the id reads it; the address of the creation unless told otherwise. */
  read?: string
  /** The least that creates one. */
  minimum(plane: TestApp): Promise<Body> | Body
}
export type Body = Record<string, unknown>

export type FieldRule = {
  /** Accepted, and shown again as they were sent. */
  valid?: readonly unknown[]
  /** Refused, with `<path> <rule>` among the violations; the path is that of the field where only a rule is given. */
  invalid?: ReadonlyArray<readonly [unknown, string]>
  /** What is shown when it is left out. */
  byDefault?: unknown
  /** Other fields that go with it. */
  beside?: Body
}

/** `path` of a field may lead into objects: `request.method`. */
export const field =
  (resource: Resource, path: string, rule: FieldRule): RuleTest =>
  async (t, plane) => {
    const base = async () => ({ ...structuredClone(await resource.minimum(plane)), ...rule.beside })
    if ('byDefault' in rule) {
      const shown = await readBack(t, plane, resource, without(await base(), path))
      t.strictSame(valueAt(shown, path), rule.byDefault, 'left out, it has its default')
    }
    for (const value of rule.valid ?? []) {
      const shown = await readBack(t, plane, resource, withValue(await base(), path, value))
      t.strictSame(likeness(valueAt(shown, path), value), value, `${short(value)} is stored and shown`)
    }
    for (const [value, expected] of rule.invalid ?? [])
      await refused(t, plane, {
        path: resource.create,
        body: withValue(await base(), path, value),
        expected: expected.includes(' ') ? expected : `${path} ${expected}`,
      })
  }

/** Creation without the field is refused. */
export const required =
  (resource: Resource, path: string): RuleTest =>
  async (t, plane) =>
    refused(t, plane, {
      path: resource.create,
      body: without({ ...(await resource.minimum(plane)) }, path),
      expected: `${path} required`,
    })

/** A field that only answers have: a request may have it, so that what was read can be sent back, and nobody obeys it. */
export const responseOnly =
  (resource: Resource, path: string, value: unknown): RuleTest =>
  async (t, plane) => {
    const body = withValue(structuredClone(await resource.minimum(plane)), path, value)
    const shown = await readBack(t, plane, resource, body)
    t.notSame(valueAt(shown, path), value, `${path} is the service's`)
  }

/** A field that this resource does not have. */
export const notTaken =
  (resource: Resource, path: string, value: unknown): RuleTest =>
  async (t, plane) =>
    refused(t, plane, {
      path: resource.create,
      body: withValue(structuredClone(await resource.minimum(plane)), path, value),
      expected: `${path} additionalProperties`,
    })

type Refusal = { path: string; body?: unknown; method?: string; expected: string }

export const refused = async (
  t: Test,
  { call }: TestApp,
  { path, body, method = 'POST', expected }: Refusal,
): Promise<void> => {
  const answer = await call(method, path, body === undefined ? {} : { body })
  const violations: Array<{ path: string; rule: string }> = answer.body?.attributes?.violations ?? []
  const broken = violations.map((violation) => `${violation.path} ${violation.rule}`)
  t.ok(answer.status === 400 && broken.includes(expected), `400 with "${expected}"`, {
    status: answer.status,
    broken,
    answer: answer.text.slice(0, 500),
  })
}

/** Creates one and reads it. */
export const readBack = async (
  t: Test,
  plane: TestApp,
  { create, read = create }: Resource,
  body: Body,
): Promise<Answer['body']> => {
  const created = await plane.call('POST', create, { body })
  t.ok(created.status < 300, `it is created: ${created.status}`, { answer: created.text.slice(0, 500) })
  const answer = await plane.call('GET', `${read}/${created.body.id}`)
  t.equal(answer.status, 200)
  return answer.body
}

export const createOne = async (t: Test, plane: TestApp, resource: Resource, more: Body = {}) =>
  readBack(t, plane, resource, { ...(await resource.minimum(plane)), ...more })

const valueAt = (whole: unknown, path: string): unknown =>
  path.split('.').reduce((value: unknown, name) => (value as Body | undefined)?.[name], whole)

export const withValue = (whole: Body, path: string, value: unknown): Body => {
  const [name = '', ...rest] = path.split('.')
  const inner = rest.length === 0 ? value : withValue((whole[name] as Body) ?? {}, rest.join('.'), value)
  return { ...whole, [name]: inner }
}

const without = (whole: Body, path: string): Body => {
  const [name = '', ...rest] = path.split('.')
  const { [name]: inner, ...others } = whole
  if (rest.length === 0) return others
  return inner === undefined ? others : { ...others, [name]: without(inner as Body, rest.join('.')) }
}

/** The parts of what is shown that were sent: what the service adds to an object is another rule's. */
const likeness = (shown: unknown, sent: unknown): unknown => {
  if (Array.isArray(sent))
    return Array.isArray(shown) && shown.length === sent.length
      ? sent.map((item, position) => likeness(shown[position], item))
      : shown
  if (typeof sent !== 'object' || sent === null || typeof shown !== 'object' || shown === null) return shown
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, likeness((shown as Body)[name], value)]),
  )
}

const short = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}
