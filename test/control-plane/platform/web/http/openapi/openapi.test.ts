import t from 'tap'
import type { TSchema } from 'typebox'
import { exampleOf } from '../../../../../../control-plane/platform/web/http/openapi/example-of.ts'
import { openApiDocument } from '../../../../../../control-plane/platform/web/http/openapi/openapi.ts'
import { routes } from '../../../../../../control-plane/routes.ts'
import { compile } from '../../../../../../protocol/validate.ts'
import { testApp } from '../../../../../support/app.ts'

type Operation = {
  operationId: string
  parameters: Array<{ name: string; in: string; example: unknown; schema: unknown }>
  requestBody?: { content: { 'application/json': { example: unknown } } }
  responses: Record<string, { content?: Record<string, { schema: unknown; example?: unknown }> }>
}
const document = openApiDocument(routes, 'http://localhost:8080') as {
  openapi: string
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

t.test('every route is an operation with an id of its own, its parameters and every answer', async (t) => {
  t.equal(operations.length, routes.length)
  t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, routes.length)
  for (const { path, method, operation } of operations) {
    const declared = routes.find(
      (route) => route.method === method.toUpperCase() && route.path.replace(/:(\w+)/g, '{$1}') === path,
    )
    t.ok(operation.responses[String(declared?.status)], `${method} ${path} has its success`)
    t.ok(operation.responses['429'] && operation.responses['500'])
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const documented = operation.parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name)
    t.strictSame(documented.sort(), inPath.sort(), `${method} ${path}`)
  }
})

t.test('every reference of the document leads somewhere', async (t) => {
  for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g))
    t.ok(document.components.schemas[name ?? ''], `${name}`)
})

t.test('every example is accepted by its own schema', async (t) => {
  const accepts = (schema: TSchema, value: unknown, coerce = false) => {
    const checked = compile(schema, { coerce })(structuredClone(value))
    return checked.ok ? [] : checked.violations
  }
  for (const { method, path, params, query, body, response, example } of routes) {
    const name = `${method} ${path}`
    if (params)
      t.strictSame(
        accepts(params, example?.params ?? exampleOf(params as object), true),
        [],
        `${name} params`,
      )
    if (query) t.strictSame(accepts(query, example?.query ?? {}, true), [], `${name} query`)
    if (body) t.strictSame(accepts(body, example?.body ?? exampleOf(body as object)), [], `${name} body`)
    if (response)
      t.strictSame(
        accepts(response, example?.response ?? exampleOf(response as object)),
        [],
        `${name} response`,
      )
  }
})

t.test('/openapi.json needs no key; /swagger.json is the same document, deprecated', async (t) => {
  const { call } = await testApp(t)
  const openapi = await call('GET', '/openapi.json', { key: null })
  t.equal(openapi.status, 200)
  t.equal(openapi.body.openapi, '3.1.0')
  t.notOk(openapi.headers.get('deprecation'))
  const swagger = await call('GET', '/swagger.json', { key: null })
  t.equal(swagger.headers.get('deprecation'), 'true')
  t.match(swagger.body.info.description, /receives no updates/)
  t.strictSame({ ...swagger.body, info: {} }, { ...openapi.body, info: {} })
})
