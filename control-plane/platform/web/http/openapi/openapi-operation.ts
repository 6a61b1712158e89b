/** One route as an OpenAPI operation: parameters, body, every answer it can give, and an example of each. */
import type { TSchema } from 'typebox'
import { errorBody, violation } from '../../../words/errors.ts'
import { type IgnoredName, ignoredIn } from '../../../words/shapes/drop-ignored.ts'
import { entityTag } from '../request/entity-tag.ts'
import { type Declaration, hasNoBody, isForPrograms, type ProgramKey, replicaLagHeader } from '../route.ts'
import { exampleOf } from './example-of.ts'

type Json = Record<string, unknown>
type ObjectSchema = { properties?: Record<string, Json>; required?: string[] }

/** Schemas with a title are added to `schemas`. */
export const documentOperation = (route: Declaration, schemas: Json): Json => ({
  operationId: operationId(route),
  tags: [route.tag],
  summary: route.summary,
  ...descriptionOf(route),
  ...(route.deprecated ? { deprecated: true } : {}),
  ...security(route),
  parameters: parametersOf(route, schemas),
  ...(route.body ? { requestBody: requestBody(route, route.body, schemas) } : {}),
  ...(route.upload ? { requestBody: streamedBody(route.upload) } : {}),
  responses: responsesOf(route, schemas),
})

const descriptionOf = (route: Declaration): Json => {
  const ignored = ignoredNamesOf(route)
  const parts = [route.description, ignoredSentence(ignored)].filter((part) => part !== undefined)
  return {
    ...(parts.length === 0 ? {} : { description: parts.join(' ') }),
    ...(ignored.length === 0 ? {} : { 'x-ignored': ignored.map(({ path }) => path) }),
  }
}

/** The names that the body may have and that mean nothing there. */
export const ignoredNamesOf = ({ body, ignores = [] }: Declaration): IgnoredName[] =>
  body === undefined ? [] : ignoredIn(ignores, body)

/** When each of them is ignored, for people. */
export const ignoredSentence = (names: readonly IgnoredName[]): string | undefined => {
  const listed = (wanted: IgnoredName['only']): string =>
    names
      .filter(({ only }) => only === wanted)
      .map(({ path }) => `\`${path}\``)
      .join(', ')
  const parts = [
    listed(undefined),
    whenIgnored(listed('empty'), 'if empty'),
    whenIgnored(listed('in the address'), 'as in the address'),
  ]
  const told = parts.filter((part) => part !== '')
  return told.length === 0 ? undefined : `Accepted and ignored: ${told.join('; ')}.`
}

const whenIgnored = (names: string, when: string): string => (names === '' ? '' : `${when}: ${names}`)

const operationId = ({ method, path }: Declaration): string =>
  method.toLowerCase() +
  path
    .split('/')
    .filter(Boolean)
    .map((segment) => (segment.startsWith(':') ? `By${capital(segment.slice(1))}` : capital(segment)))
    .join('')

const capital = (segment: string): string =>
  segment
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** The name of its security scheme. */
export const schemeOf = ({ name }: ProgramKey): string => `${name}Key`

const security = ({ access }: Declaration): Json => {
  if (access === 'PUBLIC') return { security: [] }
  if (isForPrograms(access)) return { security: [{ [schemeOf(access)]: [] }] }
  return { 'x-role': access }
}

const parametersOf = (route: Declaration, schemas: Json): Json[] => [
  ...fields('path', route.params, route.example?.params, schemas),
  ...fields('query', route.query, route.example?.query, schemas),
  ...Object.entries(route.requestHeaders ?? {}).map(([name, text]) => ({
    name,
    in: 'header',
    required: false,
    description: text,
    schema: { type: 'string' },
    example: name === 'if-match' ? entityTag(3) : 'text',
  })),
  ...(route.access === 'PUBLIC' || isForPrograms(route.access) ? [] : [accountHeader]),
]

const accountHeader: Json = {
  name: 'x-service-account',
  in: 'header',
  required: false,
  description: "The account's id; left out, the key's account",
  schema: { type: 'string', format: 'uuid' },
  example: '4d5a3f0e-7c1b-4e62-9f0d-5b8e21c7a910',
}

const fields = (
  source: 'path' | 'query',
  schema: TSchema | undefined,
  example: Record<string, unknown> | undefined,
  schemas: Json,
): Json[] => {
  const { properties = {}, required = [] } = (schema ?? {}) as ObjectSchema
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: source,
    required: source === 'path' || (required.includes(name) && property['default'] === undefined),
    ...(property['description'] === undefined ? {} : { description: property['description'] }),
    schema: componentOf(property, schemas),
    example: asList(property, example?.[name]) ?? exampleOf(property),
  }))
}

/** A list in a query may be written as one text. */
const asList = ({ type }: Json, example: unknown): unknown =>
  type === 'array' && typeof example === 'string' ? example.split(',') : example

const requestBody = (route: Declaration, body: TSchema, schemas: Json): Json => ({
  required: ((asSent(body) as ObjectSchema).required?.length ?? 0) > 0,
  content: {
    [route.form ? 'application/x-www-form-urlencoded' : 'application/json']: {
      schema: componentOf(asSent(body), schemas),
      example: route.example?.body ?? exampleOf(body as Json),
    },
  },
})

const streamedBody = (type: string): Json => ({
  required: true,
  content: { [type]: { schema: { type: 'string', contentMediaType: type }, example: 'bytes' } },
})

/** What has a default may be left out of a request, whatever the type that the handler sees. */
const asSent = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(asSent)
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isData(key) ? value : asSent(value)]),
  )
  const { properties, required } = schema as ObjectSchema
  if (!properties || !Array.isArray(required)) return inner
  return { ...inner, required: required.filter((name) => properties[name]?.['default'] === undefined) }
}

const responsesOf = (route: Declaration, schemas: Json): Json => {
  const { response, responseType = 'application/json' } = route
  const content = response && {
    [responseType]: {
      schema: componentOf(response as Json, schemas),
      example: route.example?.response ?? exampleOf(response as Json),
    },
    ...textsOf(route.otherTypes?.success),
  }
  const success = {
    description: 'Success',
    ...(route.mayLag ? { headers: { [replicaLagHeader]: { $ref: '#/components/headers/ReplicaLag' } } } : {}),
    ...(content ? { content } : {}),
  }
  const contentOf = (status: number): Json => {
    if (status >= 400) return errorContent(String(status), errorTypesOf(route))
    return hasNoBody(status) || !content ? {} : { content }
  }
  const others = Object.entries(errorsOf(route)).map(([status, description]) => [
    status,
    { description, ...contentOf(Number(status)) },
  ])
  return { [route.status]: success, ...Object.fromEntries(others) }
}

const textsOf = (types: readonly string[] = []): Json =>
  Object.fromEntries(
    types.map((type) =>
      type === 'application/json'
        ? [type, { schema: {}, example: [] }]
        : [type, { schema: { type: 'string', contentMediaType: type }, example: '' }],
    ),
  )

/** Routes of pages answer their errors as pages, too (error-boundary.ts). */
const errorTypesOf = ({ responseType, otherTypes }: Declaration): string[] => [
  ...new Set([...(responseType === 'text/html' ? ['text/html'] : []), ...(otherTypes?.errors ?? [])]),
]

const errorContent = (status: string, otherTypes: readonly string[]): Json => ({
  ...(status === '429' ? { headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } } } : {}),
  content: {
    'application/json': { schema: { $ref: '#/components/schemas/Error' }, example: errorExample(status) },
    ...textsOf(otherTypes),
  },
})

const errorExample = (status: string): unknown => {
  if (status !== '400') return errorBody(Number(status))
  const violations = [violation('name', 'required', 'is required')]
  return errorBody(400, violations[0]?.message, { violations })
}

/** Every status besides success, and why (the contract tests refuse any other). */
export const errorsOf = (route: Declaration): Record<string, string> => ({
  400: 'The request breaks a rule; `attributes.violations` lists all',
  ...(route.access === 'PUBLIC'
    ? {}
    : { 401: 'No key, or a wrong one', 403: 'Not this account, or not this role' }),
  ...(route.params ? { 404: 'There is no such thing in this account' } : {}),
  ...(route.upload
    ? { 413: 'There are more bytes than announced', 415: `The body is not ${route.upload}` }
    : {}),
  ...(route.body
    ? { 413: 'The body is too large', 415: `The body is not ${route.form ? 'a form' : 'JSON'}` }
    : {}),
  429: 'Too many requests; `Retry-After` says when to come back',
  431: 'The address and the headers are too large',
  500: 'A failure of the service',
  ...route.otherStatuses,
})

/** The schema with every titled part moved to `schemas` and referred to; a default belongs to the place of use. */
const componentOf = (schema: unknown, schemas: Json): unknown => {
  if (Array.isArray(schema)) return schema.map((item) => componentOf(item, schemas))
  if (typeof schema !== 'object' || schema === null) return schema
  const inner = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, isData(key) ? value : componentOf(value, schemas)]),
  )
  const { default: fallback, ...component } = inner
  const { title } = component
  if (typeof title !== 'string' || 'const' in inner) return inner
  const known = schemas[title]
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
    throw new Error(`Two schemas are called ${title}`)
  schemas[title] = component
  return { $ref: `#/components/schemas/${title}`, ...(fallback === undefined ? {} : { default: fallback }) }
}

/** Keywords whose values are data, not schemas. */
const isData = (key: string): boolean => ['default', 'enum', 'const', 'examples', 'required'].includes(key)
