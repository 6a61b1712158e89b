// Runs on both engines in test:all: lists are parts of statements.
import t from 'tap'
import { requiredBy, requiredNames } from '../../../../control-plane/access/snippets/required-snippets.ts'
import { agentPaths } from '../../../../protocol/agent-api.ts'
import type { ApiSpec } from '../../../../protocol/checks/api.ts'
import type { Job } from '../../../../protocol/job.ts'
import { testApp } from '../../../support/app.ts'
import { engineNames } from '../../../support/databases.ts'
import { claimRequest } from '../../../support/engine-room.ts'

t.test('required snippets are found by their names in the code', async (t) => {
  const cases: [string, string[]][] = [
    ["const a = require('./snippets/sign-in.js')", ['sign-in']],
    ['require("./sign in"); await import(`./snippets/b.js`)', ['sign in', 'b']],
    ["require( './snippets/a.js' ); require('./snippets/a')", ['a']],
    ["require('crypto'); require('../a.js'); required('./a'); `./snippets/c.js`", []],
    ["require('./snippets/' + name)", []],
    ["import { a } from './snippets/a.js'\nimport './snippets/b.js'; import c from 'c'", ['a', 'b']],
  ]
  for (const [code, names] of cases) t.same(requiredNames(code), names, code)
})

t.test('snippets that require each other are taken once', async (t) => {
  const library = new Map([
    ['a', "require('./b.js')"],
    ['b', "require('./a.js'); require('./none.js')"],
    ['c', ''],
  ])
  const found = requiredBy(["require('./snippets/a.js')"], library)
  t.same(
    found.map(({ name }) => name),
    ['a', 'b'],
  )
})

for (const engine of engineNames)
  t.test(`a job carries the snippets that its scripts require, and no others (${engine})`, async (t) => {
    const { call, agentKey } = await testApp(t, { engine })
    const add = async (name: string, script: string) =>
      (await call('POST', '/v1/snippets', { body: { name, script } })).body.id
    await add('base', 'exports.base = 1')
    await add('base', 'exports.base = 2')
    await add('unused', 'exports.x = 1')
    await add('sign', "require('./base.js')")
    const setupSnippetId = await add('main', "require('./snippets/sign.js')")
    const body = {
      name: 'x',
      request: { method: 'GET', url: 'https://example.com' },
      privateLocations: ['local'],
      setupSnippetId,
      localTearDownScript: "require('./snippets/missing.js')",
    }
    t.equal((await call('POST', '/v1/checks/api', { body })).status, 201)
    const claim = claimRequest({ checkTypes: ['API'], runtimeIds: ['2026.04'] })
    const [job] = (await call('POST', agentPaths.claim, { key: agentKey, body: claim })).body.jobs as Job[]
    t.same((job as Job & { spec: ApiSpec }).spec.snippets, [
      { name: 'sign', code: "require('./base.js')" },
      { name: 'base', code: 'exports.base = 1' },
    ])
  })
