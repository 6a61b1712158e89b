import { each, type RuleTest, testRules } from '../../support/contract-rules.ts'
import { createOne, field, type Resource, required, responseOnly } from '../../support/field-rules.ts'
import { hasShape } from '../../support/shapes.ts'

const snippet: Resource = { create: '/v1/snippets', minimum: () => ({ name: 'sign-in', script: '' }) }

const shown =
  (name: string, kind: Parameters<typeof hasShape>[2][string]): RuleTest =>
  async (t, plane) =>
    hasShape(t, await createOne(t, plane, snippet), { [name]: kind })

testRules('Snippet', {
  'id: number': each(responseOnly(snippet, 'id', 7), shown('id', 'number')),
  'name: text, required on creation': each(
    required(snippet, 'name'),
    field(snippet, 'name', {
      valid: ['sign-in'],
      invalid: [
        [1, 'type'],
        ['', 'minLength'],
      ],
    }),
  ),
  'script: text, required on creation': each(
    required(snippet, 'script'),
    field(snippet, 'script', { valid: ['', 'request.headers.a = 1'], invalid: [[1, 'type']] }),
  ),
  'created_at: date-time': shown('created_at', 'instant'),
  'updated_at: date-time or null': async (t, plane) => {
    const { id, updated_at } = await createOne(t, plane, snippet)
    t.equal(updated_at, null, 'null until it is changed')
    const body = { name: 'sign-in', script: '// changed' }
    const changed = await plane.call('PUT', `/v1/snippets/${id}`, { body })
    hasShape(t, changed.body, { updated_at: 'instant' })
  },
})

testRules('Location', {
  'region: text, unique, always there': async (t, plane) => {
    const { body } = await plane.call('GET', '/v1/locations')
    for (const location of body) hasShape(t, location, { region: 'text' })
    const regions = body.map(({ region }: { region: string }) => region)
    t.equal(new Set(regions).size, regions.length)
  },
  'name: text, always there': async (t, plane) => {
    const { body } = await plane.call('GET', '/v1/locations')
    for (const location of body) hasShape(t, location, { name: 'text' })
  },
})
