/**
 * `/openapi.json`: an OpenAPI 3.1 document that is a map over the routes, with no second source. A schema with a `title`
 * becomes a component of that name. `/swagger.json` is the address of an older specification: it gives the same document,
 * marked as deprecated.
 */
import { Type } from 'typebox'
import type { App } from '../../../app/app.ts'
import { notChanged, type RetainedText, replyRetained, retainText } from '../answers/retained-text.ts'
import { sentAsIs } from '../answers/serialize.ts'
import { type Declaration, isForPrograms, type Route, route } from '../route.ts'
import { documentOperation, schemeOf } from './openapi-operation.ts'

type Json = Record<string, unknown>

const description =
  'Synthetic monitoring that people run themselves. Every request carries `Authorization: Bearer <API key>`; ' +
  '`x-service-account` (or `x-watchpost-account`, `x-checkly-account`) names the account and may be left out. Errors have one shape: `Error`. ' +
  'In the body of a write `null` for a list is the empty list, and an empty text is no value where a text may be left out; ' +
  'fields that nobody knows are refused, but for those in `x-ignored`. In queries `1` and `0` are true and false. ' +
  'Beyond the limit of requests (`RateLimit-*`) a request is refused with 429 and `Retry-After`; a write with `Prefer: wait=60` waits for its turn instead, for so many seconds at most.'
const swaggerNote = 'Deprecated: this address receives no updates of its own; use /openapi.json. '

/** @throws Error when two different schemas share a title */
export const openApiDocument = (routes: readonly Declaration[], baseUrl: string): Json => {
  const schemas: Json = { Error: errorSchema }
  const paths: Record<string, Json> = {}
  for (const each of routes) {
    const path = each.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [each.method.toLowerCase()]: documentOperation(each, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Watchpost API',
      version: '1',
      description,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      headers: {
        RetryAfter: {
          description: 'Seconds until the next request is answered again',
          required: true,
          schema: { type: 'integer', minimum: 1 },
          example: 12,
        },
        ReplicaLag: {
          description:
            'Seconds that the answer may be behind, at most: a replica of the store has answered. Not there where the store itself has',
          schema: { type: 'number', minimum: 0 },
          example: 1.2,
        },
      },
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'API key of a user or a service' },
        ...programSchemes(routes),
      },
    },
  }
}

const programSchemes = (routes: readonly Declaration[]): Json =>
  Object.fromEntries(
    routes
      .map(({ access }) => access)
      .filter(isForPrograms)
      .map((key) => [schemeOf(key), { type: 'http', scheme: 'bearer', description: key.description }]),
  )

const errorSchema = {
  type: 'object',
  title: 'Error',
  required: ['statusCode', 'error', 'message', 'attributes'],
  properties: {
    statusCode: { type: 'integer', description: 'The HTTP status' },
    error: { type: 'string', description: "The status' reason phrase" },
    message: { type: 'string' },
    attributes: {
      type: 'object',
      properties: {
        violations: {
          type: 'array',
          description: 'On 400: every broken rule',
          items: {
            type: 'object',
            required: ['path', 'rule', 'message'],
            properties: { path: { type: 'string' }, rule: { type: 'string' }, message: { type: 'string' } },
          },
        },
      },
    },
  },
}

/** The two routes that serve the document of `routes` and of themselves. */
export const documentRoutes = (routes: readonly Declaration[]): Route[] => {
  const documents = new WeakMap<App, { openapi: RetainedText; swagger: RetainedText }>()
  let anywhere: Json | undefined
  const documentsFor = (app: App) => {
    const known = documents.get(app)
    if (known) return known
    anywhere ??= openApiDocument([...routes, ...own], '')
    const openapi: Json = { ...anywhere, servers: [{ url: app.config.baseUrl }] }
    const info = openapi['info'] as Json
    const swagger = { ...openapi, info: { ...info, description: swaggerNote + info['description'] } }
    const made = {
      openapi: retainText(JSON.stringify(openapi), {}),
      swagger: retainText(JSON.stringify(swagger), { link: '</openapi.json>; rel="successor-version"' }),
    }
    documents.set(app, made)
    return made
  }
  const common = {
    method: 'GET',
    access: 'PUBLIC',
    tag: 'Documents',
    status: 200,
    otherStatuses: notChanged,
    response: sentAsIs(Type.Record(Type.String(), Type.Unknown())),
  } as const
  const own = [
    route({
      ...common,
      path: '/openapi.json',
      summary: 'This API as an OpenAPI 3.1 document',
      handle: ({ headers }, app) => replyRetained(documentsFor(app).openapi, headers),
    }),
    route({
      ...common,
      path: '/swagger.json',
      summary: 'The address of an older specification',
      deprecated: true,
      handle: ({ headers }, app) => replyRetained(documentsFor(app).swagger, headers),
    }),
  ]
  return own
}
