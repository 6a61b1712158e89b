import t from 'tap'
import { testApp } from '../../../support/app.ts'

const expected: Record<string, { node: string; playwright: string; packages: number }> = {
  '2026.04': { node: '24.13.1', playwright: '1.58.2', packages: 69 },
  '2025.04': { node: '22.11.0', playwright: '1.51.1', packages: 64 },
  '2024.09': { node: '18.20.3', playwright: '1.48.2', packages: 63 },
  '2024.02': { node: '18.20.3', playwright: '1.42.1', packages: 65 },
  '2023.09': { node: '18.20.3', playwright: '1.38.1', packages: 39 },
  '2023.02': { node: '16.20.2', playwright: '1.32.3', packages: 34 },
  '2022.10': { node: '16.20.2', playwright: '1.28.0', packages: 22 },
}

t.test('the seven runtimes of the contract need no key, newest first, with all their packages', async (t) => {
  const { call } = await testApp(t)
  const { status, body } = await call('GET', '/v1/runtimes', { key: null })
  t.equal(status, 200)
  t.strictSame(
    body.map(({ name }: { name: string }) => name),
    Object.keys(expected),
  )
  for (const runtime of body) {
    const { node, playwright, packages } = expected[runtime.name]!
    t.equal(runtime.nodeJsVersion, node)
    t.equal(runtime.dependencies.playwright, playwright)
    t.equal(runtime.dependencies['@playwright/test'], playwright)
    t.equal(runtime.dependencies.http, node, 'built-in modules are as new as Node')
    t.equal(Object.keys(runtime.dependencies).length, packages, runtime.name)
    t.strictSame((await call('GET', `/v1/runtimes/${runtime.name}`, { key: null })).body, runtime)
  }
  t.equal(body.filter(({ stage }: { stage: string }) => stage === 'CURRENT').length, 1)
})

t.test('a runtime that never was is a 404', async (t) => {
  const { call } = await testApp(t)
  t.equal((await call('GET', '/v1/runtimes/2021.10', { key: null })).status, 404)
})
