/** /openapi.json as strangers' tools read it: valid, complete, and with examples that its own schemas accept. */
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t, { type Test } from 'tap'
import { routes } from '../../control-plane/routes.ts'
import { testApp } from '../support/app.ts'
import { type Document, documentPath, type Operation } from '../support/contract-document.ts'

const served = async (test: Test): Promise<Document> => {
  const { call } = await testApp(test)
  return (await call('GET', '/openapi.json', { key: null })).body
}

const operationsOf = (document: Document): Array<{ name: string; operation: Operation }> =>
  routes.map(({ method, path }) => {
    const operation = document.paths[documentPath(path)]?.[method.toLowerCase()]
    if (!operation) throw new Error(`${method} ${path} is not in the document`)
    return { name: `${method} ${path}`, operation }
  })

/** The schemas in which nothing but the document itself is referred to. */
const accepts = (document: Document) => {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addSchema({ $id: 'document', components: document.components } as object)
  const validators = new Map<string, ValidateFunction>()
  return (schema: unknown, value: unknown): unknown[] => {
    const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
    const validate = validators.get(text) ?? ajv.compile(JSON.parse(text))
    validators.set(text, validate)
    return validate(value) ? [] : (validate.errors ?? [])
  }
}

t.test('a public validator of OpenAPI 3.1 finds nothing wrong with it', async (t) => {
  const document = await served(t)
  const validator = new Validator()
  const result = await validator.validate(structuredClone(document))
  t.strictSame({ valid: result.valid, errors: result.errors ?? [] }, { valid: true, errors: [] })
  t.equal(validator.version, '3.1')
})

t.test(
  'every operation has an id of its own, a summary, a tag and a description of every answer',
  async (t) => {
    const operations = operationsOf(await served(t))
    t.equal(new Set(operations.map(({ operation }) => operation.operationId)).size, routes.length)
    for (const { name, operation } of operations) {
      t.match(
        operation.operationId,
        /^[a-z][A-Za-z0-9]+$/,
        `${name} has an id that is a name in any language`,
      )
      t.ok(operation.summary && operation.tags.length === 1, `${name} has a summary and a tag`)
      for (const [status, { description }] of Object.entries(operation.responses))
        t.ok(description, `${name} says what ${status} means`)
    }
  },
)

t.test('every body, parameter and answer has an example that its own schema accepts', async (t) => {
  const document = await served(t)
  const problems = accepts(document)
  for (const { name, operation } of operationsOf(document)) {
    for (const { name: parameter, in: place, schema, example } of operation.parameters) {
      t.notSame(example, undefined, `${name} has an example of ${parameter}`)
      const value = place === 'query' || place === 'path' ? textually(example) : example
      t.strictSame(
        [problems(schema, example), problems(schema, value)].some((found) => found.length === 0)
          ? []
          : [example],
        [],
        `${name}: ${parameter}`,
      )
    }
    const bodies = Object.entries(operation.requestBody?.content ?? {})
    const answers = Object.values(operation.responses).flatMap(({ content = {} }) => Object.entries(content))
    for (const [type, { schema, example }] of [...bodies, ...answers]) {
      t.notSame(example, undefined, `${name} has an example of its ${type}`)
      t.strictSame(problems(schema, example), [], `${name}: its example is valid`)
    }
  }
})

/** `'20'` in a query is the number 20. */
const textually = (value: unknown): unknown => {
  try {
    return JSON.parse(String(value))
  } catch {
    return value
  }
}

t.test('every reference leads somewhere, and every component is referred to', async (t) => {
  const document = await served(t)
  const text = JSON.stringify(document)
  const referred = new Set([...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name))
  t.strictSame([...referred].sort(), Object.keys(document.components.schemas).sort())
})
