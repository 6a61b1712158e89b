import { each, testRules } from '../../support/contract-rules.ts'
import { createOne, field, required } from '../../support/field-rules.ts'
import { browserCheck } from '../../support/kinds-of-checks.ts'
import { hasShape } from '../../support/shapes.ts'

const variables = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ key: `KEY_${i}`, value: 'x' }))

testRules('Browser check', {
  'script: text or null, required': each(
    required(browserCheck, 'script'),
    field(browserCheck, 'script', {
      valid: ["import { test } from '@playwright/test'", '', null],
      invalid: [[1, 'type']],
    }),
  ),
  'scriptPath: text or null': field(browserCheck, 'scriptPath', {
    valid: ['tests/login.spec.ts', null],
    invalid: [[1, 'type']],
  }),
  'dependencies: list of path and content, or null': async (t, plane) => {
    const create = async (dependencies: unknown) => {
      const body = { ...(await browserCheck.minimum(plane)), dependencies }
      return plane.call('POST', browserCheck.create, { body })
    }
    const files = [
      { path: 'a.js', content: '' },
      { path: 'lib/b.js', content: 'exports.b = 1' },
    ]
    for (const dependencies of [files, [], null]) {
      const created = await create(dependencies)
      t.equal(created.status, 201, created.text)
      t.strictSame(created.body.dependencies, dependencies ?? [])
    }
    for (const wrong of ['a.js', [{ path: 'a.js' }], [{ content: 'x' }], [{ path: 1, content: 'x' }]])
      t.equal((await create(wrong)).status, 400, JSON.stringify(wrong))
  },
  'sslCheckDomain: a fully qualified domain name or null': field(browserCheck, 'sslCheckDomain', {
    valid: ['shop.example.com', null],
    invalid: [
      ['localhost', 'pattern'],
      ['https://shop.example.com', 'pattern'],
      [1, 'type'],
    ],
  }),
  'environmentVariables: a list of at most 100 items, or null': field(browserCheck, 'environmentVariables', {
    valid: [null, [], variables(100)],
    invalid: [
      [variables(101), 'maxItems'],
      ['A=b', 'type'],
    ],
  }),
  'every field of the table is in what is read, with its type': async (t, plane) => {
    const created = await plane.call('POST', browserCheck.create, {
      body: await browserCheck.minimum(plane),
    })
    hasShape(t, created.body, { dependencies: 'list' })
    hasShape(t, await createOne(t, plane, browserCheck), {
      script: 'text?',
      scriptPath: 'text?',
      sslCheckDomain: 'text?',
      environmentVariables: 'list?',
    })
  },
})
