/** Answers held against the document that the service publishes: what a client that trusts /openapi.json relies on. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Declaration } from '../../control-plane/platform/web/http/route.ts'
import type { Answer, TestApp } from './app.ts'

type Content = Record<string, { schema: unknown; example?: unknown }>
export type Operation = {
  operationId: string
  summary?: string
  tags: string[]
  'x-role'?: string
  security?: Array<Record<string, string[]>>
  parameters: Array<{ name: string; in: string; example?: unknown; schema: unknown }>
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
}
export type Document = {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

export type DocumentCheck = {
  document: Document
  operation(route: Pick<Declaration, 'method' | 'path'>): Operation
  /** Why the answer is not what the document promises for this route; empty when it is. */
  problems(route: Pick<Declaration, 'method' | 'path'>, answer: Answer): string[]
}

export const documentPath = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

type ValidatorAt = (steps: readonly string[], schema: unknown) => ValidateFunction

const validatorsOf = (document: Document): ValidatorAt => {
  // As in protocol/validate.ts: both would take as long as the compiling, and that schemas are schemas is tested elsewhere.
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    code: { optimize: false },
  })
  addFormats.default(ajv)
  ajv.addSchema(document as object, 'document')
  const byReference = new Map<string, ValidateFunction>()
  // Most refusals, and many lists, have one schema in many places.
  const bySchema = new Map<string, ValidateFunction>()
  return (steps, schema) => {
    const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')))
    const reference = `document#/${pointer.join('/')}`
    const known = byReference.get(reference)
    if (known) return known
    const text = JSON.stringify(schema)
    const validate = bySchema.get(text) ?? ajv.compile({ $ref: reference })
    byReference.set(reference, validate)
    bySchema.set(text, validate)
    return validate
  }
}

/** By the document's text: each control plane of a file publishes the same one, and compiling its schemas takes longer than most tests. */
const compiled = new Map<string, ValidatorAt>()

export const documentCheck = async (plane: TestApp): Promise<DocumentCheck> => {
  const { body, text } = await plane.call('GET', '/openapi.json', { key: null })
  const document = body as Document
  const validatorAt = compiled.get(text) ?? validatorsOf(document)
  compiled.set(text, validatorAt)
  const operation = ({ method, path }: Pick<Declaration, 'method' | 'path'>): Operation => {
    const found = document.paths[documentPath(path)]?.[method.toLowerCase()]
    if (!found) throw new Error(`${method} ${path} is not in the document`)
    return found
  }
  const problems: DocumentCheck['problems'] = (route, { status, headers, text, body }) => {
    if (status >= 500) return [`${status}: a failure of ours`]
    const described = operation(route).responses[status]
    if (!described) return [`${status} is not documented: ${text.slice(0, 500)}`]
    const type = headers.get('content-type')?.split(';')[0]
    if (!described.content) return text === '' ? [] : [`${status} has a body that is not documented`]
    if (type === undefined || !described.content[type]) return [`${status} has the undocumented type ${type}`]
    if (type !== 'application/json') return []
    const at = ['paths', documentPath(route.path), route.method.toLowerCase(), 'responses', String(status)]
    const validate = validatorAt([...at, 'content', type, 'schema'], described.content[type].schema)
    if (validate(body)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message }) => `${status} body${instancePath} ${message}`,
    )
  }
  return { document, operation, problems }
}
